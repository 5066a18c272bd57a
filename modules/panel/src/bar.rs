//! The fixed bar at the bottom.

use wasm_bindgen::prelude::*;
use web_sys::HtmlElement;

use sidelight::panel::Bar;
use sidelight_browser::dom::{self, set_text, show};

pub(super) struct BarView {
    running: HtmlElement,
    progress: HtmlElement,
    elapsed: HtmlElement,
    stop: HtmlElement,
    actions: HtmlElement,
    read: HtmlElement,
    outcome: HtmlElement,
    share: HtmlElement,
}

impl BarView {
    pub(super) fn new() -> Result<Self, JsValue> {
        Ok(Self {
            running: dom::by_id("running")?,
            progress: dom::by_id("progress")?,
            elapsed: dom::by_id("elapsed")?,
            stop: dom::by_id("stop")?,
            actions: dom::by_id("actions")?,
            read: dom::by_id("read")?,
            outcome: dom::by_id("outcome")?,
            share: dom::by_id("share")?,
        })
    }

    pub(super) fn draw(&self, bar: &Bar) {
        let had_focus = [&self.stop, &self.read].into_iter().any(has_focus);
        match bar {
            Bar::Running { progress, elapsed } => {
                set_text(&self.progress, progress);
                set_text(&self.elapsed, elapsed);
            }
            Bar::Resting { action, outcome, share } => {
                set_text(&self.read, action);
                set_text(&self.outcome, outcome);
                self.outcome.set_title(outcome);
                show(&self.share, *share);
            }
        }
        let running = matches!(bar, Bar::Running { .. });
        show(&self.running, running);
        show(&self.actions, !running);
        if had_focus {
            // The focused button just went: its counterpart takes over, or the keyboard would start again at the top.
            drop(if running { self.stop.focus() } else { self.read.focus() });
        }
    }
}

pub(super) fn has_focus(element: &HtmlElement) -> bool {
    dom::document().ok().and_then(|document| document.active_element()).is_some_and(|at| at.is_same_node(Some(element)))
}
