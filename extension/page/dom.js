// How the scripts in a page ask its DOM, whatever the page calls its elements.
//
// A classic script for the extension's isolated world, before the others of this folder.
globalThis.sidelightDom = (() => {
  "use strict";

  // A form's fields hide its own properties (`<input name="nextSibling">`): what may be a form is asked by prototype.
  const asker = (prototype, name) => {
    const { get, value } = Object.getOwnPropertyDescriptor(prototype, name);
    return Function.prototype.call.bind(get ?? value);
  };
  const of = (prototype, names) => Object.fromEntries(names.map((name) => [name, asker(prototype, name)]));

  /** Text with its white space made one space each, and none around it. */
  const fold = (text) => text.replace(/\s+/g, " ").trim();
  const isBlank = (text) => !/\S/.test(text);

  return {
    ...of(Node.prototype, ["nodeType", "nextSibling", "firstChild", "parentNode", "isConnected", "textContent"]),
    ...of(Element.prototype, ["localName", "id", "shadowRoot", "getAttribute", "hasAttribute", "querySelector",
      "querySelectorAll", "getBoundingClientRect", "append"]),
    fold, isBlank,
  };
})();
