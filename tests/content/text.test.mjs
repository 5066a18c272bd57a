// What the script reads of a page.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { startBrowser } from "./harness.mjs";

let browser;
before(async () => (browser = await startBrowser()));
after(() => browser?.stop());

const BLOCK = 1, MAIN = 2, CODE = 4, LINK = 8, HEADING = 16, QUOTE = 32, BREAK = 64, FRAME = 128;

/** The snapshot of a page and its text as lines, one a block. */
async function read(html, prepare = () => {}) {
  const page = await browser.open(html);
  await page.run(prepare);
  const snapshot = await page.run(() => globalThis.send({ type: "extract" }));
  await page.tab.close();
  const nodes = [];
  let at = 0;
  for (let i = 0; i < snapshot.nodes.length; i += 2) {
    const [length, flags] = snapshot.nodes.slice(i, i + 2);
    nodes.push({ text: snapshot.text.slice(at, at + length), flags });
    at += length;
  }
  assert.equal(at, snapshot.text.length, "the nodes cover the text");
  const lines = (keep) => nodes.filter(keep)
    .reduce((text, node) => text + (node.flags & BLOCK ? "\n" : "") + node.text.replace(/\s+/g, " "), "")
    .split("\n").map((line) => line.trim()).filter(Boolean);
  return { ...snapshot, nodes, lines: lines(() => true), mainLines: lines(({ flags }) => flags & MAIN) };
}

test("a form whose fields bear the names of the DOM is read like any other", async () => {
  const names = ["nextSibling", "firstChild", "nodeType", "localName", "getAttribute", "hasAttribute", "querySelector",
    "textContent", "childNodes", "id", "append", "contains", "shadowRoot", "getBoundingClientRect", "clientWidth"];
  const fields = names.map((name) => `<input name="${name}"><fieldset id="${name}"></fieldset>`).join("");
  const page = await read(`<p>Before.</p><form style="position:relative">${fields}<p>Inside.</p></form><p>After.</p>`);
  assert.deepEqual(page.lines, ["Before.", "Inside.", "After."]);
});

test("inline elements glue, blocks, breaks and cells part", async () => {
  const page = await read(`<p>The <b>ear</b>th is <a href="/x">not</a> flat.</p><div>exam</div><div>ple</div>
    <ul><li>one<li>two</ul><p>Some one<br>Some two</p><table><tr><td>Price</td><td>$10</td></tr></table>
    <p><span style="float:left">D</span>rop cap</p><p><a style="float:left">A1</a><a style="float:left">B2</a></p>`);
  assert.deepEqual(page.lines, ["The earth is not flat.", "exam", "ple", "one", "two", "Some one", "Some two", "Price", "$10", "Drop cap", "A1", "B2"]);
  assert.equal(page.nodes.find(({ text }) => text === "Some two").flags & (BLOCK | BREAK), BLOCK | BREAK);
  assert.equal(page.nodes.find(({ text }) => text === "ple").flags & BREAK, 0);
});

const FILLER = "<p>What everyone can see on this page.</p>";
for (const [name, html] of Object.entries({
  "display none": `<p style="display:none">secret</p>`,
  "hidden attribute": `<p hidden>secret</p>`,
  "by a style sheet": `<style>.x{display:none}</style><p class="x">secret</p>`,
  visibility: `<p style="visibility:hidden">secret</p>`,
  "opacity 0": `<div style="opacity:0"><p>secret</p></div>`,
  "font size 0": `<p style="font-size:0">secret</p>`,
  "off screen": `<p style="position:absolute;left:-9999px">secret</p>`,
  "text indent": `<p style="text-indent:-9999px">secret</p>`,
  clip: `<span style="position:absolute;clip:rect(0,0,0,0)">secret</span>`,
  "clip path": `<span style="position:absolute;clip-path:inset(50%)">secret</span>`,
  "no size": `<div style="height:0;overflow:hidden">secret</div>`,
  "same colour": `<p style="color:#fff">secret</p>`,
  "same colour on a box": `<div style="background:#123456"><p style="color:#123456">secret</p></div>`,
  "transparent ink": `<p style="color:transparent">secret</p>`,
  "closed details": `<details><summary>More</summary><p>secret</p></details>`,
  "aria-hidden": `<p aria-hidden="true">secret</p>`,
})) {
  test(`hidden text is left out and counted: ${name}`, async () => {
    const page = await read(FILLER + html);
    assert.ok(!page.text.includes("secret"));
    assert.equal(page.hidden, 1);
    assert.ok(page.lines.includes("What everyone can see on this page."));
  });
}

