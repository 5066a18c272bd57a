// Loads the core and hands over.
import init, { Options } from '../pkg/pages.js';

await init({ module_or_path: chrome.runtime.getURL('pkg/pages_bg.wasm') });
globalThis.sidelight = new Options();
