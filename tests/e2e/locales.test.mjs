// The extension's own pages in every language it has: said, read in the right direction, and clean to axe.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { axeViolations as violations, launchIn, open, picture, read, root, SAMPLE, serveOwnPages, settingsFor, until, wear } from './harness.mjs';
import { provide, status } from './provider_server.mjs';

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
      await until(page, text => document.querySelector('h1').textContent === text, texts[title].message);
      assert.equal(await page.title(), texts[title].message);
      assert.equal(await page.$eval('html', html => html.dir), direction);
      assert.match(await page.$eval('html', html => html.lang), new RegExp(`^${language}`));
      if (file.startsWith('options')) {
        await until(page, () => document.querySelector('#choices :checked'));
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

const VIEWS = ['analysis', 'highlights', 'chat'];

for (const language of readdirSync(folder)) {
  test(`panel in ${language}`, async t => {
    const own = textsOf(language);
    const english = textsOf('en');
    const sidelight = await launchIn(language);
    t.after(() => sidelight.close());
    const site = await serveOwnPages();
    const server = await provide({ busy: status(400, { error: { message: 'zzz', type: 'invalid_request_error' } }) });
    t.after(() => Promise.all([site.close(), server.close()]));
    const page = `${site.url}${SAMPLE}`;
    // Whatever reads otherwise in English than here: shown here, it is a gap.
    const gaps = new Set(Object.keys(english).filter(key => english[key].message !== own[key]?.message
      && !english[key].message.includes('$')).map(key => english[key].message));
    for (const [name, opened] of [
      ['idle', t => open(t, sidelight, 'about:blank')],
      ['done', t => read(t, sidelight, page)],
      ['failed', t => read(t, sidelight, page, settingsFor('openai', `${server.url}/v1`, 'busy'))],
    ]) {
      await t.test(name, async t => {
        const { panel } = await opened(t);
        await until(panel, text => document.querySelector('#tab-chat').textContent === text, own.panel_chat.message);
        await panel.waitForSelector('body:not([data-state=reading])');
        const look = async view => {
          const shown = await panel.evaluate(wordsShown);
          assert.deepEqual(shown.filter(words => gaps.has(words)), [], view);
          await panel.setViewport({ width: 320, height: 700 });
          assert.ok(await panel.evaluate(() => document.documentElement.scrollWidth <= innerWidth), `${view} scrolls`);
          for (const theme of ['light', 'dark']) {
            await wear(panel, theme);
            assert.deepEqual(await violations(panel), [], `${view}, ${theme}`);
            await picture(panel, `panel-${view}-${name}-${language}-${theme}`);
          }
        };
        for (const view of VIEWS) {
          await panel.click(`#tab-${view}`);
          await look(view);
        }
        if (name !== 'done') return;
        if (language !== 'en') assert.deepEqual(await panel.evaluate(notesIn, english), [], 'notes in English');
        await panel.click('#history-open');
        await until(panel, () => document.querySelector('#history-list').childElementCount > 0);
        await look('history');
        await panel.click('#history-clear');
        await look('history-sure');
      });
    }
  });
}

/// Every text and label in a document, shown or not: what is hidden now is shown later.
function wordsShown() {
  const words = [];
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) words.push(texts.currentNode.data.trim());
  for (const name of ['aria-label', 'title', 'placeholder']) {
    words.push(...[...document.querySelectorAll(`[${name}]`)].map(element => element.getAttribute(name)));
  }
  const quoted = [...document.querySelectorAll('.phrase')].map(element => element.textContent).join('\n'); // of the page
  return words.filter(word => word && !quoted.includes(word));
}

/// Notes of the offline reader that are in the words of these texts, whatever they quote.
function notesIn(texts) {
  const patterns = Object.keys(texts).filter(key => /^(note|rules)_/.test(key) && /[a-z]/.test(texts[key].message.replace('$1', '')))
    .map(key => new RegExp(texts[key].message.replace(/[.*+?^{}()|[\]\\]/g, '\\$&').replaceAll(/\$\d/g, '.*')));
  const notes = [...document.querySelectorAll('.note, #summary .text, #summary li, #prose p, #prose li')].map(note => note.textContent);
  if (!notes.length) return ['no notes at all'];
  return notes.filter(note => patterns.some(pattern => pattern.test(note)));
}

function textsOf(language) {
  return JSON.parse(readFileSync(path.join(folder, language, 'messages.json'), 'utf8'));
}
