// Chrome fetches its own model only for a page that was just clicked in. Saving the choice of that model is that click.
const state = document.getElementById('builtin-state');

document.getElementById('form').addEventListener('submit', async () => {
  if (document.querySelector('#choices :checked')?.value !== 'builtin') return;
  const say = (words) => {
    state.hidden = false;
    state.textContent = words;
  };
  const { LanguageModel } = globalThis;
  if (!LanguageModel) return say('This Chrome has no built-in model: that takes Chrome 138 or later on a computer.');
  const monitor = (download) => download.addEventListener('downloadprogress', ({ loaded, total }) => {
    say(`Chrome fetches its model: ${Math.floor((100 * loaded) / (total || 1))} %`);
  });
  try {
    const session = await LanguageModel.create({ monitor });
    session.destroy();
    say("Chrome's built-in model is ready.");
  } catch (error) {
    say(`Chrome's built-in model can't be had on this machine. (${error.message})`);
  }
});
