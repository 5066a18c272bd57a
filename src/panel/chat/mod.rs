//! Conversations about pages, one for each tab and address, like readings.
//!
//! A [`Chat`] is plain data: turns that are only ever appended, cut off behind an edited one, or dropped at the
//! beginning when there are too many. What becomes of an answer is decided by its turn's name, which is new for every
//! attempt: whatever comes late for an earlier attempt finds no turn.

mod ask;
mod saved;
mod view;

use super::answer::{Answer, Run};
use super::read_page::ReadPage;
use super::reader::ReaderName;
use crate::reading::prompt;
use crate::wire::{ChatMessage, Role};

pub use ask::Asked;
pub use view::{ChatView, TurnAction, TurnView};

/// What the reader is about to ask.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Draft {
    /// The question as typed.
    pub text: String,
    /// The passage of the page it is about; empty for the page as a whole.
    pub selection: String,
}

/// A question and its answer.
#[derive(Debug)]
pub struct ChatTurn {
    id: String,
    question: String,
    selection: String,
    reader: ReaderName,
    answer: Answer,
    started_ms: u64,
    done_ms: Option<u64>,
    /// The reader was asked for leave and said "not now".
    consent_declined: bool,
}

impl ChatTurn {
    /// Names this attempt at an answer, and its port.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// What was asked.
    pub fn question(&self) -> &str {
        &self.question
    }

    /// The passage it was about; empty for the page.
    pub fn selection(&self) -> &str {
        &self.selection
    }

    /// Who answers.
    pub fn reader(&self) -> &ReaderName {
        &self.reader
    }

    /// The answer, as far as it has come.
    pub fn answer(&self) -> &Answer {
        &self.answer
    }

    /// Milliseconds from the question to the end of the answer.
    pub fn done_ms(&self) -> Option<u64> {
        self.done_ms
    }

    fn text(&self) -> &str {
        self.answer.prose().source()
    }

    fn bytes(&self) -> usize {
        self.question.len() + self.selection.len() + self.text().len()
    }
}

/// An earlier turn that is being asked anew.
#[derive(Debug)]
struct Edit {
    /// The turn's name; one that is gone is edited no more.
    turn: String,
    /// What stood in the input before.
    aside: Draft,
}

/// The conversation about one page in one tab.
#[derive(Debug)]
pub struct Chat {
    serial: u32,
    tab: i32,
    /// Address of the page without its fragment; empty until it is known.
    url: String,
    /// The page's text, where it was taken for the chat because nobody has read the page.
    page: Option<(ReadPage, String)>,
    turns: Vec<ChatTurn>,
    forgotten: usize,
    draft: Draft,
    edit: Option<Edit>,
    /// Key of why the question was not sent; empty when it was.
    remark: &'static str,
    revision: u32,
    draft_revision: u32,
}

impl Chat {
    /// Most turns kept and sent; the oldest make room, and the reader is told.
    pub const MAX_TURNS: usize = 50;
    /// Most bytes of earlier questions and answers kept and sent; the oldest make room.
    pub const MAX_BYTES: usize = prompt::MAX_HISTORY;
    /// Longest question, in bytes; a longer one stays in the input, and the reader is told.
    pub const MAX_QUESTION: usize = prompt::MAX_QUESTION;
    /// Longest passage a question may be about, in bytes; the chip says that the rest is left out.
    pub const MAX_SELECTION: usize = prompt::MAX_SELECTION;

    fn new(serial: u32, tab: i32, url: &str) -> Self {
        Self {
            serial,
            tab,
            url: url.to_owned(),
            page: None,
            turns: Vec::new(),
            forgotten: 0,
            draft: Draft::default(),
            edit: None,
            remark: "",
            revision: 0,
            draft_revision: 0,
        }
    }

    /// Tells this chat from the others of the panel.
    pub fn serial(&self) -> u32 {
        self.serial
    }

    /// The turns, oldest first.
    pub fn turns(&self) -> &[ChatTurn] {
        &self.turns
    }

    /// What stands in the input.
    pub fn draft(&self) -> &Draft {
        &self.draft
    }

    /// Counts the changes of anything shown, for renderers.
    pub fn revision(&self) -> u32 {
        self.revision
    }

    /// Counts the changes of the draft that the reader did not type.
    pub fn draft_revision(&self) -> u32 {
        self.draft_revision
    }

    /// How many turns made room for later ones.
    pub fn forgotten(&self) -> usize {
        self.forgotten
    }

    /// The turn that is being answered: always the last.
    pub fn running(&self) -> Option<&ChatTurn> {
        self.turns.last().filter(|turn| turn.answer.run().is_running())
    }

    pub(super) fn tab(&self) -> i32 {
        self.tab
    }

    pub(super) fn url(&self) -> &str {
        &self.url
    }

    /// The page's text as taken for the chat alone.
    pub(super) fn own_page(&self) -> Option<&ReadPage> {
        self.page.as_ref().map(|(page, _)| page)
    }

    /// When the last question was asked; 0 before the first.
    pub(super) fn used_ms(&self) -> u64 {
        self.turns.last().map_or(0, |turn| turn.started_ms)
    }

    /// The turn that was asked and answered last.
    pub(super) fn answered(&self) -> Option<&ChatTurn> {
        self.turns.iter().rev().find(|turn| !turn.answer.run().is_running() && !turn.text().trim().is_empty())
    }

    fn touch(&mut self) {
        self.revision = self.revision.wrapping_add(1);
        self.remark = "";
    }

    fn set_draft(&mut self, draft: Draft) {
        self.draft = draft;
        self.draft_revision = self.draft_revision.wrapping_add(1);
        self.touch();
    }

