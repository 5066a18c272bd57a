// Asking about a page: what is sent, what is shown while it streams, and what stays after every way it can end.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';

import { axeViolations, closePanel, followReading, launchHermetic, open, picture, SAMPLE, serveOwnPages, settingsFor, until, wear } from './harness.mjs';
import { highlightsAnswer, inTurn, provide, reading as answer, speak, stall, status, stream } from './provider_server.mjs';

const dialect = 'openai';
const PROSE = '## Key Claims\n\nThe page makes one claim.\n';
const ANSWER = 'The harbour grew. See [the port](https://port.example/report "x") and [a study](https://elsewhere.example/study).\n\n- one\n- two\n';
/// Dollars for a million tokens.
const PRICES = { openaiInputPrice: 3, openaiOutputPrice: 15 };
const LONG = Array.from({ length: 30 }, (_, n) => `## Part ${n}\n\nParagraph ${n} of a long answer with \`code ${n}\` and **weight**.\n\n`).join('');

/// Readings are answered at once; questions are answered by `chat`.
const asking = chat => (seen, ...rest) => {
  const isReading = /Analyse this page\.|category_summaries/.test(JSON.stringify(seen.body.messages.at(-1)) + JSON.stringify(seen.body.messages[0]));
  return (isReading ? readings : chat)(seen, ...rest);
};
const readings = answer({ analysis: stream(speak(dialect, PROSE)), highlights: stream(speak(dialect, highlightsAnswer([]))) });
const busy = status(400, { error: { message: 'The server is tired', type: 'invalid_request_error' } });

let sidelight, site, server;
before(async () => {
  site = await serveOwnPages();
  sidelight = await launchHermetic();
  server = await provide({
    plain: asking(stream(speak(dialect, ANSWER))),
    'stalls-first': asking(inTurn(stall(speak(dialect, ANSWER).slice(0, 300)), stream(speak(dialect, 'Second.')))),
    'fails-first': asking(inTurn(busy, stream(speak(dialect, 'Recovered.')), stream(speak(dialect, 'Third.')))),
    long: asking(stream(speak(dialect, LONG, { pieces: 300 }))),
  });
});
after(async () => {
  await sidelight?.close();
  await Promise.all([site?.close(), server?.close()]);
});

test('a question is asked by Enter, answered, and goes along with the next', async t => {
  const { panel } = await openChat(t, 'plain');
  await panel.keyboard.type('Who?');
  await panel.keyboard.down('Shift');
  await panel.keyboard.press('Enter');
  await panel.keyboard.up('Shift');
  await panel.keyboard.type('When?');
  const first = await asked(panel, () => panel.keyboard.press('Enter'));
  assert.equal(first.messages.at(-1).content, 'Who?\nWhen?');
  await untilEnded(panel);
  assert.equal(await text(panel, '.turn:last-child .prose li:last-child'), 'two');
  assert.equal(await panel.$eval('#question', input => input.value), '');
  assert.equal(await panel.evaluate(() => document.activeElement.id), 'question');
  assert.equal(await text(panel, '#chat-live'), 'Complete');
  assert.equal(await panel.$eval('#log', log => log.getAttribute('aria-live')), 'off');

  await panel.keyboard.type('And then?');
  const second = await asked(panel, () => panel.click('#send'));
  assert.deepEqual(second.messages.slice(-3).map(({ role }) => role), ['user', 'assistant', 'user']);
  assert.equal(second.messages.at(-2).content, ANSWER);
  await untilEnded(panel);
});

test('a question to begin with is asked by one click, and offered no more', async t => {
  const { panel } = await openChat(t, 'plain');
  const { messages } = await asked(panel, () => clickIn(panel, '#chat', 'What speaks against it?'));
  assert.equal(messages.at(-1).content, 'What speaks against it?');
  await untilEnded(panel);
  assert.equal(await panel.$eval('#chat-ideas', ideas => ideas.checkVisibility()), false);
  assert.equal(await panel.evaluate(() => document.activeElement.id), 'question');
});

