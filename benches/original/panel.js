// Connects to the worker, lists each highlight and has the page mark it.
const [tab] = await chrome.tabs.query({ active: true, currentWindow: true });
await chrome.scripting.executeScript({ target: { tabId: tab.id }, files: ['content.js'] });
const { baseUrl } = await chrome.storage.local.get('baseUrl');
const port = chrome.runtime.connect({ name: 'agent' });
let text = '';
port.onMessage.addListener(message => {
  if (message.type === 'text_delta') text += message.text;
  if (message.type === 'highlight_item') {
    const item = document.createElement('li');
    item.textContent = message.highlight.phrase;
    document.querySelector('ol').append(item);
    chrome.tabs.sendMessage(tab.id, { type: 'highlight', highlight: message.highlight });
  }
});
port.postMessage({ type: 'highlights', baseUrl });
