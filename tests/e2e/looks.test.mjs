// What axe-core finds in our pages, in both themes, and pictures of them for people to look at.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { after, before, test } from 'node:test';
import { launchHermetic, picture, read, SAMPLE, serveOwnPages } from './harness.mjs';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

let sidelight, site;
before(async () => {
  site = await serveOwnPages();
  sidelight = await launchHermetic();
});
after(async () => {
  await sidelight?.close();
  await site?.close();
});

test('the panel, on each of its tabs, light, dark and narrow', async t => {
  const { panel, tab } = await read(t, sidelight, site.url + SAMPLE);
  await picture(tab, 'page-light');
  for (const theme of ['light', 'dark']) {
    await wear(panel, theme);
    for (const name of ['analysis', 'highlights']) {
      await panel.click(`#tab-${name}`);
      await panel.setViewport({ width: 360, height: 640 });
      assert.deepEqual(await violations(panel), [], `${name}, ${theme}`);
      await picture(panel, `panel-${name}-${theme}`);
      await panel.setViewport({ width: 320, height: 640 });
      assert.ok(await panel.evaluate(() => document.documentElement.scrollWidth <= innerWidth), `${name} scrolls sideways`);
      await picture(panel, `panel-${name}-${theme}-narrow`);
    }
  }
});

test('the options page, light, dark and narrow', async () => {
  const options = await sidelight.openExtensionPage('options/options.html');
  await options.waitForSelector('select, input', { timeout: 5_000 });
  for (const theme of ['light', 'dark']) {
    await wear(options, theme);
    assert.deepEqual(await violations(options), [], theme);
    await picture(options, `options-${theme}`);
  }
  await options.setViewport({ width: 360, height: 640 });
  await picture(options, 'options-narrow');
  await options.close();
});

for (const path of ['/', '/playground.html', SAMPLE]) {
  test(`our own page ${path}`, async () => {
    const page = await sidelight.openPage(site.url + path);
    for (const theme of ['light', 'dark']) {
      await wear(page, theme);
      assert.deepEqual(await violations(page), [], theme);
      await picture(page, `www${path.replace(/\.html$/, '').replace(/\W+/g, '-')}-${theme}`);
    }
    await page.close();
  });
}

const wear = (page, theme) => page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: theme }]);

async function violations(page) {
  // Through the debugger, since the pages themselves let no foreign script in.
  // What still fades in has not the contrast it will have.
  await page.evaluate(() => Promise.all(document.getAnimations().map(({ finished }) => finished)));
  await page.evaluate(axe);
  const { violations } = await page.evaluate(() => globalThis.axe.run(document, { resultTypes: ['violations'] }));
  return violations.map(({ id, nodes }) => `${id}: ${nodes.map(node => node.html.slice(0, 120)).join(' · ')}`);
}
