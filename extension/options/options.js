// Loads the core and hands over.
import init, { Options } from '../pkg/sidelight.js';

await init({ module_or_path: chrome.runtime.getURL('pkg/sidelight_bg.wasm') });
globalThis.sidelight = new Options();
