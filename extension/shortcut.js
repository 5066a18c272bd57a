// Says which shortcut opens the panel: the one set in Chrome now, which another extension may hold or the reader may have
// changed, and where none is set how to set one. Elements with `data-shortcut` are shown as their value says.
const OPENS = '_execute_action';

async function show() {
  const commands = await chrome.commands.getAll();
  const shortcut = commands.find(({ name }) => name === OPENS)?.shortcut ?? '';
  for (const part of document.querySelectorAll('[data-shortcut]')) {
    part.hidden = (part.dataset.shortcut === 'set') !== Boolean(shortcut);
    const key = part.querySelector('kbd');
    if (key) key.textContent = shortcut;
  }
}

// Chrome tells nobody of a change. Whoever makes one comes back to this page from another.
document.addEventListener('visibilitychange', show);
await show();
