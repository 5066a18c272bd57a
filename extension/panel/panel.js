// Loads the core and hands over. `sidelight` is global so that tests can ask the panel for what it shows.
import init, { Panel } from '../pkg/panel.js';
import * as history from './history.js';
import '../warm.js';

await init({ module_or_path: chrome.runtime.getURL('pkg/panel_bg.wasm') });
globalThis.sidelight = new Panel(history);
