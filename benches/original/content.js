// Marks a phrase in the first text node that holds it.
chrome.runtime.onMessage.addListener(({ highlight }) => {
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const at = walker.currentNode.data.toLowerCase().indexOf(highlight.phrase.toLowerCase());
    if (at < 0) continue;
    const range = document.createRange();
    range.setStart(walker.currentNode, at);
    range.setEnd(walker.currentNode, at + highlight.phrase.length);
    const mark = document.createElement('mark');
    mark.className = 'original';
    range.surroundContents(mark);
    return;
  }
});
