//! What a model reads of a page.

use super::addresses::MAX_ADDRESS;
use super::fold::is_invisible;
use crate::wire::Snapshot;

/// Most bytes of page text that are read. A model reads so much in parts; beyond it, what is left out is counted.
pub const MAX_CONTENT: usize = 4_000_000;
/// Longest words of a link in the list of links, in characters.
const MAX_LINK_WORDS: usize = 120;
/// Most bytes of the list of links, which stands behind the text.
pub const MAX_LINK_LIST: usize = 20_000;
/// Most bytes of everything that is read of a page.
pub const MAX_TEXT: usize = MAX_CONTENT + MAX_LINK_LIST;
/// A selection of fewer characters is a slip of the mouse.
const MIN_SELECTION: usize = 20;

/// The text of a page as it is sent to a model.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Reading {
    /// Paragraphs, each on its line; then, after a blank line, `PAGE LINKS:`.
    pub text: String,
    /// Whether the reader's selection is read instead of the page.
    pub selection: bool,
    /// Characters of the page that did not fit into [`MAX_CONTENT`]; 0 when everything is there.
    pub left_out: usize,
}

/// The text of `snapshot` to read: the selection, else the main content, else everything. White space is folded, a
/// block is a line, invisible characters are gone (a hidden instruction must not reach the model).
pub fn reading_text(snapshot: &Snapshot) -> Reading {
    let selection = snapshot.selection.chars().filter(|c| !c.is_whitespace()).take(MIN_SELECTION).count();
    if selection == MIN_SELECTION {
        let mut lines = Lines::default();
        for line in snapshot.selection.lines() {
            lines.begin();
            lines.push(line);
        }
        return Reading { text: lines.text, selection: true, left_out: lines.left_out };
    }
    let required = required_flags(snapshot);
    let mut lines = Lines::default();
    let mut chars = snapshot.text.chars();
    for &(len, flags) in &snapshot.nodes {
        let node = take_utf16(&mut chars, len);
        if flags & Snapshot::BLOCK != 0 {
            lines.begin();
        }
        if flags & required == required {
            lines.push(node);
        }
    }
    if snapshot.nodes.is_empty() {
        lines.push(&snapshot.text);
    }
    let Lines { mut text, left_out, .. } = lines;
    push_links(&mut text, &snapshot.links);
    Reading { text, selection: false, left_out }
}

/// The flags of the nodes that are read: those of the main content where there is one, else all.
pub(super) fn required_flags(snapshot: &Snapshot) -> u32 {
    let has_main = snapshot.nodes.iter().any(|(_, flags)| flags & Snapshot::MAIN != 0);
    if has_main { Snapshot::MAIN } else { 0 }
}

/// How many words `text` has: runs between white space. Scripts without spaces count by sentence marks alone.
pub fn word_count(text: &str) -> usize {
    text.split_whitespace().filter(|word| word.contains(char::is_alphanumeric)).count()
}

/// Lists the page's links as far as there is room for them.
fn push_links(text: &mut String, links: &[(String, String)]) {
    let start = text.len();
    for (words, url) in links.iter().take(Snapshot::MAX_LINKS).filter(|(_, url)| url.len() <= MAX_ADDRESS) {
        let mut line = Lines::default();
        line.push(words.char_indices().nth(MAX_LINK_WORDS).map_or(words, |(end, _)| &words[..end]));
        let head = if text.len() == start { "\n\nPAGE LINKS:\n- " } else { "\n- " };
        let line = [head, &line.text, ": ", url].concat();
        if text.len() - start + line.len() > MAX_LINK_LIST {
            break;
        }
        text.push_str(&line);
    }
}

/// The next `units` UTF-16 units of `chars`.
pub(super) fn take_utf16<'a>(chars: &mut std::str::Chars<'a>, units: u32) -> &'a str {
    let rest = chars.as_str();
    let mut left = units as usize;
    while left > 0
        && let Some(c) = chars.next()
    {
        left = left.saturating_sub(c.len_utf16());
    }
    &rest[..rest.len() - chars.as_str().len()]
}

