//! One event of a stream: an answer's next piece, an error, or noise.

use sidelight_stream::envelope::Proven;
use sidelight_stream::sse;

use crate::provider::delta::prove;
use crate::provider::dialect::{Answer, AnswerReader, Fault};
use crate::provider::failure::ProviderError;

/// Reads an event; with `is_curious` also where its text stands, if it says nothing else.
pub(super) fn handle_event(
    reader: Option<&mut (dyn AnswerReader + 'static)>,
    event: sse::Event<'_>,
    answer: &mut Answer,
    is_curious: bool,
) -> Option<Proven> {
    // Once the answer is over nothing counts.
    if answer.is_over() {
        return None;
    }
    let Some(reader) = reader else {
        read_value(None, event, answer);
        return None;
    };
    let before = answer.text.len();
    read_value(Some(reader), event, answer);
    // Most events without text are no beginning of more text: only those that had some are worth a second look.
    if is_curious && answer.text.len() > before { prove(reader, event) } else { None }
}

/// Reads an event as a JSON value.
fn read_value(mut reader: Option<&mut (dyn AnswerReader + 'static)>, event: sse::Event<'_>, answer: &mut Answer) {
    let data = event.data.trim_start();
    // Empty data is a ping, and a leading colon a comment that some proxy wrapped.
    if data.is_empty() || data.starts_with(':') {
        return;
    }
    if !data.starts_with(['{', '[', '"']) {
        // Plain words: an error when called one, else noise.
        if event.event == "error" {
            answer.fail(Fault::Provider(ProviderError { words: data.to_owned(), ..ProviderError::default() }));
        }
        return;
    }
    let Some(reader) = &mut reader else { return };
    if reader.handle_event(event, answer) {
        return;
    }
    if let Some(mended) = without_lone_surrogates(event.data)
        && reader.handle_event(sse::Event { data: &mended, ..event }, answer)
    {
        return;
    }
    // An object of another shape: some servers write the bare fields of an error.
    answer.fail(ProviderError::parse(event.data).map_or(Fault::Damaged, Fault::Provider));
}

/// JSON with every escaped half of a surrogate pair that stands alone replaced by U+FFFD; `None` when there is none.
///
/// Gateways that cut text by UTF-16 units write such halves. No JSON reader for UTF-8 takes them, and one emoji should
/// not cost a sentence.
pub(super) fn without_lone_surrogates(json: &str) -> Option<String> {
    let unit = |at: usize| {
        let digits = json.get(at..at + 6)?.strip_prefix("\\u")?;
        u16::from_str_radix(digits, 16).ok()
    };
    let (mut mended, mut copied, mut at) = (String::new(), 0, 0);
    while let Some(escape) = memchr::memchr(b'\\', &json.as_bytes()[at..]) {
        let start = at + escape;
        at = match unit(start) {
            Some(0xD800..0xDC00) if matches!(unit(start + 6), Some(0xDC00..0xE000)) => start + 12,
            Some(0xD800..0xE000) => {
                mended.push_str(&json[copied..start]);
                mended.push_str("\\ufffd");
                copied = start + 6;
                copied
            }
            // Past the escaped character: it may be a backslash itself.
            Some(_) | None => (start + 2).min(json.len()),
        };
    }
    (copied > 0).then(|| mended + &json[copied..])
}
