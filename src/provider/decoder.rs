//! From response bytes to what a model says.
//!
//! ```text
//! handle_head ── handle_chunk* ── handle_end        each exactly in this order, chunks cut anywhere
//!      │              └ 2xx: Text, Thinking, ToolUse, then Usage, Stop or Error
//!      └ any other status: the body is gathered and becomes one Error
//! ```
//!
//! Exactly one [`ModelEvent::Stop`] or [`ModelEvent::Error`] comes, and nothing behind it.

use serde_json::Value;
use sidelight_stream::envelope::Deltas;
use sidelight_stream::sse::{self, Parser};

use super::base_url;
use super::dialect::{Answer, AnswerReader, Dialect, Fault, dialect};
use super::failure::{ProviderError, Site};
use super::registry;
use super::request::Quirks;
use crate::url::Url;
use crate::wire::{ErrorCode, ProviderConfig, ProviderId, ReadingError, Source, StopReason, Usage};
use crate::words;
use event::handle_event;

mod event;
#[cfg(test)]
#[cfg(not(target_arch = "wasm32"))]
mod tests;

/// The most that is read of the body of a refusal, in bytes.
const REFUSED_BODY_BYTES: usize = 16 * 1024;

/// What a response says before its body.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ResponseHead {
    /// The HTTP status.
    pub status: u16,
    /// The `content-type` header; empty when absent.
    pub content_type: String,
    /// The `retry-after` header.
    pub retry_after: Option<String>,
    /// The address that answered.
    pub url: String,
}

/// Something a model said or did.
#[derive(Debug, Clone, PartialEq)]
pub enum ModelEvent {
    /// Text of the answer: at most one for each chunk.
    Text(String),
    /// Thinking aloud: at most one for each chunk, ahead of the text.
    Thinking(String),
    /// A call of one of our tools, its input complete.
    ToolUse {
        /// Names the call in its result; empty where the server gave none.
        id: String,
        /// The tool.
        name: String,
        /// The input; `{}` for a tool without parameters.
        input: Value,
    },
    /// What the model does before it can answer, for the reader.
    Status(String),
    /// A tool that the provider runs itself is at work, its input complete.
    ServerTool {
        /// The tool.
        name: String,
        /// The input.
        input: Value,
    },
    /// Pages that a search or a fetch of the provider's brought. Comes ahead of the text that rests on them.
    Sources(Vec<Source>),
    /// The whole turn in the provider's own form, to be given back as [`Turn::Replay`](super::Turn::Replay). Comes once,
    /// ahead of `Stop`, where the dialect knows how to go on.
    Replay(Value),
    /// Why the model declined, in its own words. Comes ahead of `Stop`.
    Refusal(String),
    /// Tokens used, in total. Comes once, ahead of `Stop` or `Error`, where the provider said.
    Usage(Usage),
    /// The answer is through. Final.
    Stop(StopReason),
    /// The answer failed; what came of it stands. Final.
    Error(ReadingError),
}

/// Reads one response.
pub struct Decoder {
    reader: Option<Box<dyn AnswerReader>>,
    deltas: Deltas,
    parser: Parser,
    answer: Answer,
    site: Site,
    content_type: String,
    /// The status and body so far of a response that is not a success.
    refused: Option<(u16, Vec<u8>)>,
    /// What the provider reported, kept for [`Decoder::quirks`].
    report: Option<ProviderError>,
    /// Whether the refusal may have been for the origin of the request.
    origin_refused: bool,
    /// Events of the stream so far.
    events: usize,
    done: bool,
}

impl Decoder {
    /// A decoder for the answer to one request. The key in `config` is kept only to strike it from quotations.
    pub fn new(id: ProviderId, config: &ProviderConfig) -> Self {
        let row = registry::provider(id);
        Self {
            reader: dialect(id, base_url::is_own(id, config)).map(Dialect::reader),
            deltas: Deltas::default(),
            parser: Parser::new(sse::Limits::default()),
            answer: Answer::default(),
            site: Site { name: row.name_in_sentence(), secret: config.key.clone(), ..Site::default() },
            content_type: String::new(),
            refused: None,
            report: None,
            origin_refused: false,
            events: 0,
            done: false,
        }
    }