test("what only looks hidden is read", async () => {
  const page = await read(`<div style="visibility:hidden"><p style="visibility:visible">one</p></div>
    <div style="font-size:0"><p style="font-size:16px">two</p></div>
    <div style="background:#000"><p style="color:#fff">three</p></div>
    <div style="background:url(x.png)"><p style="color:#fff">four</p></div>
    <div aria-hidden="true"><main><h1>five</h1></main></div><details open><summary>More</summary><p>six</p></details>
    <div style="display:contents"><p>seven</p></div>`);
  assert.deepEqual(page.lines, ["one", "two", "three", "four", "five", "More", "six", "seven"]);
  assert.equal(page.hidden, 0);
});

test("text nobody renders is not text", async () => {
  const page = await read(`${FILLER}<script>let a = "code";</script><style>p{}</style><textarea>typed</textarea>
    <select><option>choice</option></select><noscript>none</noscript><!-- comment --><svg><text>drawn</text></svg>
    <p>漢<ruby>字<rt>じ</rt></ruby></p><template>later</template>`);
  assert.deepEqual(page.lines, ["What everyone can see on this page.", "漢字"]);
});

test("tag characters are counted, flags of regions are not", async () => {
  const page = await read(`<p>Seen\u{E0041}\u{E0042}\u{E0043} and \u{1F3F4}\u{E0067}\u{E0062}\u{E0065}\u{E006E}\u{E0067}\u{E007F}.</p>`);
  assert.equal(page.hidden, 1);
});

test("open shadow roots and slots are read as shown", async () => {
  const page = await read(`<x-card><b slot="title">Title</b>body text</x-card><script>
    customElements.define("x-card", class extends HTMLElement { constructor() { super();
      this.attachShadow({ mode: "open" }).innerHTML = "<h2><slot name=title></slot></h2><p>before <slot></slot> after</p>"; } });
    </script>`);
  assert.deepEqual(page.lines, ["Title", "before body text after"]);
});

test("lone surrogates become U+FFFD and keep the offsets", async () => {
  const page = await read(`<p id="p">x</p><script>p.textContent = "a\\ud83d b 😀 c";</script>`);
  assert.equal(page.text, "a\ufffd b 😀 c");
});

const article = (inside) => `<title>Rivers of the north - The Paper</title><header><p>The Paper</p></header>
  <nav><a href="/a">Home</a> <a href="/b">World</a></nav><article><h1>Rivers of the north</h1>${inside}</article>
  <aside><p>Most read today: ten things about cats</p></aside><div class="cookie-banner"><p>We value your privacy, accept all cookies</p></div>
  <div id="comments"><p>First comment by a reader of the paper</p></div><footer><p>Imprint and contact</p></footer>`;
const paragraphs = Array.from({ length: 8 }, (_, i) => `<p>Paragraph ${i} tells of a river, its banks, and the people who
  have lived along it for a long time, with a <a href="https://example.org/${i}#part">source ${i}</a>.</p>`).join("");

test("the main content is the article with its headline, without what stands around it", async () => {
  const page = await read(article(paragraphs));
  assert.equal(page.main, "readability");
  assert.equal(page.mainLines[0], "Rivers of the north");
  assert.equal(page.mainLines.length, 9);
  assert.ok(page.lines.includes("Home World"), "the rest is still there for anchoring");
  assert.deepEqual(page.links[3], ["source 3", "https://example.org/3#part"]);
  assert.equal(page.links.length, 8);
});

test("a class on the whole page does not make it a sidebar", async () => {
  const page = await read(`<html class="sidebar-visible"><body class="comments-open">${article(paragraphs)}`);
  assert.deepEqual([page.main, page.mainLines[0], page.mainLines.length], ["readability", "Rivers of the north", 9]);
});

