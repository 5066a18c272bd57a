// Chrome fetches its own model only for a page that was just clicked in. Saving the choice of that model is that click.
const state = document.getElementById('builtin-state');

document.getElementById('form').addEventListener('submit', async () => {
  if (document.querySelector('#choices :checked')?.value !== 'builtin') return;
  const say = (key, ...args) => {
    state.hidden = false;
    state.textContent = chrome.i18n.getMessage(key, args);
  };
  const { LanguageModel } = globalThis;
  if (!LanguageModel) return say('options_builtin_missing');
  const monitor = (download) => download.addEventListener('downloadprogress', ({ loaded, total }) => {
    say('status_model_progress', `${Math.floor((100 * loaded) / (total || 1))}`);
  });
  try {
    const session = await LanguageModel.create({ monitor });
    session.destroy();
    say('options_builtin_ready');
  } catch (error) {
    say('options_builtin_failed', error.message);
  }
});
