// What axe-core finds in our pages, in both themes, and pictures of them for people to look at.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { axeViolations as violations, launchHermetic, open, picture, read, SAMPLE, serveOwnPages, settingsFor, untilState, wear } from './harness.mjs';
import { provide, speak, stall, status } from './provider_server.mjs';

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
    for (const name of ['analysis', 'highlights', 'chat']) {
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

test('the panel while it reads, stopped, failed and without a page', async t => {
  const prose = speak('openai', '## Key Claims\n\nThe page makes `one` claim.\n\n- first\n- second\n\n## Bias\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n');
  const server = await provide({
    stalls: stall(prose.slice(0, prose.lastIndexOf('data: {'))),
    refuses: status(401, { error: { message: 'Incorrect API key provided' } }),
  });
  t.after(() => server.close());
  const { panel } = await open(t, sidelight, site.url + SAMPLE, settingsFor('openai', server.url, 'stalls'));
  await panel.waitForFunction(() => document.querySelector('#prose td'));
  await panel.setViewport({ width: 360, height: 640 });
  assert.deepEqual(await violations(panel), [], 'reading');
  await picture(panel, 'panel-reading');
  await panel.click('#stop');
  await untilState(panel, 'interrupted');
  assert.deepEqual(await violations(panel), [], 'stopped');
  await sidelight.prepare(settingsFor('openai', server.url, 'refuses'));
  await panel.click('#read');
  await untilState(panel, 'failed');
  assert.deepEqual(await violations(panel), [], 'failed');
  const browserPage = await sidelight.openPage('chrome://version');
  t.after(() => browserPage.close());
  await untilState(panel, 'idle');
  assert.deepEqual(await violations(panel), [], 'not read');
  await panel.click('#read');
  await untilState(panel, 'unreadable');
  assert.match(await panel.$eval('#notices', notices => notices.innerText), /^Navigate to a webpage first/);
  assert.deepEqual(await violations(panel), [], 'unreadable');
});

test('the options page, light, dark and narrow', async () => {
  const options = await sidelight.openExtensionPage('options/options.html');
  await options.waitForSelector('input[value=openai]', { timeout: 30_000 });
  await options.click('input[value=openai]');
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
