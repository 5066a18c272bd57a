// Chromium with the unpacked extension, driven the way a person drives it: by its toolbar button.
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import puppeteer from 'puppeteer-core';

export const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../..');

/// Longest wait for anything, in milliseconds: far longer than it takes, for the machine may have much else to do.
const PATIENCE = 120_000;

// Without the last flags a browser on a closed network looks up its maker's hosts all the time.
const quietly = ['--disable-gpu', '--disable-quic', '--no-first-run', '--no-default-browser-check',
  '--disable-background-networking', '--disable-component-update', '--disable-sync'];

/// Starts a browser with an extension. `hermetic`: nothing but this machine can be reached.
export async function launch({
  extension = path.join(root, 'extension'), headless = true, profile, hermetic = false, args = [],
} = {}) {
  const executablePath = process.env.CHROME;
  if (!executablePath) throw new Error('CHROME does not name a browser; `cargo xtask` sets it');
  const flags = [...quietly, ...args];
  if (process.getuid?.() === 0) flags.push('--no-sandbox');
  if (hermetic) flags.push('--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE localhost, EXCLUDE 127.0.0.1');
  const browser = await puppeteer.launch({
    executablePath, headless, userDataDir: profile, args: flags, timeout: PATIENCE,
    // The pipe is what lets branded Chrome load an unpacked extension.
    pipe: true, enableExtensions: true, protocolTimeout: 0, // a slow model may take longer than any call should
    defaultViewport: headless ? { width: 1280, height: 900 } : null,
  });
  try {
    const id = await install(browser, path.resolve(extension), { greets: !profile });
    const manifest = JSON.parse(readFileSync(path.join(extension, 'manifest.json'), 'utf8'));
    return new Sidelight(browser, id, path.resolve(extension), manifest);
  } catch (error) {
    await browser.close();
    throw error;
  }
}

/// Installs an extension and closes the page it greets a new reader with, lest that comes up in the midst of a test. A
/// profile of its own may know the extension already, and is greeted no second time.
export async function install(browser, folder, { greets = true } = {}) {
  const id = await browser.installExtension(folder);
  if (greets && existsSync(path.join(folder, 'welcome'))) {
    const isWelcome = target => target.url() === `chrome-extension://${id}/welcome/welcome.html`;
    const welcome = await browser.waitForTarget(isWelcome, { timeout: PATIENCE });
    await (await welcome.asPage()).close();
  }
  return id;
}

/// The running browser and the extension in it.
export class Sidelight {
  #folder;
  #manifest;

  constructor(browser, id, folder, manifest) {
    this.browser = browser;
    this.id = id;
    this.#folder = folder;
    this.#manifest = manifest;
  }

  /// Address of a file of the extension.
  url(file) {
    return `chrome-extension://${this.id}/${file}`;
  }

  /// A tab with one of the extension's own pages.
  async openExtensionPage(file) {
    const page = await this.browser.newPage();
    page.setDefaultTimeout(PATIENCE);
    await page.goto(this.url(file));
    return page;
  }

