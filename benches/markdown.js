// Row "markdown": an answer in deltas of four characters → the panel's nodes, up to date after each.
import DOMPurify from 'dompurify';
import { marked } from 'marked';
import { randomNumbers, sentencesFrom, wordsFrom } from './inputs.js';

/** An answer as the analysis prompt asks for it, of about so many characters. */
export function markdownAnswer(letters = 100_000, seed = 4) {
  const random = randomNumbers(seed);
  const words = wordsFrom(random);
  const sentence = sentencesFrom(random, words);
  let text = '';
  for (let section = 1; text.length < letters; section++) {
    text += `## ${words()} ${words()}\n\n`;
    for (let part = 0; part < 4; part++) {
      const kind = random();
      if (kind < 0.4) text += `${sentence()} **${words()} ${words()}** ${sentence()} [${words()}](https://${words()}.example/${section}) ${sentence()}\n\n`;
      else if (kind < 0.8) text += Array.from({ length: 3 + Math.floor(random() * 4) }, () => `- *${words()}*: ${sentence()}\n`).join('') + '\n';
      else if (kind < 0.9) text += `> ${sentence()} \`${words()}\`\n\n`;
      else text += `1. ${sentence()}\n2. ${sentence()}\n\n`;
    }
  }
  return text;
}

/** Pieces of four characters. */
export function deltasOf(text) {
  const pieces = [];
  const letters = [...text];
  for (let at = 0; at < letters.length; at += 4) pieces.push(letters.slice(at, at + 4).join(''));
  return pieces;
}

/** Renders the whole text anew, as a panel without an incremental renderer does for each delta. */
export function renderWhole(root, text) {
  root.innerHTML = DOMPurify.sanitize(marked.parse(text));
}

/** Letters a reader sees, without white space and the host that the panel names behind a link, for comparing renderers. */
export const seen = root => root.textContent.replace(/\s+|\([a-z]+\.example\)/g, '');
