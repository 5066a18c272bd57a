//! A chat as a plain value, see [`super::super::saved`].

use serde_json::Value;

use super::{Chat, ChatTurn, Draft};
use crate::panel::answer::Answer;
use crate::panel::read_page::ReadPage;
use crate::panel::reader::ReaderName;
use crate::panel::saved::{list, number, object, text};

impl Chat {
    /// Whether anything was asked here, or is about to be.
    pub(in crate::panel) fn is_worth_saving(&self) -> bool {
        !self.turns.is_empty() || self.draft != Draft::default()
    }

    pub(in crate::panel) fn save(&self) -> Value {
        let turns = self.turns.iter().map(|turn| {
            object(vec![
                ("id", turn.id.as_str().into()),
                ("question", turn.question.as_str().into()),
                ("selection", turn.selection.as_str().into()),
                ("reader", turn.reader.save()),
                ("answer", turn.answer.save()),
                ("startedMs", turn.started_ms.into()),
                ("doneMs", turn.done_ms.into()),
            ])
        });
        let page = self.page.as_ref();
        object(vec![
            ("url", self.url.as_str().into()),
            ("page", page.map_or(Value::Null, |(page, _)| page.save())),
            ("content", page.map_or(Value::Null, |(_, content)| content.as_str().into())),
            ("turns", turns.collect()),
            ("forgotten", self.forgotten.into()),
            ("draft", self.draft.text.as_str().into()),
            ("selection", self.draft.selection.as_str().into()),
        ])
    }

    pub(in crate::panel) fn restore(saved: &Value, tab: i32) -> Option<Self> {
        let mut chat = Self::new(0, tab, saved["url"].as_str()?);
        if saved["page"].is_object() {
            chat.page = Some((ReadPage::restore(&saved["page"]), text(saved, "content")));
        }
        chat.turns = list(saved, "turns").iter().take(Self::MAX_TURNS).filter_map(restore_turn).collect();
        chat.forgotten = usize::try_from(number(saved, "forgotten")).unwrap_or_default();
        chat.set_draft(Draft { text: text(saved, "draft"), selection: text(saved, "selection") });
        Some(chat)
    }
}

fn restore_turn(saved: &Value) -> Option<ChatTurn> {
    Some(ChatTurn {
        id: saved["id"].as_str()?.to_owned(),
        question: text(saved, "question"),
        selection: text(saved, "selection"),
        reader: ReaderName::restore(&saved["reader"])?,
        answer: Answer::restore(&saved["answer"]),
        started_ms: number(saved, "startedMs"),
        done_ms: saved["doneMs"].as_u64(),
        consent_declined: false,
    })
}
