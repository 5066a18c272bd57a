// What the script paints, and that it stays painted while the page lives its own life.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { startBrowser } from "./harness.mjs";

let browser;
before(async () => (browser = await startBrowser()));
after(() => browser?.stop());

async function withPage(html, use, headers) {
  const page = await browser.open(html, headers);
  try {
    await use(page);
  } finally {
    await page.tab.close();
  }
}
const paint = (page, ...args) => page.run((...given) => globalThis.paint(...given), ...args);
const report = (page) => page.run(() => globalThis.send({ type: "report" }).map(({ text }) => text));
const painted = (page, text) => page.until((expected) => globalThis.send({ type: "report" }).every((item) => item.text === expected), text);

for (const [name, html, phrase, covered] of [
  ["inline elements", `<p>The <b>earth</b> is <a href="/">not</a> flat.</p>`, "earth is not flat", "earth is not flat"],
  ["a line break", `<p>Some one<br>Some two</p>`, "Some oneSome two", "Some one Some two"],
  ["Japanese over a line break", `<p>日本<br>民話</p>`, "日本民話", "日本民話"],
  ["a block boundary", `<p>It ends.</p><p>It begins.</p>`, "ends.It begins", "ends. It begins"],
  ["upper case by style", `<p style="text-transform:uppercase">breaking news</p>`, "breaking news", "breaking news"],
  ["white space", `<p>ten&nbsp;million   people</p>`, "ten\u00a0million   people", "ten\u00a0million   people"],
  ["soft hyphens", `<p>super&shy;cali</p>`, "super\u00adcali", "super\u00adcali"],
  ["right to left", `<p dir="rtl">هذا <b>نص</b> عربي</p>`, "هذا نص عربي", "هذا نص عربي"],
  ["emoji and marks", `<p>a 👩‍🚀 e\u0301 b</p>`, "👩‍🚀 e\u0301", "👩‍🚀 e\u0301"],
]) {
  test(`painted ranges cover their phrase: ${name}`, () => withPage(html, async (page) => {
    assert.deepEqual(await paint(page, [phrase]), [covered]);
    assert.equal(await page.tab.evaluate(() => [...CSS.highlights.get("sidelight-bias")].length > 0), true);
  }));
}

test("painting leaves the page's DOM as it was", () => withPage(`<p>One <b>two</b> three.</p>`, async (page) => {
  const html = () => page.tab.evaluate(() => document.documentElement.outerHTML);
  const before = await html();
  await paint(page, ["two three"]);
  assert.equal(await html(), before);
  await page.run(() => globalThis.send({ type: "focus", reading: "r1", index: 0 }));
  assert.notEqual(await html(), before, "a tooltip shows");
  await page.tab.keyboard.press("Escape");
  assert.equal(await html(), before);
}));

test("every paint is reported", () => withPage(`<p>One two three.</p>`, async (page) => {
  await paint(page, ["two", "not there"]);
  const sent = await page.run(() => globalThis.sent);
  assert.deepEqual(sent.at(-1), { type: "painted", reading: "r1", items: [{ index: 0, text: "two" }, { index: 1, text: "" }] });
}));

test("anchors of a forgotten snapshot paint nothing wrong", () => withPage(`<p id="p">One two three.</p>`, async (page) => {
  const texts = await page.run(async () => {
    const { generation } = await globalThis.send({ type: "extract" });
    document.getElementById("p").firstChild.data = "Now something else.";
    globalThis.send({ type: "paint", reading: "r", generation, items: [
      { index: 0, phrase: "two", category: "bias", label: "", note: "", source: "", source_url: "", verified: false, anchor: { start: 4, end: 7 } },
      { index: 1, phrase: "x", category: "bias", label: "", note: "", source: "", source_url: "", verified: false, anchor: { start: 9, end: 99999 } },
    ] });
    return globalThis.send({ type: "report" }).map(({ text }) => text);
  });
  assert.deepEqual(texts, ["", ""]);
}));

test("marks go by the reading asked for last, however long one before it takes", () => withPage(
  `<main>${"<p>Some words.</p>".repeat(20_000)}</main><p>The quoted phrase.</p>`, async (page) => {
    const texts = await page.run(async () => {
      const first = globalThis.send({ type: "extract" });
      document.querySelector("main").style.display = "none"; // what is left is read in no time
      const [{ generation }] = await Promise.all([globalThis.send({ type: "extract" }), first]);
      globalThis.send({ type: "paint", reading: "r", generation, items: [
        { index: 0, phrase: "quoted", category: "bias", label: "", note: "", source: "", source_url: "", verified: false, anchor: { start: 4, end: 10 } },
      ] });
      return globalThis.send({ type: "report" }).map(({ text }) => text);
    });
    assert.deepEqual(texts, ["quoted"]);
  }));

test("a new reading clears the one before, clear clears all", () => withPage(`<p>One two three.</p>`, async (page) => {
  await paint(page, ["One"], "r1");
  await paint(page, ["three"], "r2");
  const ranges = () => page.tab.evaluate(() => [...CSS.highlights.get("sidelight-bias") ?? []].map(String));
  assert.deepEqual(await ranges(), ["three"]);
  await page.run(() => globalThis.send({ type: "clear" }));
  assert.deepEqual(await ranges(), []);
  assert.equal(await page.tab.evaluate(() => [...CSS.highlights.keys()].some((name) => name.startsWith("sidelight"))), false);
}));

