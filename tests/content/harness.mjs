// Runs the real content script in headless Chromium on plain pages, in a world of its own as Chrome does, with a
// stand-in for `chrome`.

import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import puppeteer from "puppeteer-core";

const root = new URL("../../", import.meta.url);
const require = createRequire(import.meta.url);
// What is injected stands in one place.
const [, list] = /const SCRIPTS: [^=]*= &\[([^\]]*)\]/.exec(await readFile(new URL("modules/browser/src/page.rs", root), "utf8"));
const SCRIPTS = [...list.matchAll(/"([^"]+)"/g)].map(([, file]) => file === "pkg/Readability.js" ?
  require.resolve("@mozilla/readability/Readability.js") : new URL(`extension/${file}`, root));
const TEXTS = await readFile(new URL("extension/_locales/en/messages.json", root), "utf8");
const STYLE = ["misinformation", "emotional", "bias", "supported", "logical", "focus"]
  .map((name) => `::highlight(sidelight-${name}) { background-color: rgb(255 200 0 / .4); }`).join("\n");

/** The stand-in: what the script sent is in `sent`; the worker anchors by plain search. */
function standIn(texts) {
  const listeners = new Set();
  globalThis.sent = [];
  globalThis.listeners = listeners;
  const anchor = (text, phrase) => {
    const start = text.indexOf(phrase);
    return start < 0 ? null : { start, end: start + phrase.length };
  };
  globalThis.closedRoots = new WeakMap();
  globalThis.chrome = {
    dom: { openOrClosedShadowRoot: (el) => el.shadowRoot ?? globalThis.closedRoots.get(el) ?? null },
    i18n: { getMessage: (key, args) => texts[key].message.replaceAll(/\$(\d)/g, (_, place) => args[place - 1]) },
    runtime: {
      id: "stand-in",
      onMessage: {
        addListener: (listener) => listeners.add(listener),
        removeListener: (listener) => listeners.delete(listener),
      },
      sendMessage: async (message) => {
        globalThis.sent.push(message);
        if (message.type !== "anchor") return undefined;
        return { type: "anchors", anchors: message.phrases.map((phrase) => anchor(message.snapshot.text, phrase)) };
      },
    },
  };
  /** The answer, or a promise of it when the listener said that it is yet to come. */
  globalThis.send = (message) => {
    const { promise, resolve } = Promise.withResolvers();
    let answer, isToCome = false;
    const hear = (value) => resolve(answer = value);
    for (const listener of listeners) isToCome = listener(JSON.parse(JSON.stringify(message)), {}, hear) || isToCome;
    return isToCome ? promise : answer;
  };
  globalThis.paint = async (phrases, reading = "r1", more = {}) => {
    const snapshot = await globalThis.send({ type: "extract" });
    globalThis.send({ type: "paint", reading, generation: snapshot.generation, items: phrases.map((phrase, index) => ({
      index, phrase, category: "bias", label: "⚖ Bias / Framing", note: "A note.", source: "", source_url: "",
      verified: false, anchor: anchor(snapshot.text, phrase), ...more,
    })) });
    return globalThis.send({ type: "report" }).map(({ text }) => text);
  };
}

/** A browser and a server for pages; `serve(html, headers)` answers an address. */
export async function startBrowser() {
  const pages = new Map();
  const server = createServer((request, response) => {
    const page = pages.get(request.url);
    response.writeHead(page ? 200 : 404, { "content-type": "text/html; charset=utf-8", ...page?.headers });
    response.end(page?.html ?? "");
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  const browser = await puppeteer.launch({
    executablePath: process.env.CHROME ?? "/usr/bin/chromium",
    args: ["--no-sandbox", "--disable-dev-shm-usage", "--host-resolver-rules=MAP * 127.0.0.1:9, EXCLUDE 127.0.0.1"],
    pipe: true,
    protocolTimeout: 300_000,
  });
  const sources = await Promise.all(SCRIPTS.map((file) => readFile(file, "utf8")));
  return {
    /** Opens a page in a tab with the script in it. */
    async open(html, headers = {}) {
      const path = `/${pages.size}`;
      pages.set(path, { html, headers });
      const tab = await browser.newPage();
      await tab.setViewport({ width: 900, height: 700 });
      await tab.goto(`http://127.0.0.1:${server.address().port}${path}`, { waitUntil: "domcontentloaded", timeout: 120_000 });
      return isolated(tab, sources);
    },
    async stop() {
      await browser.close();
      server.close();
      server.closeAllConnections();
    },
  };
}

async function isolated(tab, sources) {
  const cdp = await tab.createCDPSession();
  await cdp.send("Page.enable");
  const { frameTree } = await cdp.send("Page.getFrameTree");
  const world = async () => (await cdp.send("Page.createIsolatedWorld", {
    frameId: frameTree.frame.id, worldName: `sidelight ${Math.random()}`, grantUniveralAccess: true,
  })).executionContextId;
  const evaluate = async (contextId, expression) => {
    const { result, exceptionDetails } = await cdp.send("Runtime.evaluate", {
      expression, contextId, awaitPromise: true, returnByValue: true,
    });
    if (exceptionDetails) throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text);
    return result.value;
  };
  const start = async () => {
    const contextId = await world();
    await evaluate(contextId, `(${standIn})(${TEXTS})`);
    const handle = {
      /** Runs a function in the script's world. */
      run: (fn, ...args) => evaluate(contextId, `(${fn})(...${JSON.stringify(args)})`),
      inject: async () => {
        for (const source of sources) await evaluate(contextId, source);
      },
    };
    await handle.inject();
    return handle;
  };
  // As chrome.scripting.insertCSS does: no trace in the page's DOM.
  await cdp.send("CSS.enable").catch(() => {});
  const script = await start();
  await tab.evaluate((css) => {
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(css);
    document.adoptedStyleSheets.push(sheet);
  }, STYLE);
  return {
    tab,
    ...script,
    /** Another world with the script, as after an extension reload. */
    again: start,
    /** Waits until a function of the script's world answers something true. */
    async until(fn, ...args) {
      const deadline = Date.now() + 60_000;
      for (;;) {
        const value = await script.run(fn, ...args);
        if (value) return value;
        if (Date.now() > deadline) throw new Error(`never true: ${fn}`);
        await tab.evaluate(() => new Promise((resolve) => requestAnimationFrame(resolve)));
      }
    },
  };
}
