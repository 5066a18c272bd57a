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
  const reached = lines.filter(line => !line.includes('NOT reached')).length;
  return [...lines, `${reached} of ${lines.length} reached`].join('\n');
}

const line = ({ what, got, wanted, isReached }) => `${what}: ${got} (wanted ${wanted}) ${isReached ? 'reached' : 'NOT reached'}`;
const number = value => value >= 100 ? value.toFixed(0) : value >= 10 ? value.toFixed(1) : value.toFixed(2);
const table = (head, lines) => [head, head.map((_, at) => at === 0 ? '---' : '---:'), ...lines].map(cells => `| ${cells.join(' | ')} |`).join('\n');
const medians = results => new Map(results.map(({ name, times }) => [name, summary(times).median]));
const times = (factor, wanted) => ({ got: `${number(factor)} ×`, wanted: `${wanted} ×`, isReached: factor >= wanted });

/** The quickest of the peers, by median. */
const bestPeer = results => [...medians(results)].filter(([name]) => isPeer(name)).sort(([, a], [, b]) => a - b)[0][0];

/** How many times as long one contestant takes as another: the median over the rounds, in each of which both had their turn.
 * A machine that changes its speed from one to the next does not change that. */
function ratio(results, name, other = OURS) {
  const [a, b] = [name, other].map(wanted => results.find(({ name }) => name === wanted).times);
  if (a.length !== b.length) return summary(a).median / summary(b).median;
  return summary(a.map((time, round) => time / b[round])).median;
}

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
    const names = rows => [...new Set(rows.flatMap(({ results }) => results.map(({ name }) => name)))];
    const time = (results, name) => {
      const one = results.find(one => one.name === name);
      return one ? number(summary(one.times).median) : '–';
    };
    return [`highlights, ${(sizes[0].answer / 1e3).toFixed(0)} kB of answer, ms for the whole job at the median, by chunk size:\n`, table(
      ['chunks of', ...sizes.map(({ size }) => `${size} B`)],
      names(sizes).map(name => [name, ...sizes.map(({ results }) => time(results, name))]),
    ), '\nand by size of the answer, chunks of 1400 B:\n', table(
      ['answer', ...scales.map(({ answer }) => `${(answer / 1e3).toFixed(0)} kB`)],
      names(scales).map(name => [name, ...scales.map(({ results }) => time(results, name))]),
    )].join('\n');
  },
  anchoring({ sizes }) {
    const names = sizes[0].results.map(({ name }) => name);
    const verdict = one => one ? `${one.right}/${one.wrong}/${one.missed}` : '';
    const cell = ({ results, verdicts }, name) => {
      const one = results.find(one => one.name === name);
      return one ? [number(summary(one.times).median), number(summary(one.times).min), verdict(verdicts[name])] : ['–', '–', '–'];
    };
    return ['anchoring, 25 phrases in 1 MB, ms (right/wrong/missed):\n', table(
      ['text nodes', ...sizes.flatMap(({ nodes }) => [`${nodes}`, 'min', 'answers'])],
      names.map(name => [name, ...sizes.flatMap(size => cell(size, name))]),
    )].join('\n');
  },
  painted({ results }) {
    return ['painted, ms from the last byte of an object to its frame:\n', table(
      ['', 'min', 'median', 'p99', 'objects', 'lost'],
      results.map(({ name, times, lost }) => {
        const { min, median, p99, rounds } = summary(times);
        return [name, number(min), number(median), number(p99), rounds, lost];
      }),
    )].join('\n');
  },
  markdown({ letters, deltas, sample, results }) {
    const tenth = (tenths, at) => number(summary(tenths.map(list => list[at])).median);
    return [`markdown, ${(letters / 1e3).toFixed(0)} kB in ${deltas} deltas, ms of the main thread (the peer drew each ${sample}th delta, counted ${sample} times):\n`, table(
      ['', 'total', 'first tenth', 'last tenth'],
      results.map(({ name, times, tenths }) => [name, number(summary(times).median), tenth(tenths, 0), tenths[0].length > 1 ? tenth(tenths, 9) : '–']),
    )].join('\n');
  },
  start({ bytes, gzipped, results, ready, stages }) {
    const row = ({ name, times }) => [name, number(summary(times).min), number(summary(times).median)];
    return [`start, module of ${bytes} bytes, ${gzipped} gzipped, ms:\n`, table(
      ['', 'min', 'median'],
      [...results.map(({ name, times }) => row({ name: `${name}: asleep → first answer`, times })),
        ...ready.map(({ name, times }) => row({ name: `${name}: script's start → module ready`, times })),
        ...stages.map(({ name, times }) => row({ name: `the module's ${name}`, times }))],
    )].join('\n');
  },
};

