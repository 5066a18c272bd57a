// Says the page in the reader's language.
import init, { translatePage } from '../pkg/pages.js';

await init({ module_or_path: chrome.runtime.getURL('pkg/pages_bg.wasm') });
translatePage();