    /// Takes status and headers.
    pub fn handle_head(&mut self, head: &ResponseHead) {
        if !(200..300).contains(&head.status) {
            self.refused = Some((head.status, Vec::new()));
        }
        let (content_type, _) = head.content_type.split_once(';').unwrap_or((&head.content_type, ""));
        content_type.trim().clone_into(&mut self.content_type);
        if let Some(url) = Url::parse(&head.url) {
            self.site.local = base_url::is_local(&url.host());
            registry::host_label(url.host_str()).unwrap_or(url.host_and_port_str()).clone_into(&mut self.site.name);
        }
    }

    /// Takes the next bytes of the body and adds what they say to `out`. Nothing is an answer too: the model is alive.
    pub fn handle_chunk(&mut self, bytes: &[u8], out: &mut Vec<ModelEvent>) {
        if self.done || bytes.is_empty() || self.deltas.take_part(bytes) {
            return;
        }
        if let Some((_, body)) = &mut self.refused {
            let room = REFUSED_BODY_BYTES - body.len();
            body.extend_from_slice(&bytes[..bytes.len().min(room)]);
            return;
        }
        let events = self.events;
        if self.read(bytes).is_err() {
            self.answer.fail(Fault::Overflow);
        } else if self.events == events {
            return;
        }
        self.flush(out);
        if self.answer.is_over() {
            self.conclude(out);
        }
    }

    fn read(&mut self, mut bytes: &[u8]) -> Result<(), sse::OverflowError> {
        while !bytes.is_empty() {
            if self.deltas.is_begun() || self.parser.is_between_blocks() {
                let taken = self.deltas.take(bytes);
                if taken.events > 0 {
                    self.events += taken.events;
                    self.take_texts();
                }
                if taken.bytes == bytes.len() {
                    break;
                }
                bytes = &bytes[taken.bytes..];
                let withheld = self.deltas.take_withheld();
                self.read_long_way(&withheld)?;
            }
            bytes = &bytes[self.read_block(bytes)?..];
        }
        Ok(())
    }

    /// Takes what went the short way.
    fn take_texts(&mut self) {
        let (block, text) = self.deltas.text();
        if let Some(reader) = &mut self.reader
            && !self.answer.is_over()
        {
            reader.handle_text(block, text, &mut self.answer);
        }
        self.deltas.clear_text();
    }

    fn read_long_way(&mut self, mut bytes: &[u8]) -> Result<(), sse::OverflowError> {
        while !bytes.is_empty() {
            bytes = &bytes[self.read_block(bytes)?..];
        }
        Ok(())
    }

    /// Reads the rest of a block line by line, and says how many bytes that took.
    fn read_block(&mut self, bytes: &[u8]) -> Result<usize, sse::OverflowError> {
        let (reader, answer, is_curious) = (&mut self.reader, &mut self.answer, self.deltas.is_curious());
        let (mut events, mut proven) = (0, None);
        let taken = self.parser.push_block(bytes, |event| {
            events += 1;
            proven = handle_event(reader.as_deref_mut(), event, answer, is_curious);
        })?;
        self.events += events;
        self.deltas.observe(&bytes[..taken], self.parser.is_between_blocks(), proven);
        Ok(taken)
    }

    /// Takes the end of the body, also one that is due to a broken connection: an answer whose end was already known
    /// still ends in `Stop`.
    pub fn handle_end(&mut self, out: &mut Vec<ModelEvent>) {
        if self.done {
            return;
        }
        if let Some((status, body)) = self.refused.take() {
            self.done = true;
            let report = ProviderError::from_body(&String::from_utf8_lossy(&body));
            self.origin_refused = status == 403 && report.may_be_about_origin();
            out.push(ModelEvent::Error(self.site.failure(Some(status), &report)));
            self.report = Some(report);
            return;
        }
        let withheld = self.deltas.take_withheld();
        // A bound that it breaks is what the parser's end says.
        let _ = self.read_long_way(&withheld);
        let (reader, answer) = (&mut self.reader, &mut self.answer);
        let end = self.parser.finish(|event| {
            handle_event(reader.as_deref_mut(), event, answer, false);
        });
        if let sse::End::Overflow(_) = end {
            self.answer.fail(Fault::Overflow);
        }
        if self.answer.stop.is_none() && !self.answer.is_over() {
            self.handle_stray();
        }
        self.flush(out);
        self.conclude(out);
    }

