// The core without an extension: it reads what is typed, and takes highlights out of a pasted answer.

const SAMPLE_TEXT = `Everyone knows the new ferry is the worst decision in the history of the town. Either we stop it now, or the harbour is lost.

According to the port authority's yearly report, 212,000 people crossed in 2023, nine per cent more than the year before.`;

const SAMPLE_ANSWER = `Here is what I found:
{"summary": "A heated text about a ferry.", "category_summaries": {"emotional": "It warns of ruin."}, "highlights": [
  {"phrase": "the harbour is lost", "category": "emotional", "note": "An outcome stated as certain.", "source": "", "source_url": ""},
  {"phrase": "Either we stop it now", "category": "logical", "note": "Only two ways are offe`;

const element = id => document.getElementById(id);
let core;

try {
  core = await import('./pkg/reader.js'); // not above: a missing build must be sayable
  const texts = await (await fetch('_locales/en/messages.json')).json();
  globalThis.chrome = Object.assign(globalThis.chrome ?? {}, { i18n: { getMessage: (key, args) => say(texts[key], args) } });
  await core.default();
  start(element('text'), SAMPLE_TEXT, showReading);
  start(element('answer'), SAMPLE_ANSWER, showExtracted);
} catch (error) {
  element('failure').textContent = `The core did not load: ${error.message}. Run \`cargo xtask build\` and serve this folder with /pkg and /_locales of the extension.`;
  element('failure').hidden = false;
}

/// A text of the interface with its arguments, as Chrome says it to an extension.
function say(text, args) {
  return text?.message.replace(/\$(\$|\d)/g, (_, place) => (place === '$' ? '$' : args[place - 1] ?? '')) ?? '';
}

/// Shows a text now and after each change, at most once a frame.
function start(input, text, show) {
  let isWaiting = false;
  if (!input.value) input.value = text; // a reload keeps what was typed
  input.addEventListener('input', () => {
    if (isWaiting) return;
    isWaiting = true;
    requestAnimationFrame(() => {
      isWaiting = false;
      show(input.value);
    });
  });
  show(input.value);
}

function showReading(text) {
  const { highlights, summary } = core.readOffline(text);
  element('read').textContent = text;
  element('summary').textContent = summary;
  list(element('marks'), highlights);
  paint(element('read').firstChild, highlights);
}

function showExtracted(buffer) {
  const { highlights, nextPos } = core.extractCompleteHighlights(buffer, 0);
  element('extracted').textContent = `${highlights.length} complete, up to character ${nextPos} of ${buffer.length}.`;
  list(element('found'), highlights);
}

function list(into, highlights) {
  into.replaceChildren(...highlights.map(({ category, phrase, note }) => {
    const item = element('mark').content.cloneNode(true);
    const name = item.querySelector('.category');
    name.textContent = category;
    name.style.color = `var(--cat-${category}-text)`; // from the core's table, like the colours of the marks
    item.querySelector('.phrase').textContent = phrase;
    item.querySelector('.note').textContent = note;
    return item;
  }));
}

/// Paints each phrase where it stands next after the one before; the offline reader quotes its text, in order.
function paint(node, highlights) {
  if (!CSS.highlights) return;
  CSS.highlights.clear();
  let from = 0;
  for (const { category, phrase } of highlights) {
    const start = node?.data.indexOf(phrase, from) ?? -1;
    if (start < 0) continue;
    from = start + phrase.length;
    const name = `sidelight-${category}`;
    if (!CSS.highlights.has(name)) CSS.highlights.set(name, new Highlight());
    CSS.highlights.get(name).add(
      new StaticRange({ startContainer: node, startOffset: start, endContainer: node, endOffset: from }));
  }
}
