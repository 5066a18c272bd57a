//! Notices above what was read.

use wasm_bindgen::prelude::*;
use web_sys::{Element, HtmlElement, HtmlTemplateElement};

use sidelight::panel::{Action, Notice, NoticeKind};
use sidelight_browser::dom::{self, clear, set_text, show};

pub(super) struct Notices {
    place: HtmlElement,
    notice: HtmlTemplateElement,
    drawn: Vec<(Notice, HtmlElement)>,
    buttons: Vec<(HtmlElement, Action)>,
}

impl Notices {
    pub(super) fn new() -> Result<Self, JsValue> {
        Ok(Self {
            place: dom::by_id("notices")?,
            notice: dom::by_id("notice-template")?,
            drawn: Vec::new(),
            buttons: Vec::new(),
        })
    }

    /// Draws all of them, and leaves those alone that stay: unfolded details remain so.
    pub(super) fn draw(&mut self, notices: &[Notice]) -> Result<(), JsValue> {
        let (mut old, gone): (Vec<_>, Vec<_>) =
            std::mem::take(&mut self.drawn).into_iter().partition(|(drawn, _)| notices.contains(drawn));
        let mut buttons = Vec::new();
        for (_, element) in gone {
            element.remove();
        }
        let mut next = self.place.first_element_child();
        for notice in notices {
            let element = match old.iter().position(|(drawn, _)| drawn == notice) {
                Some(at) => old.swap_remove(at).1,
                None => self.build(notice)?,
            };
            // What stands in its place stays there, and with it the focus in it.
            if next.as_ref().is_some_and(|next| next.is_same_node(Some(&element))) {
                next = element.next_element_sibling();
            } else {
                self.place.insert_before(&element, next.as_deref())?;
            }
            let found = element.query_selector_all(".acts button")?;
            for (at, (_, action)) in (0..).zip(&notice.actions) {
                if let Some(button) = found.get(at) {
                    buttons.push((button.unchecked_into(), *action));
                }
            }
            self.drawn.push((notice.clone(), element));
        }
        self.buttons = buttons;
        Ok(())
    }

    fn build(&self, notice: &Notice) -> Result<HtmlElement, JsValue> {
        let element = dom::instance(&self.notice)?;
        let kind = match notice.kind {
            NoticeKind::Plain => "plain",
            NoticeKind::Problem => "problem",
            NoticeKind::Hint => "hint",
        };
        element.set_attribute("data-kind", kind)?;
        set_text(&dom::find(&element, ".text")?, &notice.text);
        draw_addresses(&dom::find(&element, ".addresses")?, &notice.addresses)?;
        show(&dom::find(&element, "details")?, !notice.details.is_empty());
        set_text(&dom::find(&element, ".details")?, &notice.details);
        let acts: Element = dom::find(&element, ".acts")?;
        for (words, action) in &notice.actions {
            let button = dom::element("button", words)?;
            button.set_class_name(if notice.kind == NoticeKind::Hint { "button quiet" } else { "button" });
            button.set_attribute("type", "button")?;
            button.toggle_attribute_with_force("data-reads", *action == Action::Read)?;
            acts.append_child(&button)?;
        }
        Ok(element)
    }

    pub(super) fn action_of(&self, button: &Element) -> Option<Action> {
        self.buttons.iter().find(|(own, _)| own.is_same_node(Some(button))).map(|(_, action)| *action)
    }
}

/// Lists addresses in full, as text.
pub(super) fn draw_addresses(list: &HtmlElement, addresses: &[String]) -> Result<(), JsValue> {
    clear(list);
    for address in addresses {
        list.append_child(&*dom::element("li", address)?)?;
    }
    show(list, !addresses.is_empty());
    Ok(())
}
