//! The page in a tab: put our script into it, ask it, tell it.

use std::cell::RefCell;
use std::future::poll_fn;
use std::pin::pin;
use std::task::Poll;

use js_sys::{JsString, Reflect};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use wasm_bindgen::prelude::*;

use super::boundary::{error_text, from_js, to_js};
use super::chrome;
use super::long_text::long_text;
use super::sleep::sleep;
use sidelight::page::frames::{MAX_FRAMES, merge};
use sidelight::wire::{ErrorCode, ExtensionToPage, ReadingError, Snapshot};
use sidelight::words;

/// Chrome's number of a tab's top frame.
pub const TOP: u32 = 0;

/// Longest wait for the frames of a page, in milliseconds. Those that still load after it are read as they are.
const FRAMES_TIMEOUT_MS: u32 = 1_500;

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Target {
    tab_id: i32,
    all_frames: bool,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Injection<'a> {
    target: Target,
    /// For scripts only: Chrome refuses it beside styles.
    #[serde(skip_serializing_if = "Option::is_none")]
    inject_immediately: Option<bool>,
    files: &'a [&'a str],
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Destination {
    #[serde(skip_serializing_if = "Option::is_none")]
    frame_id: Option<u32>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Injected {
    frame_id: u32,
}

/// What is injected, in order; the tests of the scripts read it here. Injecting again is harmless: the script guards
/// itself.
const SCRIPTS: &[&str] = &[
    "pkg/Readability.js",
    "page/dom.js",
    "page/sight.js",
    "page/main_content.js",
    "page/signed_in.js",
    "page/text.js",
    "page/tooltip.js",
    "page/paint.js",
    "page/watch.js",
    "page/pointer.js",
    "content.js",
];
const STYLES: &[&str] = &["pkg/page.css"];

/// Puts the script into the tab's page: the top document, or every frame the extension may touch, as soon as it has
/// loaded or at once. Needs the reader's click on the toolbar button (`activeTab`). Answers which frames have it.
async fn inject(tab_id: i32, all_frames: bool, inject_immediately: bool) -> Result<Vec<Injected>, ReadingError> {
    let injection = |inject_immediately, files| {
        to_js(&Injection { target: Target { tab_id, all_frames }, inject_immediately, files })
    };
    let scripts = injection(Some(inject_immediately), SCRIPTS).map_err(|error| internal(&error))?;
    let styles = injection(None, STYLES).map_err(|error| internal(&error))?;
    let injected =
        chrome::scripting::execute_script(&scripts).await.map_err(|thrown| unreadable(&error_text(&thrown)))?;
    chrome::scripting::insert_css(&styles).await.map_err(|thrown| unreadable(&error_text(&thrown)))?;
    from_js(injected).map_err(|error| internal(&error))
}

/// Puts one script into the tab's page.
pub async fn inject_file(tab_id: i32, file: &str) -> Result<(), ReadingError> {
    let target = Target { tab_id, all_frames: false };
    let script = Injection { target, inject_immediately: None, files: &[file] };
    let script = to_js(&script).map_err(|error| internal(&error))?;
    chrome::scripting::execute_script(&script).await.map_err(|thrown| unreadable(&error_text(&thrown)))?;
    Ok(())
}

/// Takes a snapshot of the page, putting the script there first.
pub async fn extract(tab_id: i32) -> Result<Snapshot, ReadingError> {
    inject(tab_id, false, false).await?;
    let top = snapshot(tab_id, TOP).await?;
    if top.embeds.is_empty() {
        return Ok(top);
    }
    let frames: RefCell<Vec<(u32, Snapshot)>> = RefCell::default();
    for at_once in [false, true] {
        let in_time = within(FRAMES_TIMEOUT_MS, read_frames(tab_id, at_once, &frames)).await;
        if in_time || !frames.borrow().is_empty() {
            break;
        }
    }
    Ok(merge(&top, frames.take()))
}

/// Takes a snapshot of every other frame. One that can't be read is left out: the document around it counts it.
async fn read_frames(tab_id: i32, at_once: bool, frames: &RefCell<Vec<(u32, Snapshot)>>) {
    let Ok(injected) = inject(tab_id, true, at_once).await else { return };
    for Injected { frame_id } in injected.into_iter().filter(|frame| frame.frame_id != TOP).take(MAX_FRAMES) {
        if let Ok(snapshot) = snapshot(tab_id, frame_id).await {
            frames.borrow_mut().push((frame_id, snapshot));
        }
    }
}

/// Takes a snapshot of one frame.
async fn snapshot(tab_id: i32, frame_id: u32) -> Result<Snapshot, ReadingError> {
    let answer = ask(tab_id, Some(frame_id), &ExtensionToPage::Extract).await?;
    // Nearly all of it is its text, which goes a shorter way. What is no snapshot is left to the error below.
    let text = Reflect::get(&answer, &TEXT.into()).ok().and_then(|text| text.dyn_into::<JsString>().ok());
    if text.is_some() {
        Reflect::set(&answer, &TEXT.into(), &JsValue::from("")).map_err(|thrown| unreadable(&error_text(&thrown)))?;
    }
    let snapshot: Snapshot = from_js(answer).map_err(|error| internal(&error))?;
    Ok(Snapshot { text: text.as_ref().map(long_text).unwrap_or_default(), ..snapshot })
}

/// The field of a [`Snapshot`].
const TEXT: &str = "text";

/// Lets `work` go on for at most `ms` milliseconds. Answers whether it came to its end.
async fn within(ms: u32, work: impl Future<Output = ()>) -> bool {
    let (mut work, mut over) = (pin!(work), pin!(sleep(ms)));
    poll_fn(|context| match (work.as_mut().poll(context), over.as_mut().poll(context)) {
        (Poll::Ready(()), _) => Poll::Ready(true),
        (Poll::Pending, over) => over.map(|()| false),
    })
    .await
}

/// Sends a message to the script in a frame of the tab and reads its answer; without a frame to all of them, and then
/// whichever answers first is heard.
pub async fn send<T: DeserializeOwned>(
    tab_id: i32,
    frame_id: Option<u32>,
    message: &ExtensionToPage,
) -> Result<T, ReadingError> {
    from_js(ask(tab_id, frame_id, message).await?).map_err(|error| internal(&error))
}

async fn ask(tab_id: i32, frame_id: Option<u32>, message: &ExtensionToPage) -> Result<JsValue, ReadingError> {
    let message = to_js(message).map_err(|error| internal(&error))?;
    let destination = to_js(&Destination { frame_id }).map_err(|error| internal(&error))?;
    chrome::tabs::send_message(tab_id, &message, &destination).await.map_err(|thrown| unreadable(&error_text(&thrown)))
}

fn internal(error: &serde_wasm_bindgen::Error) -> ReadingError {
    ReadingError::new(ErrorCode::Internal, words::say("page_script_odd", &[&error.to_string()]))
}

/// Chrome's words are for developers; say what it means and keep them at the end.
fn unreadable(chrome_says: &str) -> ReadingError {
    let is_browser_page =
        ["chrome://", "chrome-extension://", "devtools://", "cannot be scripted", "extensions gallery"]
            .iter()
            .any(|mark| chrome_says.contains(mark));
    let message = if is_browser_page {
        words::say("page_browser", &[])
    } else if chrome_says.contains("Cannot access") || chrome_says.contains("must request permission") {
        // Chrome says the same of an empty tab, which no click opens.
        words::say("page_click", &[])
    } else {
        words::say("page_unreadable", &[chrome_says])
    };
    ReadingError::retryable(ErrorCode::Page, message)
}