    /// Appends a turn; the oldest make room for it.
    fn begin(&mut self, turn: ChatTurn) {
        let mut bytes: usize = self.turns.iter().map(ChatTurn::bytes).sum();
        let gone = self
            .turns
            .iter()
            .enumerate()
            .take_while(|(at, old)| {
                let full = self.turns.len() - at >= Self::MAX_TURNS || bytes > Self::MAX_BYTES;
                bytes -= old.bytes();
                full
            })
            .count();
        self.turns.drain(..gone);
        self.forgotten += gone;
        self.turns.push(turn);
        self.touch();
    }

    /// What was said before the last turn. A turn without an answer is left out, so that the two voices take turns and
    /// no failure speaks for the model.
    fn history(&self) -> Vec<ChatMessage> {
        let before = self.turns.len().saturating_sub(1);
        let answered = self.turns[..before].iter().filter(|turn| !turn.text().trim().is_empty());
        answered
            .flat_map(|turn| {
                let (question, selection) = (turn.question.clone(), turn.selection.clone());
                let answer = turn.text().to_owned();
                [
                    ChatMessage { role: Role::User, content: question, selection },
                    ChatMessage { role: Role::Assistant, content: answer, selection: String::new() },
                ]
            })
            .collect()
    }

    /// Whether an earlier question stands in the input.
    pub fn is_editing(&self) -> bool {
        self.edit.as_ref().is_some_and(|edit| self.turns.iter().any(|turn| turn.id == edit.turn))
    }

    /// Whether the question of a turn stands in the input.
    pub(super) fn is_edited(&self, turn: &ChatTurn) -> bool {
        self.edit.as_ref().is_some_and(|edit| edit.turn == turn.id)
    }

    fn turn_mut(&mut self, id: &str) -> Option<&mut ChatTurn> {
        self.turns.iter_mut().find(|turn| turn.id == id)
    }

    /// The reader has had enough, of an answer or of waiting for one.
    fn stop(&mut self, now_ms: u64) -> Option<String> {
        let turn = self.turns.last_mut().filter(|turn| turn.answer.run().is_running())?;
        turn.answer.end(Run::Stopped);
        turn.done_ms = Some(now_ms.saturating_sub(turn.started_ms));
        let id = turn.id.clone();
        self.touch();
        Some(id)
    }
}

/// The chats of this panel, the latest last.
#[derive(Debug, Default)]
pub(super) struct Chats {
    chats: Vec<Chat>,
    serials: u32,
}

impl Chats {
    /// Most chats kept; the oldest that nobody waits for makes room.
    pub(super) const MAX: usize = 20;

    /// The chat about a page; about the tab's latest where the address is not known.
    fn find(&self, tab: i32, url: &str) -> Option<usize> {
        let position =
            |wanted: &dyn Fn(&Chat) -> bool| self.chats.iter().rposition(|chat| chat.tab == tab && wanted(chat));
        if url.is_empty() {
            return position(&|_| true);
        }
        position(&|chat| chat.url == url).or_else(|| position(&|chat| chat.url.is_empty()))
    }

    pub(super) fn of_page(&self, tab: i32, url: &str) -> Option<&Chat> {
        self.find(tab, url).map(|at| &self.chats[at])
    }

    /// The chat about a page, begun if there is none.
    fn open(&mut self, tab: i32, url: &str) -> &mut Chat {
        let at = self.find(tab, url).unwrap_or_else(|| {
            if self.chats.len() == Self::MAX {
                // One that is being answered goes last; its port then ends unheard.
                let idle = self.chats.iter().position(|chat| chat.running().is_none());
                self.chats.remove(idle.unwrap_or_default());
            }
            self.serials = self.serials.wrapping_add(1);
            self.chats.push(Chat::new(self.serials, tab, url));
            self.chats.len() - 1
        });
        &mut self.chats[at]
    }

    /// All of them.
    pub(super) fn iter(&self) -> impl Iterator<Item = &Chat> {
        self.chats.iter()
    }

    /// Takes a chat that was saved, unless there is one about its page.
    pub(super) fn restore(&mut self, mut chat: Chat) {
        if self.find(chat.tab, &chat.url).is_none() && self.chats.len() < Self::MAX {
            self.serials = self.serials.wrapping_add(1);
            chat.serial = self.serials;
            self.chats.push(chat);
        }
    }

    fn of_page_mut(&mut self, tab: i32, url: &str) -> Option<&mut Chat> {
        self.find(tab, url).map(|at| &mut self.chats[at])
    }

    /// The chat that holds a turn.
    fn with_turn(&mut self, id: &str) -> Option<&mut Chat> {
        self.chats.iter_mut().find(|chat| chat.turns.iter().any(|turn| turn.id == id))
    }

    /// Forgets the chats of a closed tab and returns the names of the turns that were being answered.
    pub(super) fn remove_tab(&mut self, tab: i32) -> Vec<String> {
        let (gone, kept): (Vec<_>, Vec<_>) = std::mem::take(&mut self.chats).into_iter().partition(|c| c.tab == tab);
        self.chats = kept;
        gone.iter().filter_map(|chat| chat.running().map(|turn| turn.id.clone())).collect()
    }

    /// Forgets all of them, likewise.
    pub(super) fn remove_all(&mut self) -> Vec<String> {
        let gone = std::mem::take(&mut self.chats);
        gone.iter().filter_map(|chat| chat.running().map(|turn| turn.id.clone())).collect()
    }

    pub(super) fn handle_tick(&mut self) {
        for chat in &mut self.chats {
            if let Some(turn) = chat.turns.last_mut().filter(|turn| turn.answer.run().is_running()) {
                turn.answer.handle_tick();
                chat.revision = chat.revision.wrapping_add(1);
            }
        }
    }
}
