// What every end-to-end test starts from: the shipped extension in a real browser that reaches this machine only.
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { after, before } from 'node:test';
import { followReading, launch, root } from '../../xtask/js/browser.mjs';
import { serveOwn } from '../../xtask/js/site.mjs';

export { followReading, launch, paintedTexts, root } from '../../xtask/js/browser.mjs';
export { serve } from '../../xtask/js/site.mjs';

/// A browser for the tests of one file.
export const launchHermetic = () => launch({ hermetic: true });

/// The same with its interface in a language: Chrome on Linux takes it from the environment, elsewhere from its flag.
export async function launchIn(language) {
  const before = process.env.LANGUAGE;
  process.env.LANGUAGE = language;
  try {
    return await launch({ hermetic: true, args: [`--lang=${language}`] });
  } finally {
    if (before === undefined) delete process.env.LANGUAGE;
    else process.env.LANGUAGE = before;
  }
}

/// The project's own pages, with the sample article.
export const serveOwnPages = () => serveOwn(root);

/// A browser, and the project's own pages, for the tests of the file that asks for them: `{sidelight, site}`, there once
/// the first test runs.
export function onOwnPages() {
  const own = {};
  before(async () => {
    own.site = await serveOwnPages();
    own.sidelight = await launchHermetic();
  });
  after(async () => {
    await own.sidelight?.close();
    await own.site?.close();
  });
  return own;
}

/// The sample article on the server of `serveOwnPages`.
export const SAMPLE = '/samples/harbour.html';

/// A folder of material that is shared between projects, or `null` where there is none.
export function sharedFolder(name) {
  const folder = path.join(process.env.SIDELIGHT_SHARED ?? path.join(root, '../shared'), name);
  return existsSync(folder) ? folder : null;
}

/// Reads a page from the first click to the end: `{tab, panel, reading}`. Both close when the test `t` is over.
export async function read(t, sidelight, url, settings = {}, options = {}) {
  const opened = await open(t, sidelight, url, settings);
  return { ...opened, reading: await followReading(opened.panel, options) };
}

/// Opens a page with the panel beside it: `{tab, panel}`. `onTab` sees the tab before the panel is open.
export async function open(t, sidelight, url, settings = {}, onTab = async () => {}) {
  await sidelight.prepare(settings, { fresh: true });
  const tab = await sidelight.openPage(url);
  let panel;
  t.after(async () => {
    if (panel) await closePanel(sidelight, panel);
    await tab.close();
  });
  await onTab(tab);
  panel = await sidelight.openPanel(tab);
  return { tab, panel };
}

/// Closes the panel and waits until it is gone.
export async function closePanel(sidelight, panel) {
  if (panel.isClosed()) return;
  const isPanel = target => target.url().startsWith(sidelight.url('panel/'));
  const gone = new Promise(done => {
    sidelight.browser.on('targetdestroyed', function onDestroyed(target) {
      if (!isPanel(target)) return;
      sidelight.browser.off('targetdestroyed', onDestroyed);
      done();
    });
  });
  await panel.close();
  await gone;
}

/// The argument that has a browser take a server on this machine for one of the public network.
export const publicly = (...servers) => (
  `--ip-address-space-overrides=${servers.map(server => `127.0.0.1:${server.address().port}=public`).join(',')}`);

/// The addresses listed under the analysis as opened for it.
export const openedOf = panel => panel.$$eval('#analysis > .opened li', items => items.map(item => item.textContent));

/// White space folded, as a reader sees it.
export const fold = text => text.replace(/\s+/gu, ' ').trim();

/// Settings for a provider at an address.
export const settingsFor = (provider, baseUrl, model) => ({
  provider, [`${provider}BaseUrl`]: baseUrl, [`${provider}Model`]: model, [`${provider}Key`]: 'test-key-of-nobody',
});

/// Waits until something holds in a page, for far longer than it may take: a busy machine is no failure. It looks by a
/// timer, for a page that is hidden draws no frames. What throws holds not yet: the element it asks may be yet to come.
export const until = (page, holds, ...args) => page.waitForFunction(orNot(holds), { timeout: 120_000, polling: 20 }, ...args)
  .catch(error => { throw error.name === 'TimeoutError' ? new Error(`never came true: ${holds} ${JSON.stringify(args)}`) : error; });

const orNot = holds => new Function('...args', `return (async () => (${holds})(...args))().catch(() => false);`);

/// Waits until the panel is in a state.
export const untilState = (panel, state) => until(panel, state => document.body.dataset.state === state, state);

/// Clicks the button in view that is named so, as soon as there is one.
export const clickButton = (page, name) => until(page, (source, flags) => {
  const pattern = new RegExp(source, flags);
  const button = [...document.querySelectorAll('button')].find(button => pattern.test(button.innerText) && button.checkVisibility());
  button?.click();
  return button;
}, name.source, name.flags);

/// Milliseconds of processor time of each pass of our scripts in a page while `act` runs, by Chrome's own trace.
export async function passesDuring(tab, act) {
  await tab.tracing.start({ categories: ['devtools.timeline', 'disabled-by-default-devtools.timeline'] });
  await act();
  const { traceEvents } = JSON.parse(Buffer.from(await tab.tracing.stop()).toString());
  return traceEvents
    .filter(({ name, args }) => name === 'FunctionCall' && /^chrome-extension:.*\/(content\.js$|page\/)/.test(args.data?.url))
    .map(({ tdur, dur }) => (tdur ?? dur) / 1000);
}

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/// Shows a page in a theme.
export const wear = (page, theme) => page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: theme }]);

/// What axe-core finds wrong with a page.
export async function axeViolations(page) {
  // What still fades in has not the contrast it will have.
  await page.evaluate(() => Promise.all(document.getAnimations()
    .filter(({ effect }) => effect.getComputedTiming().endTime < Infinity).map(({ finished }) => finished)));
  // Through the debugger, since the pages themselves let no foreign script in.
  await page.evaluate(axe);
  const { violations } = await page.evaluate(() => globalThis.axe.run(document, { resultTypes: ['violations'] }));
  return violations.map(({ id, nodes }) => `${id}: ${nodes.map(node => node.html.slice(0, 120)).join(' · ')}`);
}

/// A picture of a panel, an options page or a page under artifacts/screenshots.
export async function picture(page, name) {
  const folder = path.join(root, 'artifacts/screenshots');
  mkdirSync(folder, { recursive: true });
  await page.screenshot({ path: path.join(folder, `${name}.png`) });
}