test('who looks at another tab while an answer is written comes back to its end', async t => {
  const { panel } = await openChat(t, 'plain');
  await speakForWorker(panel);
  await panel.keyboard.type('Hm?');
  await panel.keyboard.press('Enter');
  await say(panel, { type: 'text_delta', text: LONG });
  await until(panel, () => document.querySelector('.turn .prose').textContent.includes('Part 29'));
  await untilFollowed(panel);
  await panel.click('#tab-analysis');
  await say(panel, { type: 'text_delta', text: `${LONG}The end.` });
  await until(panel, () => document.querySelector('.turn .prose').textContent.endsWith('The end.'));
  await panel.click('#tab-chat');
  await untilFollowed(panel);
  // Who went up to read comes back to what they read.
  await panel.$eval('#chat-scroll', scroll => { scroll.scrollTop = 300; });
  await panel.click('#tab-analysis');
  await say(panel, { type: 'text_delta', text: LONG }, { type: 'done' });
  await untilEnded(panel);
  await panel.click('#tab-chat');
  assert.equal(await panel.$eval('#chat-scroll', scroll => scroll.scrollTop), 300);
});

test('the question that is edited is marked until it is let be', async t => {
  const { panel } = await openChat(t, 'plain');
  await panel.keyboard.type('Who?');
  await panel.keyboard.press('Enter');
  await untilEnded(panel);
  await clickIn(panel, '.turn', 'Edit');
  await until(panel, () => document.querySelector('.turn[data-edited]'));
  await panel.keyboard.press('Escape');
  await until(panel, () => !document.querySelector('.turn[data-edited]'));
});

test('a character that is being composed sends nothing', async t => {
  const { panel } = await openChat(t, 'plain');
  const already = server.requests.length;
  await panel.keyboard.type('日本');
  await panel.evaluate(() => {
    const input = document.querySelector('#question');
    const press = options => input.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', bubbles: true, cancelable: true, ...options }));
    press({ isComposing: true });
    press({ keyCode: 229 });
  });
  assert.equal(await panel.$$eval('.turn', turns => turns.length), 0);
  // Had either sent it, the Enter that does would not be the first.
  await asked(panel, () => panel.keyboard.press('Enter'));
  await untilEnded(panel);
  assert.equal(await panel.$$eval('.turn', turns => turns.length), 1);
  assert.equal(server.requests.length, already + 1);
});

test('an address nobody checked is no link, one that stands on the page is', async t => {
  const { panel, tab } = await openChat(t, 'plain', tab => tab.evaluate(() => {
    const link = document.createElement('a');
    link.href = 'https://port.example/report/';
    link.textContent = 'The report';
    document.querySelector('article p, main p, p').append(' ', link);
  }));
  assert.ok(tab);
  await panel.keyboard.type('Sources?');
  await panel.keyboard.press('Enter');
  await untilEnded(panel);
  const links = await panel.$$eval('.turn a', links => links.map(({ href, textContent, target, rel }) => ({ href, textContent, target, rel })));
  assert.deepEqual(links, [{ href: 'https://port.example/report/', textContent: 'the port', target: '_blank', rel: 'noopener noreferrer' }]);
  assert.match(await text(panel, '.turn .prose'), /a study \(https:\/\/elsewhere\.example\/study, unverified\)/);
});

