//! What the benchmarks enter the core by, in a build of their own (`cargo xtask bench`): the very types of the worker,
//! with the way in and out that is left to the bench's page. Nothing of it ships.
#![cfg(target_arch = "wasm32")]

mod analysis_view;
#[expect(dead_code, reason = "the panel draws more than one analysis")]
#[path = "../../panel/src/prose.rs"]
mod prose;

use std::cell::Cell;

use js_sys::JsString;
use wasm_bindgen::prelude::*;

use sidelight::page::AnchorIndex;
use sidelight::provider::{Decoder, ModelEvent, ResponseHead};
use sidelight::reading::scan::{Found, Limits, Scanner};
use sidelight::wire::{Highlight, ProviderConfig, ProviderId, Snapshot};
use sidelight_browser::boundary::to_js;
use sidelight_browser::long_text::long_text;
use sidelight_browser::unicode;

/// Runs once, when the module is instantiated.
#[wasm_bindgen(start)]
pub fn start() {
    sidelight_browser::start();
}

/// One response, as the worker reads it: bytes go into a buffer of the module, as there, and what they say comes out.
struct Stream {
    decoder: Decoder,
    scanner: Scanner,
    input: Vec<u8>,
    events: Vec<ModelEvent>,
    found: Vec<Found>,
    text: String,
}

thread_local! {
    // Plain functions enter it: to borrow an exported object costs as much as to read a small chunk.
    static STREAM: Cell<Option<Box<Stream>>> = const { Cell::new(None) };
}

fn with_stream<T>(enter: impl FnOnce(&mut Stream) -> T) -> T {
    let mut stream = STREAM.take().unwrap_or_else(Stream::begin);
    let answer = enter(&mut stream);
    STREAM.set(Some(stream));
    answer
}

/// Begins a response of Anthropic's.
#[wasm_bindgen]
pub fn begin() {
    STREAM.set(Some(Stream::begin()));
}

/// Where a chunk of at most `capacity` bytes is to be written.
#[wasm_bindgen]
pub fn input(capacity: usize) -> *mut u8 {
    with_stream(|stream| {
        stream.input.resize(capacity, 0);
        stream.input.as_mut_ptr()
    })
}

/// Reads the `length` bytes written. Answers how many bytes of text came of it; they stand at [`text`].
#[wasm_bindgen]
pub fn feed(length: usize) -> usize {
    with_stream(|stream| {
        stream.decode(length);
        stream.text.len()
    })
}

/// Where the text of the last chunk is.
#[wasm_bindgen]
pub fn text() -> *const u8 {
    with_stream(|stream| stream.text.as_ptr())
}

/// Reads the `length` bytes written and returns their text as wasm-bindgen does.
#[wasm_bindgen]
pub fn feed_string(length: usize) -> String {
    with_stream(|stream| {
        stream.decode(length);
        std::mem::take(&mut stream.text)
    })
}

/// Reads the `length` bytes written. Answers how many highlights they complete; [`highlights`] has them.
#[wasm_bindgen]
pub fn scan(length: usize) -> usize {
    with_stream(|stream| {
        stream.decode(length);
        if !stream.text.is_empty() {
            stream.scanner.push(&stream.text, &mut stream.found);
        }
        stream.found.len()
    })
}

/// The highlights found since the last call, as objects.
#[wasm_bindgen]
pub fn highlights() -> Result<JsValue, JsValue> {
    let highlights: Vec<Highlight> = with_stream(|stream| {
        let highlights = stream.found.drain(..).filter_map(|found| match found {
            Found::Highlight(highlight) => Some(highlight),
            Found::Summary(_) | Found::CategorySummaries(_) => None,
        });
        highlights.collect()
    });
    Ok(to_js(&highlights)?)
}

impl Stream {
    fn begin() -> Box<Self> {
        let mut decoder = Decoder::new(ProviderId::Anthropic, &ProviderConfig::default());
        decoder.handle_head(&ResponseHead { status: 200, ..ResponseHead::default() });
        // More phrases than a reader is shown: the input of the benchmark grows.
        let limits = Limits { highlights: usize::MAX, ..Limits::default() };
        Box::new(Self {
            decoder,
            scanner: Scanner::with_limits(limits),
            input: Vec::new(),
            events: Vec::new(),
            found: Vec::new(),
            text: String::new(),
        })
    }

    fn decode(&mut self, length: usize) {
        let bytes = self.input.get(..length).unwrap_or_default();
        self.decoder.handle_chunk(bytes, &mut self.events);
        self.text.clear();
        if self.events.is_empty() {
            return;
        }
        for event in &mut self.events {
            if let ModelEvent::Text(text) = event {
                // At most one for each chunk.
                std::mem::swap(&mut self.text, text);
            }
        }
        self.events.clear();
    }
}

/// Where phrases stand in the text of a page, given the length and the flags of each text node in turn: first and last
/// UTF-16 unit of each phrase, or twice -1.
#[wasm_bindgen]
#[expect(clippy::needless_pass_by_value, reason = "wasm-bindgen passes lists of strings by value")]
pub fn anchor(text: &JsString, nodes: &[u32], phrases: Vec<String>) -> Vec<i32> {
    let nodes = nodes.as_chunks().0.iter().map(|&[len, flags]| (len, flags)).collect();
    let snapshot = Snapshot { text: long_text(text), nodes, ..Snapshot::default() };
    let found = AnchorIndex::new(&snapshot, unicode::decompose).find_all(&phrases);
    let units = |at: u32| i32::try_from(at).unwrap_or(-1);
    found.into_iter().flat_map(|anchor| anchor.map_or([-1, -1], |at| [units(at.start), units(at.end)])).collect()
}
