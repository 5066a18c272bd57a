// Real pages as their sites served them, read offline: nothing breaks, marks stand where they belong, and are few.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { after, before, describe, test } from 'node:test';
import { fold, launchHermetic, open, followReading, paintedTexts, serve, sharedFolder } from './harness.mjs';

const pages = sharedFolder('pages');
const names = pages
  ? readdirSync(pages, { withFileTypes: true }).filter(entry => entry.isDirectory()).map(entry => entry.name)
  : [];
const CALM = new Set(['wikipedia-3', 'v8-blog', 'mozilla-1']);
const OTHER_LANGUAGES = new Set(['aktualne', 'folha', 'gmw', 'heise', 'hukumusume', 'la-nacion', 'lemonde-1', 'qq', 'rtl-1']);

describe('real pages', { skip: pages ? false : 'no shared pages beside this checkout' }, () => {
  let sidelight;
  before(async () => {
    sidelight = await launchHermetic();
  });
  after(() => sidelight?.close());

  for (const name of names) {
    test(name, async t => {
      const site = await serve({ '/': path.join(pages, name, 'source.html') }, { scripts: false });
      t.after(site.close);
      // Scripts of the page are off, so whatever is thrown there was thrown by ours.
      const thrown = [];
      const watch = tab => tab.on('pageerror', error => thrown.push(error.message));
      const { panel } = await open(t, sidelight, `${site.url}/`, {}, watch);
      const reading = await followReading(panel);
      assert.equal(reading.state, 'done', JSON.stringify(reading.errors));
      assert.deepEqual(thrown, []);
      const painted = await paintedTexts(panel);
      const misplaced = reading.highlights
        .map(({ phrase, index }) => ({ phrase: fold(phrase), text: fold(painted.get(index) ?? '') }))
        .filter(({ phrase, text }) => phrase !== text);
      assert.deepEqual(misplaced, []);
      if (CALM.has(name)) {
        const perThousand = (reading.highlights.length * 1000) / wordsOf(name);
        assert.ok(perThousand <= 6, `${perThousand.toFixed(1)} marks per 1,000 words`);
      }
      if (OTHER_LANGUAGES.has(name)) {
        assert.deepEqual(reading.highlights, []);
        const said = await panel.evaluate(() => document.body.innerText);
        assert.match(said, /word lists for English only/);
      }
    });
  }
});

/// Words of the main content, by an outside opinion on what that is.
function wordsOf(name) {
  const html = readFileSync(path.join(pages, name, 'expected.html'), 'utf8');
  return html.replace(/<[^>]*>/g, ' ').match(/[\p{L}\p{N}][\p{L}\p{N}'’-]*/gu).length;
}