for (const [name, change] of [
  ["innerHTML set to itself", () => (document.body.innerHTML = document.body.innerHTML)],
  ["the text replaced", () => (document.querySelector("p").firstChild.nodeValue = "Before it stands the quoted phrase again.")],
  ["text put before it", () => document.body.prepend("Something new. ")],
  ["taken away and put back", () => {
    const p = document.querySelector("p");
    p.remove();
    setTimeout(() => document.body.append(p), 400);
  }],
]) {
  test(`highlights survive: ${name}`, () => withPage(`<p>Here is the quoted phrase, and more.</p>`, async (page) => {
    await paint(page, ["the quoted phrase"]);
    await page.tab.evaluate(change);
    await painted(page, "the quoted phrase");
    assert.deepEqual(await page.tab.evaluate(() => [...CSS.highlights.get("sidelight-bias")].map(String)), ["the quoted phrase"], "once");
  }));
}

test("a search anew says beside what each phrase stood", () => withPage(
  `<h2>The mayor</h2><p>She <i>said a</i> free press matters, and much more that is too far away to be told.</p>`, async (page) => {
    await paint(page, ["a free press", "never there"]);
    await page.tab.evaluate(() => document.body.prepend("Something new. "));
    await page.tab.evaluate(() => document.querySelector("p").append(" And more."));
    await page.tab.evaluate(() => { document.querySelector("p").innerHTML += ""; });
    await page.until(() => globalThis.sent.some(({ type }) => type === "anchor"));
    const { around } = await page.run(() => globalThis.sent.find(({ type }) => type === "anchor"));
    assert.deepEqual(around, [["The mayor She said ", " matters, and much more that is "], ["", ""]]);
  }));

test("what was not on the page is found when it comes, and what goes is reported", () => withPage(`<p>Here.</p>`, async (page) => {
  assert.deepEqual(await paint(page, ["a late phrase"]), [""]);
  await page.tab.evaluate(() => document.body.insertAdjacentHTML("beforeend", "<p>And a late phrase.</p>"));
  await painted(page, "a late phrase");
  await page.tab.evaluate(() => document.body.lastChild.remove());
  await page.until(() => globalThis.sent.at(-1).type === "painted" && globalThis.sent.at(-1).items[0].text === "");
}));

test("a page that never rests costs little", () => withPage(`<p>Here is the quoted phrase.</p><pre id="log"></pre>`, async (page) => {
  await paint(page, ["the quoted phrase", "never there"]);
  const asked = await page.run(async () => {
    const { runtime } = globalThis.chrome, times = [];
    const { sendMessage } = runtime;
    runtime.sendMessage = (message) => {
      if (message.type === "anchor") times.push(performance.now());
      return sendMessage.call(runtime, message);
    };
    while (times.length < 4) {
      for (let i = 0; i < 20; i += 1) document.getElementById("log").append(`line ${i}\n`);
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    return times;
  });
  // Each look that brings nothing doubles the wait for the next, whatever else the machine does.
  for (const [n, least] of [400, 800, 1600].entries()) {
    assert.ok(asked[n + 1] - asked[n] >= least, `asked at ${asked.map(Math.round)}`);
  }
  assert.deepEqual(await report(page), ["the quoted phrase", ""]);
}));

test("highlights the page cleared come back, the page's own stay", () => withPage(`<p>Here is the quoted phrase.</p>`, async (page) => {
  await paint(page, ["the quoted phrase"]);
  await page.tab.evaluate(() => {
    CSS.highlights.clear();
    CSS.highlights.set("own", new Highlight());
    CSS.highlights.set("sidelight-bias", new Highlight());
  });
  await page.until(() => CSS.highlights.get("sidelight-bias")?.size === 1);
  assert.ok(await page.tab.evaluate(() => CSS.highlights.has("own")));
}));

test("injected twice it listens once", () => withPage(`<p>Here.</p>`, async (page) => {
  await paint(page, ["Here"]);
  await page.inject();
  await page.inject();
  assert.equal(await page.run(() => globalThis.listeners.size), 1);
  assert.deepEqual(await report(page), ["Here"]);
}));

test("after an extension reload the orphan goes and the new script takes over", () => withPage(`<p>Here is text.</p>`, async (page) => {
  await paint(page, ["Here"]);
  await page.run(() => delete globalThis.chrome.runtime.id);
  const next = await page.again();
  assert.equal(await page.run(() => globalThis.listeners.size), 0);
  assert.equal(await page.tab.evaluate(() => CSS.highlights.size), 0);
  assert.deepEqual(await next.run(() => globalThis.paint(["text"], "r2")), ["text"]);
}));

test("a hostile page can't end it", () => withPage(`<p>Here.</p>`, async (page) => {
  await paint(page, ["Here"]);
  await page.tab.evaluate(() => document.dispatchEvent(new CustomEvent("sidelight-takeover")));
  assert.deepEqual(await report(page), ["Here"]);
}));

test("unknown messages are not answered", () => withPage(`<p>Here.</p>`, async (page) => {
  for (const message of [{ type: "constructor" }, { type: "" }, {}, null, { type: "__proto__" }]) {
    assert.equal(await page.run((given) => globalThis.send(given), message), undefined);
  }
}));

test("text in an open shadow root is painted with the page's style", () => withPage(`<x-a></x-a><script>
    customElements.define("x-a", class extends HTMLElement { constructor() { super();
      this.attachShadow({ mode: "open" }).innerHTML = "<p>shadow phrase here</p>"; } });</script>`, async (page) => {
  assert.deepEqual(await paint(page, ["shadow phrase"]), ["shadow phrase"]);
  const colour = await page.tab.evaluate(() => {
    const p = document.querySelector("x-a").shadowRoot.querySelector("p");
    return getComputedStyle(p, "::highlight(sidelight-bias)").backgroundColor;
  });
  assert.equal(colour, "rgba(255, 200, 0, 0.4)");
  await page.tab.evaluate(() => {
    const root = document.querySelector("x-a").shadowRoot;
    root.innerHTML = String(root.innerHTML);
  });
  await painted(page, "shadow phrase");
}));