  /// Waits until the worker has run once, and with that has registered its listeners, and writes settings: beside those
  /// already there, or with `fresh` instead of them and of what the last panel left.
  async prepare(settings = {}, { fresh = false } = {}) {
    const page = await this.openExtensionPage(this.#manifest.options_ui.page);
    try {
      // A top-level extension page is a client of the worker's scope. A worker becomes active only after its script ran.
      await page.evaluate(async () => { await navigator.serviceWorker.ready; });
      await page.evaluate(async (settings, fresh) => {
        if (fresh) await Promise.all([chrome.storage.local.clear(), chrome.storage.session.clear()]);
        await chrome.storage.local.set(settings);
      }, settings, fresh);
    } finally {
      await page.close();
    }
  }

  /// Opens a page in a new tab.
  async openPage(url) {
    const page = await this.browser.newPage();
    page.setDefaultTimeout(PATIENCE);
    await page.goto(url, { waitUntil: 'domcontentloaded' });
    return page;
  }

  /// Clicks the toolbar button on a page and returns the side panel.
  async openPanel(page, { timeout = PATIENCE } = {}) {
    await page.bringToFront();
    const extension = (await this.browser.extensions()).get(this.id);
    await extension.triggerAction(page);
    const target = await this.browser.waitForTarget(
      target => target.url().startsWith(this.url(this.#manifest.side_panel.default_path)), { timeout },
    ).catch(() => { throw new Error(`no panel opened within ${timeout / 1000} s of the click`); });
    const panel = await target.asPage();
    panel.setDefaultTimeout(PATIENCE);
    // The target is there before its window has a size, and nothing is painted without one.
    await panel.waitForFunction(() => innerWidth > 0, { timeout, polling: 20 });
    return panel;
  }

  /// Ends the service worker as Chrome does when it wants its memory back. Nothing is ever attached to it: a worker
  /// with a debugger attached is not ended.
  async killWorker() {
    const session = await this.browser.target().createCDPSession();
    const { targetInfos } = await session.send('Target.getTargets');
    const worker = targetInfos.find(({ type, url }) => type === 'service_worker' && url.startsWith(this.url('')));
    // Without one, Chrome was faster.
    if (worker) await session.send('Target.closeTarget', { targetId: worker.targetId });
    await session.detach();
  }

  /// Ends the worker and has it woken by one of the extension's own pages. Returns milliseconds: `answered`, from the
  /// page's message to its answer, and `ready`, from the start of the worker's script to its core being ready.
  async wakeWorker(page) {
    await this.killWorker();
    const answered = await page.evaluate(firstAnswer);
    const worker = await this.browser.waitForTarget(
      target => target.type() === 'service_worker' && target.url().startsWith(this.url('')), { timeout: PATIENCE },
    );
    const session = await worker.createCDPSession();
    const { result } = await session.send('Runtime.evaluate', { expression: "performance.getEntriesByName('ready')[0].startTime" });
    await session.detach();
    return { answered, ready: result.value };
  }

  /// Loads the extension anew, as after an update: pages that stand keep the scripts of the old one.
  async reload() {
    await this.browser.uninstallExtension(this.id);
    await install(this.browser, this.#folder);
  }

  async close() {
    await this.browser.close();
  }
}

/// In a page: sends a message that only the core can answer, since no such message exists.
function firstAnswer() {
  return new Promise((done, failed) => {
    const start = performance.now();
    const port = chrome.runtime.connect({ name: 'agent' });
    port.onDisconnect.addListener(() => failed(new Error('the worker hung up')));
    port.onMessage.addListener(() => {
      const time = performance.now() - start;
      port.disconnect();
      done(time);
    });
    port.postMessage({ type: 'no such message' });
  });
}

const FINAL_STATES = ['done', 'failed', 'interrupted', 'unreadable', 'choosing'];

/// Follows a reading in the panel to its end, with `onHighlight` called for each highlight as it lands. Returns the
/// panel's export with the state it ended in.
export async function followReading(panel, { timeout = PATIENCE, onHighlight = () => {} } = {}) {
  const until = Date.now() + timeout;
  for (let seen = 0; ;) {
    await panel.waitForFunction(
      (seen, states) => states.includes(document.body.dataset.state)
        || (globalThis.sidelight?.export().highlights.length ?? 0) > seen,
      { timeout: Math.max(1, until - Date.now()), polling: 50 }, seen, FINAL_STATES, // 0 would mean for ever
    ).catch(error => {
      throw error.name === 'TimeoutError' ? new Error(`the reading did not end within ${timeout / 1000} s`) : error;
    });
    const [reading, state] = await panel.evaluate(() => [globalThis.sidelight.export(), document.body.dataset.state]);
    for (; seen < reading.highlights.length; seen++) onHighlight(reading.highlights[seen], seen);
    if (FINAL_STATES.includes(state)) return { ...reading, state };
  }
}

/// What the painted ranges of a reading cover on the page, by the highlight's index; every frame of the page is asked.
export async function paintedTexts(panel) {
  const painted = await panel.evaluate(async () => {
    const [tab] = await chrome.tabs.query({ active: true, currentWindow: true });
    const answers = await chrome.scripting.executeScript({
      target: { tabId: tab.id, allFrames: true }, injectImmediately: true,
      func: () => globalThis.__sidelight?.report(),
    });
    return answers.flatMap(({ result }) => result ?? []);
  });
  return new Map(painted.map(({ index, text }) => [index, text]));
}
