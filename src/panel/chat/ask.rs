//! What the reader does in the chat, and what the ports bring.

use super::{Chat, ChatTurn, Draft, Edit};
use crate::panel::answer::{Answer, Run};
use crate::panel::model::Panel;
use crate::panel::read_page::ReadPage;
use crate::wire::{ErrorCode, PanelToWorker, ProviderId, ReadingError, WorkerToPanel};
use crate::words;

/// What has to be done for a question.
#[derive(Debug)]
pub struct Asked {
    /// Names the turn and its port.
    pub turn: String,
    /// The tab of the page it is about.
    pub tab: i32,
    /// The first message on its port; `None` while the page's text has to be taken first, for
    /// [`Panel::handle_chat_text`].
    pub request: Option<PanelToWorker>,
}

impl Panel {
    /// The chat about the page shown, once something was typed or asked.
    pub fn chat(&self) -> Option<&Chat> {
        let (tab, url) = self.chat_page()?;
        if let Some(past) = &self.past {
            return past.chat.as_ref();
        }
        self.chats.of_page(tab, url)
    }

    /// The page a question is about: that of the reading shown, so that both speak of the same; else the one in view.
    pub(super) fn chat_page(&self) -> Option<(i32, &str)> {
        let tab = self.tab.as_ref()?;
        let read = self.reading().map(|reading| reading.page.url.as_str());
        Some((tab.id, read.or(tab.url.as_deref()).unwrap_or_default()))
    }

    /// Whether there is a model to ask.
    pub fn can_answer(&self) -> bool {
        self.reader().id != ProviderId::Rules
    }

    /// The chat about the page shown; `None` without a tab.
    fn open_chat(&mut self) -> Option<&mut Chat> {
        if self.past.is_some() {
            return None;
        }
        let (tab, url) = self.chat_page().map(|(tab, url)| (tab, url.to_owned()))?;
        Some(self.chats.open(tab, &url))
    }

    /// The same, unless nothing was typed or asked there yet.
    fn chat_mut(&mut self) -> Option<&mut Chat> {
        if self.past.is_some() {
            return None;
        }
        let (tab, url) = self.chat_page().map(|(tab, url)| (tab, url.to_owned()))?;
        self.chats.of_page_mut(tab, &url)
    }

    /// The reader typed into the input.
    pub fn handle_draft(&mut self, typed: &str) {
        if let Some(chat) = self.open_chat() {
            typed.clone_into(&mut chat.draft.text);
            chat.touch();
        }
    }

    /// The reader wants to ask about a passage of the page in view, or, with none, about the whole page after all. It
    /// goes into the input and nowhere else.
    pub fn handle_selection(&mut self, passage: &str) {
        if let Some(chat) = self.open_chat() {
            let passage = passage.trim();
            passage[..passage.floor_char_boundary(Chat::MAX_SELECTION)].clone_into(&mut chat.draft.selection);
            chat.touch();
        }
    }

    /// The reader wants to ask an earlier question anew: it goes back into the input.
    pub fn handle_edit(&mut self, turn: &str) {
        let Some(chat) = self.chat_mut().filter(|chat| chat.running().is_none()) else { return };
        let Some(asked) = chat.turns.iter().find(|known| known.id == turn) else { return };
        let draft = Draft { text: asked.question.clone(), selection: asked.selection.clone() };
        let aside = chat.edit.take().map_or_else(|| chat.draft.clone(), |edit| edit.aside);
        chat.edit = Some(Edit { turn: turn.to_owned(), aside });
        chat.set_draft(draft);
    }

    /// The reader lets the earlier question be. True when one was being edited.
    pub fn handle_edit_cancelled(&mut self) -> bool {
        let Some(chat) = self.chat_mut() else { return false };
        let Some(edit) = chat.edit.take() else { return false };
        chat.set_draft(edit.aside);
        true
    }

    /// The reader sends what stands in the input, as the turn `id`. `None` when there is nothing to send or nobody to
    /// ask, or an answer is still being written; the input then stays as it is.
    pub fn handle_ask(&mut self, id: &str, now_ms: u64) -> Option<Asked> {
        if !self.can_answer() {
            return None;
        }
        let chat = self.open_chat()?;
        if chat.running().is_some() || chat.draft.text.trim().is_empty() {
            return None;
        }
        if chat.draft.text.len() > Chat::MAX_QUESTION {
            chat.touch();
            chat.remark = "chat_too_long";
            return None;
        }
        if let Some(edit) = chat.edit.take()
            && let Some(at) = chat.turns.iter().position(|turn| turn.id == edit.turn)
        {
            chat.turns.truncate(at);
        }
        let draft = std::mem::take(&mut chat.draft);
        chat.set_draft(Draft::default());
        self.ask(id, draft, now_ms)
    }

    /// The reader wants another answer to the last question.
    pub fn handle_retry(&mut self, id: &str, now_ms: u64) -> Option<Asked> {
        if !self.can_answer() {
            return None;
        }
        let last = self.chat_mut().filter(|chat| chat.running().is_none())?.turns.pop()?;
        self.ask(id, Draft { text: last.question, selection: last.selection }, now_ms)
    }

    /// The reader wants the rest of an answer that was cut.
    pub fn handle_continue(&mut self, id: &str, now_ms: u64) -> Option<Asked> {
        self.chat_mut().filter(|chat| chat.running().is_none() && !chat.turns.is_empty())?;
        if !self.can_answer() {
            return None;
        }
        self.ask(id, Draft { text: words::say("chat_go_on", &[]), selection: String::new() }, now_ms)
    }

