//! The thinking that servers without a field for it leave at the start of an answer: `<think>…</think>`.

const OPEN: &str = "<think>";
const CLOSE: &str = "</think>";

/// Tells such a block from the answer behind it, wherever the text is cut. Holds at most a tag and the white space
/// before it.
#[derive(Debug, Default)]
pub(super) struct ThinkBlock {
    state: State,
    /// Text that may be the beginning of a tag.
    held: String,
}

#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum State {
    /// Nothing but white space has come.
    #[default]
    Before,
    Inside,
    /// From here on tags are text.
    Behind,
}

impl ThinkBlock {
    /// Takes the next text of an answer and adds it to where it belongs.
    pub(super) fn push(&mut self, text: &str, thinking: &mut String, answer: &mut String) {
        if self.state == State::Behind {
            answer.push_str(text);
            return;
        }
        self.held.push_str(text);
        if self.state == State::Before {
            let begun = self.held.trim_start();
            if begun.len() < OPEN.len() && OPEN.starts_with(begun) {
                // White space alone is no reason to wait: it would come back with the tag.
                if begun.is_empty() {
                    answer.push_str(&std::mem::take(&mut self.held));
                }
                return;
            }
            let Some(inside) = begun.strip_prefix(OPEN) else { return self.finish(thinking, answer) };
            self.held = inside.to_owned();
            self.state = State::Inside;
        }
        if let Some((thought, rest)) = self.held.split_once(CLOSE) {
            thinking.push_str(thought);
            answer.push_str(rest.trim_start());
            self.held.clear();
            self.state = State::Behind;
            return;
        }
        let kept = (1..CLOSE.len()).rev().find(|kept| self.held.ends_with(&CLOSE[..*kept])).unwrap_or(0);
        thinking.extend(self.held.drain(..self.held.len() - kept));
    }

    /// Hands over what is held: the text is at its end, or its beginning is no tag.
    pub(super) fn finish(&mut self, thinking: &mut String, answer: &mut String) {
        let held = std::mem::take(&mut self.held);
        match self.state {
            State::Inside => thinking.push_str(&held),
            State::Before | State::Behind => answer.push_str(&held),
        }
        self.state = State::Behind;
    }
}

#[cfg(test)]
#[cfg(not(target_arch = "wasm32"))]
mod tests {
    use super::*;

    /// Thinking and answer of a text, the same for every cut of it in two.
    #[track_caller]
    fn check(text: &str, expect: (&str, &str)) {
        for at in 0..=text.len() {
            let (mut block, mut thinking, mut answer) = (ThinkBlock::default(), String::new(), String::new());
            block.push(&text[..at], &mut thinking, &mut answer);
            block.push(&text[at..], &mut thinking, &mut answer);
            block.finish(&mut thinking, &mut answer);
            assert_eq!((thinking.as_str(), answer.trim_start()), expect, "cut at {at} of {text}");
        }
    }

    #[test]
    fn a_block_at_the_start_is_thinking_and_nothing_else_is() {
        check("<think>Hm, 1 < 2.</th</think>\n\nThe answer.", ("Hm, 1 < 2.</th", "The answer."));
        check("\n<think></think>The answer.", ("", "The answer."));
        check("<think>Cut off", ("Cut off", ""));
        check("<think>Cut off</thi", ("Cut off</thi", ""));
        check("The answer. <think>no</think>", ("", "The answer. <think>no</think>"));
        check("<think>a</think>b<think>c</think>", ("a", "b<think>c</think>"));
        check("<thing>", ("", "<thing>"));
        check("<thi", ("", "<thi"));
    }

    #[test]
    fn what_is_held_is_bounded() {
        let (mut block, mut thinking, mut answer) = (ThinkBlock::default(), String::new(), String::new());
        for text in ["\n".repeat(10_000), "<think>".to_owned(), "hm </thin".repeat(1_000)] {
            block.push(&text, &mut thinking, &mut answer);
            assert!(block.held.len() < CLOSE.len(), "{} bytes held", block.held.len());
        }
    }
}
