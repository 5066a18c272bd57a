//! The little of the DOM that panel and options page share. Text goes in as text: nothing here parses markup.

use wasm_bindgen::prelude::*;
use web_sys::{Document, Element, Event, EventTarget, HtmlElement, HtmlTemplateElement, Node, Window};

/// The window of this page.
pub fn window() -> Result<Window, JsValue> {
    web_sys::window().ok_or_else(|| JsValue::from_str("no window"))
}

/// The document of this page.
pub fn document() -> Result<Document, JsValue> {
    window()?.document().ok_or_else(|| JsValue::from_str("no document"))
}

/// The element with an id.
pub fn by_id<T: JsCast>(id: &str) -> Result<T, JsValue> {
    document()?.get_element_by_id(id).and_then(|element| element.dyn_into().ok()).ok_or_else(|| missing(id))
}

/// The first element in `root` that fits a selector.
pub fn find<T: JsCast>(root: &Element, selector: &str) -> Result<T, JsValue> {
    root.query_selector(selector)?.and_then(|element| element.dyn_into().ok()).ok_or_else(|| missing(selector))
}

fn missing(name: &str) -> JsValue {
    JsValue::from(js_sys::Error::new(&format!("this page has no {name}")))
}

/// A copy of the one element in a `<template>`.
pub fn instance(template: &HtmlTemplateElement) -> Result<HtmlElement, JsValue> {
    let first = template.content().first_element_child().ok_or_else(|| missing("element in the template"))?;
    first.clone_node_with_deep(true)?.dyn_into().map_err(|_| missing("HTML element in the template"))
}

/// A new element, holding text.
pub fn element(name: &str, text: &str) -> Result<HtmlElement, JsValue> {
    let element: HtmlElement = document()?.create_element(name)?.unchecked_into();
    if !text.is_empty() {
        element.set_text_content(Some(text));
    }
    Ok(element)
}

/// Sets the text of a node, unless it stands there already: an unchanged node keeps the reader's selection.
pub fn set_text(node: &Node, text: &str) {
    if node.text_content().as_deref() != Some(text) {
        node.set_text_content(Some(text));
    }
}

/// Shows or hides an element.
pub fn show(element: &HtmlElement, shown: bool) {
    if element.hidden() == shown {
        element.set_hidden(!shown);
    }
}

/// Removes everything an element holds.
pub fn clear(element: &Element) {
    element.set_text_content(None);
}

/// A DOM listener that goes when it is dropped.
pub struct Listener {
    target: EventTarget,
    event: &'static str,
    closure: Closure<dyn FnMut(Event)>,
}

impl Listener {
    /// Listens to an event until dropped.
    pub fn new(
        target: &EventTarget,
        event: &'static str,
        handle: impl FnMut(Event) + 'static,
    ) -> Result<Self, JsValue> {
        let closure = Closure::<dyn FnMut(Event)>::new(handle);
        target.add_event_listener_with_callback(event, closure.as_ref().unchecked_ref())?;
        Ok(Self { target: target.clone(), event, closure })
    }
}

impl Drop for Listener {
    fn drop(&mut self) {
        // Fails only for a target that is no target.
        drop(self.target.remove_event_listener_with_callback(self.event, self.closure.as_ref().unchecked_ref()));
    }
}
