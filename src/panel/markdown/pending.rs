//! The end of a growing text that is not shown yet, since the next characters decide what it is.

mod inline;

/// Bytes of `text` that may be shown: all but a line in progress that so far consists of markers or opens a fence,
/// but a line that may turn out to be the head of a table, and but an emphasis, a code or a link that is not closed.
pub(super) fn visible_len(text: &str) -> usize {
    let line_start = text.rfind('\n').map_or(0, |at| at + 1);
    let line = &text[line_start..];
    let visible = if is_undecided(line) {
        line_start
    } else if ["```", "~~~"].iter().any(|fence| text.trim_start().starts_with(fence)) {
        text.len()
    } else {
        line_start + inline::closed_len(line)
    };
    table_head(text, line_start).map_or(visible, |head| if visible == line_start { head } else { visible })
}

/// Characters that fences, headings, lists, quotations, rules, tables and their numbers begin with.
const MARKERS: &str = "`~#-*_+=|:.)> \t\r0123456789";

/// Whether a line in progress could still become something else than the text it looks like.
fn is_undecided(line: &str) -> bool {
    let inner = line.trim_start_matches(|c: char| MARKERS.contains(c) && !matches!(c, '`' | '~' | '|'));
    inner.is_empty()
        || ["```", "~~~", "|"].iter().any(|opening| inner.starts_with(opening))
        || line.chars().all(|c| MARKERS.contains(c))
}

/// Start of the line before `line_start` if it begins a table whose second line has not come yet.
fn table_head(text: &str, line_start: usize) -> Option<usize> {
    let before = text[..line_start].strip_suffix('\n')?;
    let head_start = before.rfind('\n').map_or(0, |at| at + 1);
    let follows_table =
        before[..head_start].trim_end_matches('\n').rsplit('\n').next().is_some_and(|line| line.starts_with('|'));
    (before[head_start..].starts_with('|') && !follows_table).then_some(head_start)
}
