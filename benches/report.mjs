// Figures as tables, and which of the promised ratios they reach.
import { summary } from './measure.js';

const OURS = 'Sidelight';
const isPeer = name => !name.startsWith(OURS) && !name.startsWith('limit');

/** All tables, as Markdown. */
export function tables({ rows }) {
  return Object.entries(rows).map(([name, row]) => TABLES[name](row)).join('\n\n');
}

/** A line for each promise: reached or not, and by how much. */
export function verdicts({ rows }) {
  const lines = Object.entries(rows).flatMap(([name, row]) => PROMISES[name](row).map(promise => `${name}: ${line(promise)}`));
  const reached = lines.filter(line => line.endsWith('reached')).length;
  return [...lines, `${reached} of ${lines.length} reached`].join('\n');
}

const line = ({ what, got, wanted, isReached }) => `${what}: ${got} (wanted ${wanted}) ${isReached ? 'reached' : 'NOT reached'}`;
const number = value => value >= 100 ? value.toFixed(0) : value >= 10 ? value.toFixed(1) : value.toFixed(2);
const table = (head, lines) => [head, head.map((_, at) => at === 0 ? '---' : '---:'), ...lines].map(cells => `| ${cells.join(' | ')} |`).join('\n');
const medians = results => new Map(results.map(({ name, times }) => [name, summary(times).median]));
const times = (factor, wanted) => ({ got: `${number(factor)} ×`, wanted: `${wanted} ×`, isReached: factor >= wanted });

/** The quickest of the peers, by median. */
const bestPeer = results => [...medians(results)].filter(([name]) => isPeer(name)).sort(([, a], [, b]) => a - b)[0];

const TABLES = {
  stream({ bytes, sizes }) {
    const names = sizes[0].results.map(({ name }) => name);
    const rate = (results, name, which) => number(bytes / 1e3 / summary(results.find(one => one.name === name).times)[which]);
    return [`stream, ${(bytes / 1e6).toFixed(1)} MB, MB/s at the median (best):\n`, table(
      ['chunks of', ...sizes.map(({ size }) => `${size} B`)],
      names.map(name => [name, ...sizes.map(({ results }) => `${rate(results, name, 'median')} (${rate(results, name, 'min')})`)]),
    )].join('\n');
  },
  highlights({ sizes, scales }) {
    const names = results => results.map(({ name }) => name);
    const time = (results, name) => {
      const one = results.find(one => one.name === name);
      return one ? number(summary(one.times).median) : '–';
    };
    return [`highlights, ${(sizes[0].answer / 1e3).toFixed(0)} kB of answer, ms for the whole job at the median, by chunk size:\n`, table(
      ['chunks of', ...sizes.map(({ size }) => `${size} B`)],
      names(sizes.at(-1).results).map(name => [name, ...sizes.map(({ results }) => time(results, name))]),
    ), '\nand by size of the answer, chunks of 1400 B:\n', table(
      ['answer', ...scales.map(({ answer }) => `${(answer / 1e3).toFixed(0)} kB`)],
      names(scales[0].results).map(name => [name, ...scales.map(({ results }) => time(results, name))]),
    )].join('\n');
  },
};

const STREAM_FACTORS = new Map([[16, 5], [256, 2.5], [1400, 3], [16_384, 4], [65_536, 4]]);

const PROMISES = {
  stream({ sizes }) {
    return sizes.flatMap(({ size, results }) => {
      const median = medians(results);
      const [peer, best] = bestPeer(results);
      const ours = median.get(OURS);
      const promises = [{ what: `${size} B, against ${peer}`, ...times(best / ours, STREAM_FACTORS.get(size)) }];
      if (size === 1400) {
        promises.push({ what: `${size} B, against the Anthropic SDK`, ...times(median.get('Anthropic SDK') / ours, 5) });
        promises.push({ what: `${size} B, against the OpenAI SDK`, ...times(median.get('OpenAI SDK') / ours, 20) });
      }
      if (size >= 1400) {
        promises.push({ what: `${size} B, against JSON.parse alone`, ...times(median.get('limit: JSON.parse of the payloads alone') / ours, 1) });
      }
      return promises;
    });
  },
  highlights({ sizes, scales }) {
    const promises = sizes.map(({ size, results }) => {
      const median = medians(results);
      return { what: `${size} B, against eventsource-parser + clarinet`,
        ...times(median.get('eventsource-parser + clarinet') / median.get(OURS), size === 16 ? 6 : 3) };
    });
    const last = medians(sizes.at(-1).results);
    if (last.has('the original')) {
      promises.push({ what: 'against the original', ...times(last.get('the original') / last.get(OURS), 300) });
    }
    const at = scale => medians(scales.find(one => one.scale === scale).results).get(OURS);
    const growth = at(8) / at(1);
    promises.push({ what: 'eight times the answer', got: `${number(growth)} ×`, wanted: 'at most 10 ×', isReached: growth <= 10 });
    return promises;
  },
};
