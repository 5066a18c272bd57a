// Loads the core and hands over.
import init, { Options } from '../pkg/options.js';
import '../warm.js';

await init({ module_or_path: chrome.runtime.getURL('pkg/options_bg.wasm') });
globalThis.sidelight = new Options();
