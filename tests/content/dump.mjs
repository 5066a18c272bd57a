// Writes the snapshot of every page below a folder (default ../shared/pages) as JSON, for tests/anchoring/:
//   node tests/content/dump.mjs <out> && SIDELIGHT_SNAPSHOTS=<out> cargo test --release --test anchoring -- --nocapture

import { mkdir, readFile, readdir, writeFile } from "node:fs/promises";
import { startBrowser } from "./harness.mjs";

const [out, only] = process.argv.slice(2);
const pages = `${process.env.SIDELIGHT_SHARED ?? new URL("../../../shared", import.meta.url).pathname}/pages`;
await mkdir(out, { recursive: true });
const browser = await startBrowser();
const median = (numbers) => numbers.sort((a, b) => a - b)[numbers.length >> 1];
for (const name of (await readdir(pages, { withFileTypes: true })).filter((entry) => entry.isDirectory()).map((entry) => entry.name)) {
  if (only && name !== only) continue;
  const page = await browser.open(await readFile(`${pages}/${name}/source.html`, "utf8"), { "content-security-policy": "script-src 'none'" });
  const before = await page.tab.evaluate(() => document.documentElement.outerHTML);
  const { snapshot, times } = await page.run(async () => {
    const times = [];
    let snapshot;
    for (let i = 0; i < 3; i += 1) {
      const start = performance.now();
      snapshot = await globalThis.send({ type: "extract" });
      times.push(performance.now() - start);
    }
    return { snapshot, times };
  });
  const unchanged = before === (await page.tab.evaluate(() => document.documentElement.outerHTML));
  await writeFile(`${out}/${name}.json`, JSON.stringify(snapshot));
  console.log(`${name.padEnd(14)} ${String(snapshot.text.length).padStart(7)} units ${String(snapshot.nodes.length / 2).padStart(5)} nodes  ` +
    `${snapshot.main.padEnd(12)} ` +
    `hidden ${snapshot.hidden} links ${snapshot.links.length}  ${times[0].toFixed(0)} ms, then ${median(times).toFixed(0)} ms${unchanged ? "" : "  PAGE CHANGED"}`);
  await page.tab.close();
}
await browser.stop();
