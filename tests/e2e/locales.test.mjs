// The extension's own pages in every language it has: said, read in the right direction, and clean to axe.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { axeViolations as violations, launchIn, picture, root, wear } from './harness.mjs';

const folder = path.join(root, 'extension/_locales');

for (const language of readdirSync(folder)) {
  test(`options and welcome in ${language}`, async t => {
    const texts = JSON.parse(readFileSync(path.join(folder, language, 'messages.json'), 'utf8'));
    const direction = language === 'ar' ? 'rtl' : 'ltr';
    const sidelight = await launchIn(language);
    t.after(() => sidelight.close());
    for (const [file, title] of [['options/options.html', 'options_title'], ['welcome/welcome.html', 'welcome_title']]) {
      const name = `${path.basename(file, '.html')}-${language}`;
      const page = await sidelight.openExtensionPage(file);
      await page.waitForFunction(text => document.querySelector('h1').textContent === text, {}, texts[title].message);
      assert.equal(await page.title(), texts[title].message);
      assert.equal(await page.$eval('html', html => html.dir), direction);
      assert.match(await page.$eval('html', html => html.lang), new RegExp(`^${language}`));
      if (file.startsWith('options')) {
        await page.waitForSelector('#choices :checked');
        await page.click('#choices [value=openai]');
      }
      for (const theme of ['light', 'dark']) {
        await wear(page, theme);
        assert.deepEqual(await violations(page), [], `${name}, ${theme}`);
        await page.setViewport({ width: 900, height: 1600 });
        await picture(page, `${name}-${theme}`);
      }
      await page.setViewport({ width: 320, height: 900 });
      assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), `${name} scrolls sideways`);
      await picture(page, `${name}-narrow`);
      await page.close();
    }
  });
}