const STREAM_FACTORS = new Map([[16, 5], [256, 2.5], [1400, 3], [16_384, 4], [65_536, 4]]);

const PROMISES = {
  stream({ sizes }) {
    return sizes.flatMap(({ size, results }) => {
      const peer = bestPeer(results);
      const against = (what, name, wanted) => ({ what: `${size} B, against ${what}`, ...times(ratio(results, name), wanted) });
      const promises = [against(peer, peer, STREAM_FACTORS.get(size))];
      if (size === 1400) {
        promises.push(against('the Anthropic SDK', 'Anthropic SDK', 5), against('the OpenAI SDK', 'OpenAI SDK', 20));
      }
      if (size >= 1400) promises.push(against('JSON.parse alone', 'limit: JSON.parse of the payloads alone', 1));
      return promises;
    });
  },
  highlights({ sizes, scales, growth }) {
    const promises = sizes.map(({ size, results }) => ({ what: `${size} B, against eventsource-parser + clarinet`,
      ...times(ratio(results, 'eventsource-parser + clarinet'), size === 16 ? 6 : 3) }));
    const at = scale => scales.find(one => one.scale === scale).results;
    const original = scale => ratio(at(scale), 'the original');
    if (medians(at(8)).has('the original')) {
      promises.push({ what: `against the original, eight times the answer (once: ${number(original(1))} ×)`, ...times(original(8), 300) });
    }
    const [once, eightTimes] = growth.map(({ name }) => name);
    const more = ratio(growth, eightTimes, once);
    promises.push({ what: 'eight times the answer', got: `${number(more)} ×`, wanted: 'at most 10 ×', isReached: more <= 10 });
    return promises;
  },
  anchoring({ sizes }) {
    return sizes.flatMap(({ nodes, results, verdicts }) => {
      const median = medians(results);
      const against = (name, wanted) => ({ what: `${nodes} nodes, against ${name}`, ...times(ratio(results, name), wanted) });
      const { right, wrong } = verdicts[OURS];
      const best = Math.max(...Object.entries(verdicts).filter(([name]) => isPeer(name) && !name.includes('of the 25')).map(([, one]) => one.right));
      return [
        against('approx-string-match', 8),
        ...(median.has('mark.js') ? [against('mark.js', 100)] : []),
        { what: `${nodes} nodes, right answers`, got: `${right} right, ${wrong} wrong`, wanted: `${best} or more right, none wrong`, isReached: right >= best && wrong === 0 },
        ...(nodes === 100_000 ? [{ what: `${nodes} nodes`, got: `${number(median.get(OURS))} ms`, wanted: 'at most 30 ms', isReached: median.get(OURS) <= 30 }] : []),
      ];
    });
  },
  painted({ results }) {
    const { median, p99 } = summary(results[0].times);
    const at = (what, got, wanted) => ({ what, got: `${number(got)} ms`, wanted: `under ${wanted} ms`, isReached: got < wanted });
    return [at('median', median, 33), at('p99', p99, 100)];
  },
  markdown({ results }) {
    const [ours, peer] = results;
    const tenth = at => summary(ours.tenths.map(list => list[at])).median;
    const growth = tenth(9) / tenth(0);
    return [
      { what: 'total', ...times(summary(peer.times).median / summary(ours.times).median, 20) },
      { what: 'last tenth against the first', got: `${number(growth)} ×`, wanted: 'flat, at most 1.3 ×', isReached: growth <= 1.3 },
    ];
  },
  start({ gzipped, results }) {
    const empty = results.find(({ name }) => isPeer(name)).times;
    const against = ({ name, times }) => {
      const ratio = summary(times.map((time, round) => time / empty[round])).median;
      const most = name.includes('no page') ? 1.8 : 1.5;
      return { what: `${name}, against an empty module`, got: `${number(ratio)} ×`, wanted: `at most ${most} ×`, isReached: ratio <= most };
    };
    return [
      ...results.filter(({ name }) => !isPeer(name)).map(against),
      { what: 'module', got: `${gzipped} bytes gzipped`, wanted: 'at most 350000', isReached: gzipped <= 350_000 },
    ];
  },
};