/// Text being folded into lines, up to [`MAX_CONTENT`].
#[derive(Default)]
struct Lines {
    text: String,
    left_out: usize,
    /// A separator that stands before the next character, if one comes.
    separator: Option<char>,
}

impl Lines {
    fn begin(&mut self) {
        self.separator = Some('\n');
    }

    fn push(&mut self, piece: &str) {
        for c in piece.chars() {
            if c.is_whitespace() {
                self.separator = self.separator.or(Some(' '));
            } else if !is_invisible(c) {
                self.push_char(c);
            }
        }
    }

    fn push_char(&mut self, c: char) {
        if self.left_out > 0 || self.text.len() + c.len_utf8() >= MAX_CONTENT {
            self.left_out += 1;
            return;
        }
        if let Some(separator) = self.separator.take()
            && !self.text.is_empty()
        {
            self.text.push(separator);
        }
        self.text.push(c);
    }
}

#[cfg(test)]
#[cfg(not(target_arch = "wasm32"))]
mod tests {
    use super::{MAX_CONTENT, reading_text, word_count};
    use crate::wire::Snapshot;

    fn page(nodes: &[(&str, u32)]) -> Snapshot {
        Snapshot {
            text: nodes.iter().map(|(text, _)| *text).collect(),
            nodes: nodes
                .iter()
                .map(|(text, flags)| (u32::try_from(text.encode_utf16().count()).unwrap(), *flags))
                .collect(),
            ..Snapshot::default()
        }
    }

    #[test]
    fn blocks_become_lines_and_white_space_folds() {
        let page = page(&[("  One\n\t two ", 1), ("three", 0), (" ", 0), ("Price", 1), ("$10", 1)]);
        assert_eq!(reading_text(&page).text, "One two three\nPrice\n$10");
    }

    #[test]
    fn inline_pieces_are_not_torn_apart() {
        assert_eq!(reading_text(&page(&[("un", 1), ("believ", 0), ("able", 0)])).text, "unbelievable");
    }

    #[test]
    fn only_main_content_is_read_where_there_is_some() {
        let page = page(&[("Menu", 1), ("Story 😀", 1 | 2), ("Footer", 1)]);
        assert_eq!(reading_text(&page).text, "Story 😀");
    }

    #[test]
    fn invisible_characters_never_reach_the_model() {
        let page = page(&[("a\u{ad}b\u{200b}c\u{202e}d\u{e0041}\u{e0042}e", 1)]);
        assert_eq!(reading_text(&page).text, "abcde");
    }

    #[test]
    fn a_selection_is_read_instead_unless_it_is_tiny() {
        let mut page = page(&[("The page.", 1)]);
        page.selection = "Two words".to_owned();
        assert!(!reading_text(&page).selection);
        page.selection = "A selected paragraph of the page.\n\nAnd another.".to_owned();
        let reading = reading_text(&page);
        assert_eq!(
            (reading.text.as_str(), reading.selection),
            ("A selected paragraph of the page.\nAnd another.", true)
        );
    }

    #[test]
    fn links_follow_after_a_blank_line() {
        let mut page = page(&[("Text.", 1)]);
        page.links = vec![("A\n study".to_owned(), "https://a.example/".to_owned())];
        assert_eq!(reading_text(&page).text, "Text.\n\nPAGE LINKS:\n- A study: https://a.example/");
    }

    #[test]
    fn what_does_not_fit_is_counted() {
        let long = "word ".repeat(MAX_CONTENT / 4);
        let reading = reading_text(&page(&[(&long, 1)]));
        assert!(reading.text.len() < MAX_CONTENT);
        let letters = |text: &str| text.chars().filter(|c| !c.is_whitespace()).count();
        assert_eq!(letters(&reading.text) + reading.left_out, letters(&long));
    }

    #[test]
    fn words_are_counted() {
        assert_eq!(word_count("One two — three, 4."), 4);
    }
}
