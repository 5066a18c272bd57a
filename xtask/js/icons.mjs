// Renders www/icon.svg into extension/icons, which is committed: `CHROME=chromium node xtask/js/icons.mjs` after a change.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import puppeteer from 'puppeteer-core';
import { root } from './browser.mjs';

const svg = readFileSync(path.join(root, 'www/icon.svg'), 'utf8');
const browser = await puppeteer.launch({
  executablePath: process.env.CHROME, args: process.getuid?.() === 0 ? ['--no-sandbox'] : [],
});
const page = await browser.newPage();
for (const size of [16, 32, 48, 128]) {
  await page.setViewport({ width: size, height: size });
  await page.setContent(`<style>html, body { margin: 0; background: none } svg { display: block; width: 100vw; height: 100vh }</style>${svg}`);
  await page.screenshot({ path: path.join(root, `extension/icons/${size}.png`), omitBackground: true });
}
await browser.close();
