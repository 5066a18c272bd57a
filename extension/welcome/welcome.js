// Says the page in the reader's language.
import init, { translatePage } from '../pkg/options.js';

await init({ module_or_path: chrome.runtime.getURL('pkg/options_bg.wasm') });
translatePage();