test('what a model thinks aloud is folded text, tools are listed while it works, and what they found becomes a link', async t => {
  const { panel } = await openChat(t, 'plain');
  await speakForWorker(panel);
  await panel.keyboard.type('Hm?');
  await panel.keyboard.press('Enter');
  await say(panel, { type: 'thinking_delta', text: 'Let me see. ' }, { type: 'thinking_delta', text: '<b>Two</b> sources.' });
  await say(panel, ...['Searching the web...', 'Fetching URL...', 'Fetching URL...'].map(label => ({ type: 'tool_call', name: 'any', label })));
  await until(panel, () => document.querySelector('.turn .tools').innerText.includes('× 2'));
  const thinking = () => panel.$$eval('.turn .thinking', all => all.map(({ open, hidden }) => ({ open, hidden })));
  assert.deepEqual(await thinking(), [{ open: false, hidden: false }]);
  assert.equal(await panel.$eval('.turn .thoughts', thoughts => thoughts.textContent), 'Let me see. <b>Two</b> sources.');
  await say(panel, { type: 'text_delta', text: 'Yes: [a study](https://elsewhere.example/study) says so.\n\nMore' });
  await until(panel, () => document.querySelector('.turn .prose').innerText.includes('unverified'));
  assert.equal(await panel.$('.turn a'), null);
  await picture(panel, 'chat-tools');
  await say(panel, { type: 'sources', sources: [{ url: 'https://elsewhere.example/study#abstract', title: 'A study' }] });
  await panel.waitForSelector('.turn a[href="https://elsewhere.example/study#abstract"]');
  await say(panel, { type: 'done', usage: { inputTokens: 1091, outputTokens: 500 } });
  await untilEnded(panel);
  assert.match(await text(panel, '.turn .prose'), /^Yes: a study \(elsewhere\.example\) says so\./);
  assert.equal(await panel.$eval('.turn .tools', tools => tools.hidden), true);
  assert.match(await text(panel, '.turn .meta'), /1,091 tokens in · 500 out · \$0\.011$/);
  await panel.click('.turn .thinking summary');
  await panel.click('#question');
  await panel.keyboard.type('And?');
  await panel.keyboard.press('Enter');
  await say(panel, { type: 'thinking_delta', text: 'Again.' }, { type: 'text_delta', text: 'Yes.' });
  await until(panel, () => document.querySelectorAll('.turn .thinking:not([hidden])').length === 2);
  assert.deepEqual((await thinking()).map(({ open }) => open), [true, true], 'it stays as the reader set it');
  await say(panel, { type: 'done' });
  await untilEnded(panel, 2);
  assert.deepEqual(await axeViolations(panel), []);
  await picture(panel, 'chat-thinking');
});

test('leave for the way through the page is asked for, remembered, and the question asked again', async t => {
  const { panel } = await openChat(t, 'plain');
  await speakForWorker(panel);
  await panel.keyboard.type('Hm?');
  await panel.keyboard.press('Enter');
  await say(panel, { type: 'error', code: 'needs_consent', message: 'Gemini refuses extensions. The page could ask instead.' });
  await untilEnded(panel);
  assert.match(await text(panel, '.turn .problem'), /^Gemini refuses extensions/);
  await clickIn(panel, '.turn', 'Allow once for Gemini');
  await until(panel, () => document.querySelector('.turn[data-running]'));
  assert.equal(await panel.evaluate(async () => (await chrome.storage.local.get()).geminiPageProxy), true);
  await say(panel, { type: 'text_delta', text: 'Yes.' }, { type: 'done' });
  await untilEnded(panel);
  assert.equal(await text(panel, '.turn .prose'), 'Yes.');
});

test('a second click on the toolbar button closes the panel, and a third opens it', async t => {
  const { panel, tab } = await openChat(t, 'plain');
  const gone = new Promise(done => panel.once('close', done));
  await tab.bringToFront();
  const extension = (await sidelight.browser.extensions()).get(sidelight.id);
  await extension.triggerAction(tab);
  await gone;
  const again = await sidelight.openPanel(tab);
  t.after(() => closePanel(sidelight, again));
  assert.equal((await followReading(again)).state, 'done');
});