    /// After an `Error`: what to leave out when asking once more, if the refusal named something that `sent` still held.
    pub fn quirks(&self, sent: Quirks) -> Option<Quirks> {
        sent.learn(self.report.as_ref()?)
    }

    /// After an `Error`: the wait it names, in the form of a `retry-after` header.
    pub fn retry_after(&self) -> Option<&str> {
        self.report.as_ref()?.retry_after.as_deref()
    }

    /// After an `Error`: whether the same request may be taken when it comes from elsewhere.
    pub fn is_origin_refused(&self) -> bool {
        self.origin_refused
    }

    /// Reads the lines between the events: an answer in one piece, an error without `data:`, or something else entirely.
    fn handle_stray(&mut self) {
        let stray = String::from_utf8_lossy(self.parser.stray());
        let stray = stray.trim();
        let answer = &mut self.answer;
        if stray.is_empty() || self.reader.as_deref_mut().is_some_and(|reader| reader.handle_document(stray, answer)) {
            return;
        }
        if let Some(report) = ProviderError::parse(stray) {
            answer.fail(Fault::Provider(report));
        } else if self.events == 0 && !serde_json::from_str::<Value>(stray).is_err_and(|error| error.is_eof()) {
            answer.fail(Fault::Foreign(ProviderError::from_body(stray).words));
        }
    }

    /// Hands over what has gathered.
    fn flush(&mut self, out: &mut Vec<ModelEvent>) {
        let answer = &mut self.answer;
        if !answer.thinking.is_empty() {
            out.push(ModelEvent::Thinking(std::mem::take(&mut answer.thinking)));
        }
        // Mostly there is text and nothing else, and to append nothing costs as much as to append something.
        if !answer.found.is_empty() {
            out.append(&mut answer.found);
        }
        if !answer.text.is_empty() {
            out.push(ModelEvent::Text(std::mem::take(&mut answer.text)));
        }
        if !answer.events.is_empty() {
            out.append(&mut answer.events);
        }
    }

    fn conclude(&mut self, out: &mut Vec<ModelEvent>) {
        self.done = true;
        let answer = &mut self.answer;
        // Nobody named a reason, but the end marker came.
        let stop = answer.stop.or(answer.ended.then_some(StopReason::EndTurn));
        if stop.is_some() {
            answer.close_tools();
            out.append(&mut answer.events);
        }
        if let Some(usage) = answer.usage {
            out.push(ModelEvent::Usage(usage));
        }
        match (stop, answer.fault.take()) {
            (Some(stop), None) => {
                if !answer.refusal.is_empty() {
                    out.push(ModelEvent::Refusal(self.site.quote(&answer.refusal)));
                }
                out.extend(self.reader.as_mut().and_then(|reader| reader.replay()).map(ModelEvent::Replay));
                out.push(ModelEvent::Stop(stop));
            }
            // Damage at the very end is the broken connection's doing.
            (None, None | Some(Fault::Damaged)) => out.push(ModelEvent::Error(self.truncated())),
            (_, Some(fault)) => {
                out.push(ModelEvent::Error(self.failure(&fault)));
                if let Fault::Provider(report) = fault {
                    self.report = Some(report);
                }
            }
        }
    }

    fn truncated(&self) -> ReadingError {
        let key = if self.events > 0 { "error_ended_early" } else { "error_closed" };
        ReadingError::retryable(ErrorCode::Truncated, words::say(key, &[&self.site.name]))
    }

    fn failure(&self, fault: &Fault) -> ReadingError {
        let name = &self.site.name;
        match fault {
            Fault::Provider(report) => self.site.failure(None, report),
            Fault::Known(error) => error.clone(),
            Fault::Damaged => ReadingError::retryable(ErrorCode::Protocol, words::say("error_damaged", &[name])),
            Fault::Overflow => ReadingError::new(ErrorCode::Overflow, words::say("error_overflow", &[name])),
            Fault::Foreign(quoted) => {
                let kind = self.site.quote(&self.content_type);
                let key = if kind.is_empty() { "error_foreign_unnamed" } else { "error_foreign" };
                let message = words::say(key, &[name, &kind]);
                ReadingError::new(ErrorCode::Protocol, self.site.with_words(message, quoted))
            }
        }
    }
}
