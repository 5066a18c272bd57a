//! The words of HTML, in the reader's language.

use wasm_bindgen::prelude::*;
use web_sys::{Document, DocumentFragment, Element, HtmlTemplateElement, NodeList};

use sidelight::words;

/// Attributes that are read out or shown, each named by a `data-i18n-…` of its own.
const ATTRIBUTES: [&str; 3] = ["aria-label", "title", "placeholder"];

/// Says everything in a document, templates included, in the reader's language, and gives the document the language and
/// direction of the texts: those of Chrome itself may be others, where it has no texts of ours. `data-i18n` names the key of an element's text, `data-i18n-title` and the like that of an attribute.
pub fn translate(document: &Document) -> Result<(), JsValue> {
    if let Some(root) = document.document_element() {
        root.set_attribute("lang", &words::say("language", &[]))?;
        root.set_attribute("dir", &words::say("direction", &[]))?;
    }
    translate_all(&|selector| document.query_selector_all(selector))?;
    for template in elements(&document.query_selector_all("template")?) {
        let content: DocumentFragment = template.unchecked_into::<HtmlTemplateElement>().content();
        translate_all(&|selector| content.query_selector_all(selector))?;
    }
    Ok(())
}

fn translate_all(find: &dyn Fn(&str) -> Result<NodeList, JsValue>) -> Result<(), JsValue> {
    for element in elements(&find("[data-i18n]")?) {
        element.set_text_content(Some(&said(&element, "data-i18n")));
    }
    for attribute in ATTRIBUTES {
        let name = format!("data-i18n-{attribute}");
        for element in elements(&find(&format!("[{name}]"))?) {
            element.set_attribute(attribute, &said(&element, &name))?;
        }
    }
    Ok(())
}

fn said(element: &Element, name: &str) -> String {
    words::say(&element.get_attribute(name).unwrap_or_default(), &[])
}

fn elements(list: &NodeList) -> impl Iterator<Item = Element> + '_ {
    (0..list.length()).filter_map(|at| list.get(at)?.dyn_into().ok())
}

/// Says a page of the extension that has no behaviour of its own in the reader's language.
#[wasm_bindgen(js_name = translatePage)]
pub fn translate_page() -> Result<(), JsValue> {
    translate(&super::dom::document()?)
}