test("paragraphs that are mere divisions are main content, whatever is dressed in them", async () => {
  const words = "The river rises in the hills, runs past the mill, and reaches the sea after a hundred miles. ".repeat(4);
  const page = await read(`<title>Rivers</title><nav>Menu</nav><div class="text">${
    Array.from({ length: 6 }, (_, i) => `<div>Plain ${i}: ${words}</div><div>Dressed ${i}: <b>${words}</b> ${words}</div>`).join("")}</div>`);
  assert.equal(page.main, "readability");
  assert.deepEqual(page.mainLines, page.lines.filter((line) => line !== "Menu"));
});

test("a frame's place is told, those of specks and advertisements are not", async () => {
  const frame = (more) => `<iframe srcdoc="<p>Inside.</p>" ${more}></iframe>`;
  const page = await read(`<p>Before.</p>${frame(`width="300" height="250"`)}${frame(`width="1" height="1"`)}
    ${frame(`width="600" height="300" title="Advertisement"`)}${frame(`width="600" height="300" hidden`)}
    ${frame(`width="600" height="300"`)}<p>After.</p>`);
  assert.deepEqual([page.embeds, page.path], [[4], []]);
  assert.deepEqual(page.nodes.map(({ text, flags }) => text || flags & FRAME), ["Before.", FRAME, "After."]);
  assert.deepEqual(page.lines, ["Before.", "After."], "the frame's text is its own to tell");
});

test("closed shadow trees are read in place of what they hide", async () => {
  const page = await read(`<p>Light.</p><x-note>fallback</x-note><div id="plain"></div>`, () => {
    for (const [el, words] of [[document.querySelector("x-note"), "Closed."], [document.getElementById("plain"), "Plain."]]) {
      const root = el.attachShadow({ mode: "closed" });
      root.append(document.createElement("p"));
      root.firstChild.textContent = words;
      globalThis.closedRoots.set(el, root);
    }
  });
  assert.deepEqual(page.lines, ["Light.", "Closed.", "Plain."]);
});

test("where Readability fails all visible text but the page's furniture stands in", async () => {
  const page = await read(`<nav><a href="/a">Home</a></nav><div>Sum</div><div>12</div>`, () => {
    globalThis.Readability = class { parse() { return null; } };
  });
  assert.equal(page.main, "visible_text");
  assert.deepEqual(page.mainLines, ["Sum", "12"]);
});

test("at most 40 links, http and https only", async () => {
  const many = Array.from({ length: 60 }, (_, i) => `<a href="https://example.org/${i}">link ${i}</a>`).join(" and then ");
  const page = await read(article(`<p><a href="javascript:alert(1)">script</a> <a href="#here">here</a> <a href="data:text/html,x">data</a> ${many}</p>${paragraphs}`));
  assert.equal(page.links.length, 40);
  assert.ok(page.links.every(([, url]) => url.startsWith("https://example.org/")));
});

test("deep and wide pages are read in a moment", async () => {
  const deep = await read(`${"<div>".repeat(2000)}<p>The bottom.</p>`);
  assert.deepEqual(deep.lines, ["The bottom."]);
  const wide = await read(Array.from({ length: 3000 }, (_, i) => `<p style="color:#fff">white ${i}</p>`).join("") + "<p>Seen.</p>");
  assert.deepEqual([wide.lines, wide.hidden, wide.truncated], [["Seen."], 3000, false]);
});

/** Reads a page by a clock that a step of the walk moves on by a millisecond; `atPause` is what the page does in a pause. */
async function readPaused(html, atPause) {
  const page = await browser.open(html);
  const answer = await page.run(`async () => {
    let now = 0, pauses = 0;
    const atPause = ${atPause};
    performance.now = () => (now += 1);
    scheduler.postTask = async () => { now += atPause(pauses++) ?? 0; };
    const snapshot = await globalThis.send({ type: "extract" });
    return { snapshot, pauses, left: { text: document.body.textContent } };
  }`);
  await page.tab.close();
  return answer;
}
const numbered = (count) => Array.from({ length: count }, (_, i) => `<p>Paragraph ${i}.</p>`).join("");
const numbersOf = ({ text }) => [...text.matchAll(/Paragraph (\d+)\./g)].map(([, number]) => Number(number));

