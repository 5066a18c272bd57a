// The note beside a highlight: hover, focus, click, and that nothing in it can do harm.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { startBrowser } from "./harness.mjs";

let browser;
before(async () => (browser = await startBrowser()));
after(() => browser?.stop());

const LONG = `<div style="height:3000px"></div><p>Far down is the quoted phrase.</p><div style="height:3000px"></div>`;

async function withPage(html, use, headers) {
  const page = await browser.open(html, headers);
  try {
    await use(page);
  } finally {
    await page.tab.close();
  }
}
const paint = (page, phrases, more = {}) => page.run((...given) => globalThis.paint(...given), phrases, "r1", more);
const hosts = (page) => page.tab.evaluate(() => document.querySelectorAll("sidelight-note").length);
/** The box of the painted text. */
const box = (page) => page.tab.evaluate(() => {
  const rect = [...CSS.highlights.get("sidelight-bias")][0].getBoundingClientRect();
  return { x: rect.x + rect.width / 2, y: rect.y + rect.height / 2, top: rect.top, bottom: rect.bottom };
});
/** What the closed shadow root holds, by the debugger's eyes. */
const content = (page) => inside(page, async (cdp, shadow) =>
  (await cdp.send("DOM.getOuterHTML", { nodeId: shadow.nodeId })).outerHTML);
/** Where the note really stands in the window. */
const noteBox = (page) => inside(page, async (cdp, shadow) => {
  const note = shadow.children.find(({ localName }) => localName === "div");
  const { model: { border: [left, top, right, , , bottom] } } = await cdp.send("DOM.getBoxModel", { nodeId: note.nodeId });
  return { left, top, right, bottom, width: right - left };
});
async function inside(page, look) {
  const cdp = await page.tab.createCDPSession();
  const { root } = await cdp.send("DOM.getDocument", { depth: -1, pierce: true });
  const find = (node, name) => node.localName === name ? node :
    [...node.children ?? [], ...node.shadowRoots ?? []].map((child) => find(child, name)).find(Boolean);
  const seen = await look(cdp, find(root, "sidelight-note").shadowRoots[0]);
  await cdp.detach();
  return seen;
}

test("focus scrolls the phrase into the middle, shows its note, and says whether it is there", () => withPage(LONG, async (page) => {
  await page.tab.emulateMediaFeatures([{ name: "prefers-reduced-motion", value: "reduce" }]);
  await paint(page, ["the quoted phrase"]);
  const [isThere, pulsing] = await page.run(() => [
    globalThis.send({ type: "focus", reading: "r1", index: 0 }),
    [...CSS.highlights.get("sidelight-focus")].map(String).join(), // for a moment only
  ]);
  assert.deepEqual([isThere, pulsing], [true, "the quoted phrase"]);
  const { y } = await box(page);
  assert.ok(Math.abs(y - 350) < 40, `at ${y} of 700`);
  assert.match(await content(page), /Bias.*A note\./s);
  const [note, phrase] = [await noteBox(page), await box(page)];
  assert.ok(Math.abs(note.top - phrase.bottom) <= 10 && note.left <= phrase.x, `the note stands by its phrase: ${JSON.stringify({ note, phrase })}`);
  await page.until(() => CSS.highlights.get("sidelight-focus").size === 0);
  for (const other of [{ reading: "r1", index: 7 }, { reading: "r2", index: 0 }]) {
    assert.equal(await page.run((message) => globalThis.send({ type: "focus", ...message }), other), false);
  }
}));

test("focus scrolls the scrollers in between", () => withPage(`<div style="height:200px;overflow:auto">${LONG}</div>`, async (page) => {
  await page.tab.emulateMediaFeatures([{ name: "prefers-reduced-motion", value: "reduce" }]);
  await paint(page, ["the quoted phrase"]);
  await page.run(() => globalThis.send({ type: "focus", reading: "r1", index: 0 }));
  const { top, bottom } = await box(page);
  assert.ok(top > 0 && bottom < 210, `at ${top}`);
}));

test("hover shows the note, leaving and Escape hide it, a click activates", () => withPage(`<p>Here is the quoted phrase.</p><p style="margin-top:400px">Elsewhere</p>`, async (page) => {
  await paint(page, ["the quoted phrase"]);
  const { x, y } = await box(page);
  await page.tab.mouse.move(x, y);
  await page.until(() => document.querySelectorAll("sidelight-note").length === 1);
  await page.tab.mouse.move(x, y + 400);
  await page.until(() => document.querySelectorAll("sidelight-note").length === 0);
  await page.tab.mouse.move(x, y);
  await page.until(() => document.querySelectorAll("sidelight-note").length === 1);
  await page.tab.keyboard.press("Escape");
  assert.equal(await hosts(page), 0);
  await page.tab.mouse.click(x, y);
  await page.until(() => globalThis.sent.at(-1).type === "activated");
  assert.deepEqual(await page.run(() => globalThis.sent.at(-1)), { type: "activated", reading: "r1", index: 0 });
  await page.tab.mouse.click(x, y + 300);
  assert.equal(await page.run(() => globalThis.sent.filter(({ type }) => type === "activated").length), 1);
}));

const MARKUP = `<img src=x onerror="document.title='pwned'"><script>document.title='pwned'</script>`;
test("markup in a note is text, on a page with the strictest policy too", () => withPage(`<p>Here is the quoted phrase.</p>`, async (page) => {
  await paint(page, ["the quoted phrase"], { note: MARKUP, label: MARKUP, source: MARKUP, source_url: "javascript:alert(1)", verified: true });
  await page.run(() => globalThis.send({ type: "focus", reading: "r1", index: 0 }));
  const html = await content(page);
  assert.ok(!/<(img|script|a)\b/.test(html), html);
  assert.match(html, /&lt;img/);
  assert.match(html, /unverified source/);
  assert.equal(await page.tab.title(), "");
  const size = await noteBox(page);
  assert.ok(size.width > 100 && size.width <= 320 && size.left >= 0 && size.right <= 900 && size.bottom <= 700, JSON.stringify(size));
}, { "content-security-policy": "default-src 'none'; require-trusted-types-for 'script'; trusted-types 'none'" }));

test("only a verified source is a link", () => withPage(`<p>Here is the quoted phrase.</p>`, async (page) => {
  const shown = async (more) => {
    await paint(page, ["the quoted phrase"], { source: "The Record", source_url: "https://example.org/r", ...more });
    await page.run(() => globalThis.send({ type: "focus", reading: "r1", index: 0 }));
    return content(page);
  };
  assert.match(await shown({ verified: true }), /<a href="https:\/\/example\.org\/r" target="_blank" rel="noopener noreferrer">The Record<\/a>/);
  await page.tab.keyboard.press("Escape");
  const unverified = await shown({ verified: false });
  assert.ok(!unverified.includes("<a ") && unverified.includes("The Record (unverified source)"));
}));

test("a page's style can't reach the note", () => withPage(`<style>* { display: none !important } html, body, p { display: block !important }
    sidelight-note { opacity: 0 !important; width: 2px !important }</style><p>Here is the quoted phrase.</p>`, async (page) => {
  await paint(page, ["the quoted phrase"]);
  await page.run(() => globalThis.send({ type: "focus", reading: "r1", index: 0 }));
  const style = await page.tab.evaluate(() => {
    const { display, opacity } = getComputedStyle(document.querySelector("sidelight-note"));
    return { display, opacity };
  });
  assert.deepEqual(style, { display: "block", opacity: "1" });
}));
