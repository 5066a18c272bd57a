//! How a reading begins, and what it sends.

use super::model::Panel;
use super::read_page::ReadPage;
use super::reading::Reading;
use crate::wire::PanelToWorker;

/// What to send, one port each, side by side.
#[derive(Debug)]
pub struct Requests {
    /// The first message on the port of the analysis.
    pub analyze: PanelToWorker,
    /// The first message on the port of the highlights.
    pub highlights: PanelToWorker,
    /// Readings that made room: close their ports.
    pub gone: Vec<String>,
}

impl Panel {
    /// The page's text is here: a reading named `id` begins, with the provider set now. `None` when the reader is asked
    /// first how much of it is read, see [`Panel::handle_choice`].
    pub fn handle_page(
        &mut self,
        tab: i32,
        page: ReadPage,
        content: String,
        id: String,
        now_ms: u64,
    ) -> Option<Requests> {
        self.attempts.remove(&tab);
        let (page, content) = self.hold_long_page(tab, page, content)?;
        Some(self.begin_reading(tab, page, content, id, now_ms))
    }

    pub(super) fn begin_reading(
        &mut self,
        tab: i32,
        page: ReadPage,
        content: String,
        id: String,
        now_ms: u64,
    ) -> Requests {
        if self.handle_page_known(tab, &page.url, &page.title) {
            self.selected = None;
        }
        let (url, title) = (page.url.clone(), page.title.clone());
        let analyze = PanelToWorker::Analyze {
            url: url.clone(),
            title: title.clone(),
            content: content.clone(),
            links: page.addresses.clone(),
            private: page.is_private,
            tab_id: Some(tab),
        };
        let highlights = PanelToWorker::Highlights {
            content: content.clone(),
            analysis: String::new(),
            url,
            title,
            links: page.addresses.clone(),
            private: page.is_private,
            tab_id: Some(tab),
            reading: id.clone(),
        };
        let gone = self.shelf.insert(Reading::new(id, tab, page, content, self.reader(), now_ms));
        Requests { analyze, highlights, gone }
    }
}
