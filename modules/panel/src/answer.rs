//! An answer: what the model thought aloud, which tools it used, and its prose.

use wasm_bindgen::prelude::*;
use web_sys::{Element, HtmlDetailsElement, HtmlElement, HtmlTemplateElement, Text};

use super::prose::Prose;
use sidelight::panel::Answer;
use sidelight_browser::dom::{self, clear, find, set_text, show};

pub(super) struct AnswerView {
    thinking: HtmlDetailsElement,
    thoughts: Text,
    cut: HtmlElement,
    /// Bytes of thinking that are drawn.
    thought: usize,
    tools: HtmlElement,
    drawn_tools: Vec<(String, u32)>,
    opened: HtmlElement,
    /// How many opened addresses are drawn.
    drawn_opened: usize,
    prose: Prose,
    /// How many addresses could be cited when links were last looked at.
    citable: usize,
}

impl AnswerView {
    /// Finds the parts of an answer in `root`.
    pub(super) fn new(
        root: &Element,
        section: Option<HtmlTemplateElement>,
        shows_thinking: bool,
    ) -> Result<Self, JsValue> {
        let thoughts = dom::document()?.create_text_node("");
        find::<HtmlElement>(root, ".thoughts")?.append_child(&thoughts)?;
        let thinking: HtmlDetailsElement = find(root, ".thinking")?;
        thinking.set_open(shows_thinking);
        Ok(Self {
            thinking,
            thoughts,
            cut: find(root, ".thinking .cut")?,
            thought: 0,
            tools: find(root, ".tools")?,
            drawn_tools: Vec::new(),
            opened: find(root, ".opened")?,
            drawn_opened: 0,
            prose: Prose::new(find(root, ".prose")?, section),
            citable: 0,
        })
    }

    /// Another answer is shown.
    pub(super) fn clear(&mut self, shows_thinking: bool) -> Result<(), JsValue> {
        self.thoughts.set_data("");
        self.thought = 0;
        self.thinking.set_open(shows_thinking);
        show(&self.thinking, false);
        show(&self.tools, false);
        clear(&self.tools);
        self.drawn_tools.clear();
        self.draw_opened(&[])?;
        self.prose.clear();
        self.citable = 0;
        Ok(())
    }

    /// Draws what is new, by work in proportion to that. Returns whether the prose grew.
    pub(super) fn draw(
        &mut self,
        answer: &Answer,
        is_folded: &dyn Fn(&str) -> bool,
        link: &dyn Fn(&str) -> Option<String>,
    ) -> Result<bool, JsValue> {
        if let Some(fresh) = answer.thinking().get(self.thought..).filter(|fresh| !fresh.is_empty()) {
            self.thoughts.append_data(fresh)?;
            self.thought = answer.thinking().len();
            show(&self.thinking, true);
        }
        show(&self.cut, answer.is_thinking_cut());
        self.draw_tools(answer)?;
        self.draw_opened(answer.opened())?;
        let grew = self.prose.draw(answer.prose(), is_folded, link)?;
        if self.citable != answer.sources().len() {
            self.citable = answer.sources().len();
            self.prose.settle_links(link)?;
        }
        Ok(grew)
    }

    /// The addresses that were opened for the answer, each in full: this is all that left for their sites.
    fn draw_opened(&mut self, opened: &[String]) -> Result<(), JsValue> {
        let list: Element = find(&self.opened, "ul")?;
        if opened.len() < self.drawn_opened {
            clear(&list);
            self.drawn_opened = 0;
        }
        for address in &opened[self.drawn_opened..] {
            list.append_child(&*dom::element("li", address)?)?;
        }
        self.drawn_opened = opened.len();
        show(&self.opened, !opened.is_empty());
        Ok(())
    }

    /// While the answer runs; then they are history.
    fn draw_tools(&mut self, answer: &Answer) -> Result<(), JsValue> {
        let running = answer.run().is_running();
        show(&self.tools, running && !answer.tools().is_empty());
        if !running || self.drawn_tools == answer.tools() {
            return Ok(());
        }
        clear(&self.tools);
        for (label, times) in answer.tools() {
            let chip = dom::element("li", &label.replace("...", "…"))?;
            if *times > 1 {
                let count = dom::element("span", "")?;
                set_text(&count, &format!(" × {times}"));
                chip.append_child(&count)?;
            }
            self.tools.append_child(&chip)?;
        }
        self.drawn_tools = answer.tools().to_vec();
        Ok(())
    }
}