test('the offline reader follows to the next page, a provider does not', async t => {
  const { panel, tab } = await open(t, sidelight, site.url + SAMPLE, { welcomed: true });
  await followReading(panel);
  const next = `${site.url}/playground.html`;
  await tab.goto(next);
  await until(panel, url => globalThis.sidelight.export().page.url === url && document.body.dataset.state === 'done', next);
  await sidelight.prepare(settingsFor(dialect, server.url, 'plain'));
  await tab.bringToFront();
  await until(panel, () => !/offline reader is at work/.test(document.querySelector('#notices').innerText)); // it has heard
  const already = server.requests.length;
  await tab.goto(`${site.url}/`);
  await until(panel, () => /This reading belongs to/.test(document.querySelector('#notices').innerText));
  assert.equal(server.requests.length, already);
});

test('Escape stops an answer; what came stays, and the question can be asked anew', async t => {
  const { panel } = await openChat(t, 'stalls-first');
  await panel.keyboard.type('Slow?');
  await panel.keyboard.press('Enter');
  await until(panel, () => document.querySelector('.turn .prose')?.textContent);
  const { closed } = server.requests.at(-1);
  await panel.keyboard.press('Escape');
  await closed;
  await untilEnded(panel);
  assert.match(await text(panel, '.turn .remark'), /^Stopped/);
  assert.notEqual(await text(panel, '.turn .prose'), '');
  await clickIn(panel, '.turn:last-child', 'Edit');
  await until(panel, () => document.activeElement.value === 'Slow?');
  await panel.keyboard.type(' Once more.');
  const again = await asked(panel, () => panel.keyboard.press('Enter'));
  assert.equal(again.messages.at(-1).content, 'Slow? Once more.');
  assert.ok(!JSON.stringify(again.messages.slice(1)).includes('harbour grew'), 'what was cut off is not sent');
  await untilEnded(panel);
  assert.deepEqual(await panel.$$eval('.turn .prose', all => all.map(one => one.textContent)), ['Second.']);
});

test('a failure poisons nothing: the next question goes out with a clean history', async t => {
  const { panel } = await openChat(t, 'fails-first');
  await panel.keyboard.type('First?');
  await panel.keyboard.press('Enter');
  await untilEnded(panel);
  assert.match(await text(panel, '.turn .problem'), /The server is tired/);
  assert.deepEqual(await axeViolations(panel), []);
  await picture(panel, 'chat-error');
  await panel.keyboard.type('Second?');
  const next = await asked(panel, () => panel.keyboard.press('Enter'));
  assert.deepEqual(next.messages.filter(({ role }) => role !== 'system').map(({ content }) => content), ['Second?']);
  await untilEnded(panel, 2);
  const again = await asked(panel, () => clickIn(panel, '.turn:last-child', 'Retry'));
  assert.equal(again.messages.at(-1).content, 'Second?');
  await untilEnded(panel, 2);
  assert.equal(await text(panel, '.turn:last-child .prose'), 'Third.');
});

test('a passage from the context menu waits in the input, and nothing is sent before the reader does', async t => {
  await sidelight.prepare(settingsFor(dialect, server.url, 'plain'), { fresh: true });
  const tab = await sidelight.openPage(site.url + SAMPLE);
  t.after(() => tab.close());
  const already = server.requests.length;
  await leavePassage(sidelight, tab, 'The harbour has served the town');
  await tab.bringToFront();
  const panel = await sidelight.openPanel(tab);
  t.after(() => closePanel(sidelight, panel));
  await until(panel, () => document.querySelector('#chip')?.checkVisibility());
  assert.equal(await text(panel, '#chip'), 'About: “The harbour has served the town”');
  assert.equal(await panel.$eval('#tab-chat', tab => tab.getAttribute('aria-selected')), 'true');
  assert.equal(server.requests.length, already, 'the panel was opened to ask, so nothing was read');
  await panel.focus('#question');
  await panel.keyboard.type('Since when?');
  await picture(panel, 'chat-passage');
  const question = await asked(panel, () => panel.keyboard.press('Enter'));
  assert.match(question.messages.at(-1).content, /The harbour has served the town[^]*Since when\?$/);
  assert.match(question.messages[0].content, /<<<PAGE/);
  await untilEnded(panel);
  assert.match(await text(panel, '.turn .about'), /^About: “The harbour/);
  // An open panel hears of the next one too, and it can be taken away.
  await panel.evaluate(async () => {
    const [tab] = await chrome.tabs.query({ active: true, currentWindow: true });
    await chrome.storage.session.set({ askAbout: { tabId: tab.id, windowId: tab.windowId, selection: 'another passage', at: Date.now() } });
  });
  await until(panel, () => document.querySelector('#chip').innerText.includes('another passage'));
  await panel.click('#chip-remove');
  await until(panel, () => !document.querySelector('#chip').checkVisibility());
});