    fn ask(&mut self, id: &str, draft: Draft, now_ms: u64) -> Option<Asked> {
        let turn = ChatTurn {
            id: id.to_owned(),
            question: draft.text.trim().to_owned(),
            selection: draft.selection,
            reader: self.reader(),
            answer: Answer::default(),
            started_ms: now_ms,
            done_ms: None,
            consent_declined: false,
        };
        let chat = self.chat_mut()?;
        chat.begin(turn);
        let tab = chat.tab;
        let request = self.chat_request(id);
        if request.is_none() {
            self.handle_answer(id, WorkerToPanel::Status { message: words::say("panel_reading_page", &[]) }, now_ms);
        }
        Some(Asked { turn: id.to_owned(), tab, request })
    }

    /// The page's text is here, or why it can't be had. Returns what to send, unless the reader has stopped waiting.
    pub fn handle_chat_text(
        &mut self,
        turn: &str,
        text: Result<(ReadPage, String), ReadingError>,
        now_ms: u64,
    ) -> Option<PanelToWorker> {
        let chat = self.chats.with_turn(turn)?;
        chat.running().filter(|running| running.id == turn)?;
        let is_read = self.shelf.of_page(chat.tab, &chat.url).is_some();
        let text = text.and_then(|(page, content)| {
            // The reading shown came back without its text, and its page is gone.
            let is_other = is_read && page.url != chat.url;
            if is_other {
                Err(ReadingError::new(ErrorCode::Page, words::say("chat_page_gone", &[])))
            } else {
                Ok((page, content))
            }
        });
        match text {
            Ok((page, content)) => {
                page.url.clone_into(&mut chat.url);
                let (tab, url, title) = (chat.tab, page.url.clone(), page.title.clone());
                chat.page = Some((page, content));
                self.handle_page_known(tab, &url, &title);
                self.chat_request(turn)
            }
            Err(error) => {
                self.handle_answer(turn, error.into(), now_ms);
                None
            }
        }
    }

    /// The message for a turn, once the page's text is known.
    fn chat_request(&mut self, turn: &str) -> Option<PanelToWorker> {
        let chat = self.chats.with_turn(turn)?;
        let read = self.shelf.of_page(chat.tab, &chat.url).map(|reading| (&reading.page, &reading.content));
        let taken = chat.page.as_ref().map(|(page, content)| (page, content));
        // A page that came out of storage may have left its text behind.
        let (page, content) = read.into_iter().chain(taken).find(|(_, content)| !content.is_empty())?;
        let asked = chat.turns.last()?;
        let opened: usize = chat.turns.iter().map(|turn| turn.answer.opened().len()).sum();
        let mut request = PanelToWorker::Chat {
            url: page.url.clone(),
            title: page.title.clone(),
            content: content.clone(),
            messages: chat.history(),
            new_message: asked.question.clone(),
            selection: asked.selection.clone(),
            opened: u32::try_from(opened).unwrap_or(u32::MAX),
            links: page.addresses.clone(),
            private: page.is_private,
            tab_id: Some(chat.tab),
        };
        if let PanelToWorker::Chat { content, new_message, selection, .. } = &mut request
            && let Some(passages) = self.text_for_question(content, &[new_message, "\n", selection].concat())
        {
            *content = passages;
        }
        Some(request)
    }

    /// A message came on a turn's port.
    pub fn handle_answer(&mut self, turn: &str, message: WorkerToPanel, now_ms: u64) {
        let events = if let WorkerToPanel::Batch { events } = message { events } else { vec![message] };
        self.in_turn(turn, now_ms, |answer| events.into_iter().for_each(|event| answer.handle_event(event)));
    }

    /// The reader says whether what the model wants to open for a turn may be opened. Returns the message for its port.
    pub fn handle_chat_open_reply(&mut self, turn: &str, allow: bool) -> Option<PanelToWorker> {
        let chat = self.chats.with_turn(turn)?;
        let reply = chat.turn_mut(turn)?.answer.handle_open_reply(allow);
        chat.touch();
        reply
    }

    /// The worker's end of a turn's port is gone.
    pub fn handle_answer_lost(&mut self, turn: &str, now_ms: u64) {
        self.in_turn(turn, now_ms, |answer| answer.end(Run::Interrupted));
    }

    fn in_turn(&mut self, id: &str, now_ms: u64, act: impl FnOnce(&mut Answer)) {
        let Some(chat) = self.chats.with_turn(id) else { return };
        let Some(turn) = chat.turn_mut(id).filter(|turn| turn.answer.run().is_running()) else { return };
        act(&mut turn.answer);
        if !turn.answer.run().is_running() {
            turn.done_ms = Some(now_ms.saturating_sub(turn.started_ms));
        }
        chat.touch();
    }

    /// The reader stops the answer to the last question. Returns the turn whose port has to be closed.
    pub fn handle_chat_stop(&mut self, now_ms: u64) -> Option<String> {
        self.chat_mut()?.stop(now_ms)
    }

    /// The reader does not allow what an answer would need; the question can still be asked again.
    pub fn handle_chat_consent_declined(&mut self, turn: &str) {
        if let Some(chat) = self.chats.with_turn(turn) {
            if let Some(turn) = chat.turn_mut(turn) {
                turn.consent_declined = true;
            }
            chat.touch();
        }
    }
}
