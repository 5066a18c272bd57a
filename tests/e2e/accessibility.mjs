// What axe-core finds in a page, and the themes to find it in.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/// Puts a page into the light or the dark theme.
export const wear = (page, theme) => page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: theme }]);

/// Everything that is wrong with a page as it stands, in words.
export async function violations(page) {
  // Through the debugger, since the pages themselves let no foreign script in.
  // What still fades in has not the contrast it will have.
  await page.evaluate(() => Promise.all(document.getAnimations()
    .filter(({ effect }) => effect.getComputedTiming().endTime < Infinity).map(({ finished }) => finished)));
  await page.evaluate(axe);
  const { violations } = await page.evaluate(() => globalThis.axe.run(document, { resultTypes: ['violations'] }));
  return violations.map(({ id, nodes }) => `${id}: ${nodes.map(node => node.html.slice(0, 120)).join(' · ')}`);
}
