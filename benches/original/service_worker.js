// Splits the stream at line feeds, tells the panel of each delta, and looks through the growing text for objects whose
// braces are balanced.
chrome.action.onClicked.addListener(tab => chrome.sidePanel.open({ windowId: tab.windowId }));

chrome.runtime.onConnect.addListener(port => {
  port.onMessage.addListener(async ({ baseUrl }) => {
    const response = await fetch(`${baseUrl}/v1/messages`, { method: 'POST', body: JSON.stringify({ model: 'paced', category_summaries: 1 }) });
    const reader = response.body.getReader();
    const decoder = new TextDecoder();
    let lines = '', text = '', from = 0;
    for (;;) {
      const { value, done } = await reader.read();
      if (done) break;
      lines += decoder.decode(value, { stream: true });
      const all = lines.split('\n');
      lines = all.pop() ?? '';
      for (const line of all) {
        if (!line.startsWith('data: ')) continue;
        const event = JSON.parse(line.slice(6));
        if (event.delta?.type !== 'text_delta') continue;
        text += event.delta.text;
        port.postMessage({ type: 'text_delta', text: event.delta.text });
        const found = extractCompleteHighlights(text, from);
        from = found.nextPos;
        for (const highlight of found.highlights) port.postMessage({ type: 'highlight_item', highlight });
      }
    }
    port.postMessage({ type: 'done' });
  });
});

function extractCompleteHighlights(buffer, fromPos) {
  const text = buffer.replace(/[\u201c\u201d]/g, '"').replace(/[\u2018\u2019]/g, "'");
  const highlights = [];
  let nextPos = fromPos;
  for (let start = text.indexOf('{"phrase":', nextPos); start >= 0; start = text.indexOf('{"phrase":', nextPos)) {
    let depth = 0, inString = false, escaped = false, end = -1;
    for (let at = start; at < text.length && end < 0; at++) {
      const c = text[at];
      if (escaped) escaped = false;
      else if (c === '\\') escaped = inString;
      else if (c === '"') inString = !inString;
      else if (!inString && c === '{') depth += 1;
      else if (!inString && c === '}' && --depth === 0) end = at + 1;
    }
    if (end < 0) break;
    highlights.push(JSON.parse(text.slice(start, end)));
    nextPos = end;
  }
  return { highlights, nextPos };
}