test("a page that is read in slices is read as in one piece", async () => {
  const { snapshot, pauses } = await readPaused(numbered(3000), () => 0);
  assert.ok(pauses > 10, `${pauses} pauses`);
  assert.deepEqual(numbersOf(snapshot), Array.from({ length: 3000 }, (_, i) => i));
});

test("what is replaced while it is read is read once, and nothing behind it is lost", async () => {
  const { snapshot, pauses } = await readPaused(`<main>${numbered(3000)}</main>`, () => {
    // As a page does that brings its own elements where the server's stood.
    for (const p of document.querySelectorAll("p")) p.replaceWith(p.cloneNode(true));
  });
  assert.ok(pauses > 2, `${pauses} pauses`);
  assert.deepEqual([numbersOf(snapshot), snapshot.hidden], [Array.from({ length: 3000 }, (_, i) => i), 0]);
});

test("what is removed here and there while it is read takes nothing else along", async () => {
  const { snapshot, pauses, left } = await readPaused(numbered(3000), (pause) =>
    document.querySelectorAll("p").forEach((p, i) => i % 40 === pause % 40 && p.remove()));
  assert.ok(pauses > 10, `${pauses} pauses`);
  const read = numbersOf(snapshot);
  assert.ok(read.every((number, i) => i === 0 || number > read[i - 1]), "in order and once");
  assert.deepEqual(numbersOf(left).filter((number) => !read.includes(number)), [], "all that is left was read");
});

test("what is gone when its turn comes is not read, nor counted as hidden", async () => {
  const { snapshot } = await readPaused(`<main>${numbered(3000)}</main><p>The end.</p>`, () => document.querySelector("main")?.remove());
  assert.deepEqual([snapshot.text, snapshot.hidden], ["The end.", 0]);
});

test("a page that lets us wait is read in longer slices", async () => {
  const count = async (wait) => (await readPaused(numbered(20_000), `() => ${wait}`)).pauses;
  const [quick, slow] = [await count(0), await count(400)];
  assert.ok(quick > 50, `${quick} pauses`);
  assert.ok(slow <= quick / 5, `${slow} pauses`);
});

test("a page that grows faster than it is read comes to an end", async () => {
  const { snapshot } = await readPaused("<p>The beginning.</p>", () => {
    for (let i = 0; i < 2000; i += 1) document.body.append(document.createElement("meta"));
  });
  assert.ok(!snapshot.truncated && snapshot.text.startsWith("The beginning."));
});

test("where there is too much for Readability all visible text stands in", async () => {
  const page = await read(`<main>${`<p class="line"><b class="word">One</b> more</p>`.repeat(26_000)}</main><nav>Menu</nav>`);
  assert.equal(page.main, "visible_text");
  assert.deepEqual([page.mainLines.length, page.lines.length], [26_000, 26_001]);
});

test("flags tell code, links, headings and quotations", async () => {
  const page = await read(`<h2>head</h2><pre>code</pre><p><a href="/x">link</a></p><blockquote>quote</blockquote>`);
  const flags = Object.fromEntries(page.nodes.map(({ text, flags }) => [text, flags]));
  assert.ok(flags.head & HEADING && flags.code & CODE && flags.link & LINK && flags.quote & QUOTE);
});

test("a page whose policy forbids everything is read and stays as it is", async () => {
  const page = await browser.open(article(paragraphs), {
    "content-security-policy": "default-src 'none'; require-trusted-types-for 'script'; trusted-types 'none'",
  });
  const html = await page.tab.evaluate(() => document.documentElement.outerHTML);
  const snapshot = await page.run(() => globalThis.send({ type: "extract" }));
  assert.equal(snapshot.main, "readability");
  assert.equal(await page.tab.evaluate(() => document.documentElement.outerHTML), html);
  await page.tab.close();
});

test("the selection, language, title and address come along", async () => {
  const page = await browser.open(`<html lang="fr"><title>T</title><p id="p">Some selected words</p>`);
  const snapshot = await page.run(() => {
    getSelection().selectAllChildren(document.getElementById("p"));
    location.hash = "part";
    return globalThis.send({ type: "extract" });
  });
  assert.deepEqual([snapshot.selection, snapshot.lang, snapshot.title], ["Some selected words", "fr", "T"]);
  assert.ok(!snapshot.url.includes("#"));
  await page.tab.close();
});
