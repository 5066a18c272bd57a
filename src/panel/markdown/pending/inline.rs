//! The end of a line in progress that opens an emphasis, a code or a link and does not close it: its markers would be
//! seen for a moment, and then turn into something else.

/// Longest emphasis or code that is waited for, in bytes; what is longer was a marker that meant itself.
const MAX_SPAN: usize = 160;
/// Longest link that is waited for, in bytes: addresses are long. Nothing before that is looked at.
const MAX_LINK: usize = 1024;

/// Bytes of a line before the first thing in it that is still open.
pub(super) fn closed_len(line: &str) -> usize {
    let mut open: Vec<&str> = Vec::new();
    let mut rest = &line[line.floor_char_boundary(line.len().saturating_sub(MAX_LINK))..];
    let mut before = ' ';
    while let Some(first) = rest.chars().next() {
        let run = marker(rest);
        let after = &rest[run.len()..];
        let (taken, ends_with) = match first {
            '\\' => (rest.char_indices().nth(2).map_or(rest.len(), |(at, _)| at), 'x'),
            '`' => match code_len(run, after) {
                Some(len) => (run.len() + len, first),
                None if rest.len() <= MAX_SPAN => return earliest(line, &open, rest),
                None => (run.len(), first),
            },
            '[' => match link_len(rest) {
                Some(len) => (len, ']'),
                None => return earliest(line, &open, rest),
            },
            '*' | '_' => {
                let may_open = !after.starts_with(char::is_whitespace) && (first == '*' || !before.is_alphanumeric());
                let closed = open.iter().rposition(|opened| marker(opened) == run);
                match closed {
                    Some(at) if !before.is_whitespace() => open.truncate(at),
                    _ if may_open => open.push(rest),
                    _ => {}
                }
                (run.len(), first)
            }
            _ => (first.len_utf8(), first),
        };
        before = ends_with;
        rest = &rest[taken..];
    }
    earliest(line, &open, "")
}

/// Where the first of what is open begins: `rest`, or an emphasis before it that is not too long.
fn earliest(line: &str, open: &[&str], rest: &str) -> usize {
    let longest = open.iter().map(|opened| opened.len()).filter(|len| *len <= MAX_SPAN).max();
    line.len() - longest.unwrap_or_default().max(rest.len())
}

/// The run of equal characters at the start of a text.
fn marker(text: &str) -> &str {
    let first = text.chars().next().unwrap_or_default();
    &text[..text.len() - text.trim_start_matches(first).len()]
}

/// Bytes up to the end of a code that `run` opened; `None` while it is open.
fn code_len(run: &str, after: &str) -> Option<usize> {
    let mut from = 0;
    while let Some(at) = after[from..].find('`') {
        let found = marker(&after[from + at..]);
        from += at + found.len();
        if found == run {
            return Some(from);
        }
    }
    None
}

/// Bytes of what a bracket opens, with the address after it; `None` while more may follow.
fn link_len(text: &str) -> Option<usize> {
    let words = text.find(']')? + 1;
    match text[words..].chars().next()? {
        '(' => Some(words + text[words..].find(')')? + 1),
        _ => Some(words),
    }
}