test('without a provider that is said before anything is typed, and what is typed stays', async t => {
  const { panel } = await open(t, sidelight, site.url + SAMPLE);
  await followReading(panel);
  await panel.click('#tab-chat');
  await until(panel, () => /can’t answer/.test(document.querySelector('#chat-blocked').innerText));
  await panel.keyboard.type('A question');
  await panel.keyboard.press('Enter');
  assert.equal(await panel.$eval('#question', input => input.value), 'A question');
  assert.equal(await panel.$$eval('.turn', turns => turns.length), 0);
  assert.deepEqual(await axeViolations(panel), []);
  await picture(panel, 'chat-offline');
});

test('three tabs by keyboard alone', async t => {
  const { panel } = await openChat(t, 'plain');
  await panel.focus('#tab-chat');
  const walked = [];
  for (const key of ['ArrowRight', 'ArrowRight', 'ArrowRight', 'ArrowLeft', 'ArrowRight']) {
    await panel.keyboard.press(key);
    walked.push(await panel.evaluate(() => document.activeElement.id));
  }
  assert.deepEqual(walked, ['tab-analysis', 'tab-highlights', 'tab-chat', 'tab-highlights', 'tab-chat']);
  const stops = [];
  for (let step = 0; step < 6; step++) {
    await panel.keyboard.press('Tab');
    stops.push(await panel.evaluate(() => document.activeElement.id || document.activeElement.textContent));
  }
  const ideas = ['What is the main point?', 'What speaks against it?', 'Explain it simply.'];
  assert.deepEqual(stops, ['chat-scroll', ...ideas, 'question', 'send']);
  await panel.keyboard.down('Shift');
  await panel.keyboard.press('Tab');
  await panel.keyboard.up('Shift');
  await panel.keyboard.type('Who?');
  await panel.keyboard.press('Enter');
  await untilEnded(panel);
  await panel.focus('.turn .turn-acts button');
  assert.equal(await panel.evaluate(() => document.activeElement.textContent), 'Copy');
});

test('what streams in moves neither the scroll nor the selection of a reader who reads elsewhere', async t => {
  const { panel } = await openChat(t, 'plain');
  await speakForWorker(panel);
  await panel.keyboard.type('Tell me.');
  await panel.keyboard.press('Enter');
  await say(panel, { type: 'text_delta', text: `${LONG}Begin` });
  await until(panel, () => document.querySelector('.turn .prose').textContent.endsWith('Begin'));
  await untilFollowed(panel);
  await panel.evaluate(() => {
    document.querySelector('#chat-scroll').scrollTop = 200;
    const text = document.querySelector('.turn .prose p').firstChild;
    getSelection().setBaseAndExtent(text, 2, text, 9);
  });
  const before = await whatIsRead(panel);
  await say(panel, { type: 'text_delta', text: 'ning.\n\n' });
  for (let n = 0; n < 20; n++) await say(panel, { type: 'text_delta', text: `Line ${n} of more.\n\n` });
  await say(panel, { type: 'done' });
  await untilEnded(panel);
  const after = await whatIsRead(panel);
  assert.ok(after.height > before.height + 100, 'more has come');
  assert.equal(before.selected.length, 7);
  assert.deepEqual([Math.round(after.top), after.selected], [Math.round(before.top), before.selected]);
});

/// The selection, where it stands in the window, and how much there is to scroll.
const whatIsRead = panel => panel.evaluate(() => ({
  selected: String(getSelection()), top: getSelection().getRangeAt(0).getBoundingClientRect().top,
  height: document.querySelector('#chat-scroll').scrollHeight,
}));

test('a long answer, light, dark and narrow', async t => {
  const { panel } = await openChat(t, 'long');
  await panel.keyboard.type('Tell me everything about the harbour, and be thorough.');
  await panel.keyboard.press('Enter');
  await untilEnded(panel);
  await untilFollowed(panel);
  for (const theme of ['light', 'dark']) {
    await wear(panel, theme);
    for (const width of [360, 320]) {
      await panel.setViewport({ width, height: 640 });
      assert.deepEqual(await axeViolations(panel), [], `${theme} ${width}`);
      assert.ok(await panel.evaluate(() => document.documentElement.scrollWidth <= innerWidth), 'scrolls sideways');
      await picture(panel, `chat-${theme}-${width}`);
    }
  }
  await panel.$eval('#chat-scroll', scroll => { scroll.scrollTop = 0; });
  await picture(panel, 'chat-top');
});

/// A panel on its chat tab, the page read, the focus in the input.
async function openChat(t, model, onTab) {
  const opened = await open(t, sidelight, site.url + SAMPLE, { ...settingsFor(dialect, server.url, model), welcomed: true, ...PRICES }, onTab);
  await followReading(opened.panel);
  await opened.panel.click('#tab-chat');
  return opened;
}

/// What the provider is asked when `act` is done: the body of the request.
async function asked(panel, act) {
  const already = server.requests.length;
  await act();
  await server.untilAsked(already + 1);
  return server.requests[already].body;
}

/// From now on the test speaks for the worker: what this worker does not say yet is shown all the same.
const speakForWorker = panel => panel.evaluate(() => {
  chrome.runtime.connect = () => {
    const listeners = [];
    const event = { addListener: listener => listeners.push(listener), removeListener: () => {} };
    const say = message => listeners.forEach(listener => listener(message));
    const disconnect = () => { if (globalThis.say === say) delete globalThis.say; }; // the next question has its own
    globalThis.say = say;
    return { onMessage: event, onDisconnect: { addListener: () => {}, removeListener: () => {} }, postMessage: () => {}, disconnect };
  };
});

/// Sends what a worker could send, as one message.
async function say(panel, ...events) {
  await until(panel, () => globalThis.say);
  await panel.evaluate(events => globalThis.say({ type: 'batch', events }), events);
}

const untilEnded = (panel, turns = 1) => until(panel, turns => document.querySelectorAll('.turn').length >= turns
  && !document.querySelector('.turn[data-running]'), turns);

/// An answer is followed to its end for as long as nobody scrolls.
const untilFollowed = panel => until(panel, () => {
  const { scrollTop, clientHeight, scrollHeight } = document.querySelector('#chat-scroll');
  return scrollTop + clientHeight >= scrollHeight - 2;
});

const text = (panel, selector) => panel.$eval(selector, element => element.innerText.trim());

const clickIn = (panel, selector, words) => until(panel, (selector, words) => {
  const button = [...document.querySelectorAll(`${selector} button`)].find(button => button.textContent === words);
  button?.click();
  return button;
}, selector, words);

/// What the worker does for "Ask about selection"; menus can't be opened from here.
async function leavePassage(sidelight, tab, selection) {
  const page = await sidelight.openExtensionPage('options/options.html');
  await page.evaluate(async selection => {
    const own = await chrome.tabs.getCurrent();
    const [tab] = (await chrome.tabs.query({})).filter(({ id }) => id < own.id).sort((a, b) => b.id - a.id);
    await chrome.storage.session.set({ askAbout: { tabId: tab.id, windowId: tab.windowId, selection, at: Date.now() } });
  }, selection);
  await page.close();
  await tab.bringToFront();
}
