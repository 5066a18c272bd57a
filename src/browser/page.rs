//! The page in a tab: put our script into it, ask it, tell it.

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::boundary::{error_text, from_js, to_js};
use super::chrome;
use crate::wire::{ErrorCode, ExtensionToPage, ReadingError, Snapshot};

#[derive(Serialize)]
struct Target {
    #[serde(rename = "tabId")]
    tab_id: i32,
}

#[derive(Serialize)]
struct Injection<'a> {
    target: Target,
    files: &'a [&'a str],
}

#[derive(Serialize)]
struct MainFrame {
    #[serde(rename = "frameId")]
    frame_id: u32,
}

/// What is injected, in order. Injecting again is harmless: the script guards itself.
const SCRIPTS: &[&str] = &["pkg/Readability.js", "page/text.js", "page/tooltip.js", "content.js"];
const STYLES: &[&str] = &["pkg/page.css"];

/// Puts the script into the tab's page. Needs the reader's click on the toolbar button (`activeTab`).
pub(crate) async fn inject(tab_id: i32) -> Result<(), ReadingError> {
    let scripts = to_js(&Injection { target: Target { tab_id }, files: SCRIPTS }).map_err(|error| internal(&error))?;
    let styles = to_js(&Injection { target: Target { tab_id }, files: STYLES }).map_err(|error| internal(&error))?;
    chrome::scripting::execute_script(&scripts).await.map_err(|thrown| unreadable(&error_text(&thrown)))?;
    chrome::scripting::insert_css(&styles).await.map_err(|thrown| unreadable(&error_text(&thrown)))?;
    Ok(())
}

/// Puts one script into the tab's page.
#[cfg(feature = "worker")]
pub(crate) async fn inject_file(tab_id: i32, file: &str) -> Result<(), ReadingError> {
    let script = to_js(&Injection { target: Target { tab_id }, files: &[file] }).map_err(|error| internal(&error))?;
    chrome::scripting::execute_script(&script).await.map_err(|thrown| unreadable(&error_text(&thrown)))?;
    Ok(())
}

/// Takes a snapshot of the page, putting the script there first.
pub(crate) async fn extract(tab_id: i32) -> Result<Snapshot, ReadingError> {
    inject(tab_id).await?;
    send(tab_id, &ExtensionToPage::Extract).await
}

/// Sends a message to the script in the tab's main frame and reads its answer.
pub(crate) async fn send<T: DeserializeOwned>(tab_id: i32, message: &ExtensionToPage) -> Result<T, ReadingError> {
    let message = to_js(message).map_err(|error| internal(&error))?;
    let main_frame = to_js(&MainFrame { frame_id: 0 }).map_err(|error| internal(&error))?;
    let answer = chrome::tabs::send_message(tab_id, &message, &main_frame)
        .await
        .map_err(|thrown| unreadable(&error_text(&thrown)))?;
    from_js(answer).map_err(|error| internal(&error))
}

fn internal(error: &serde_wasm_bindgen::Error) -> ReadingError {
    ReadingError::new(
        ErrorCode::Internal,
        format!("The page script answered something unexpected ({error}). Reload the page and read it again."),
    )
}

/// Chrome's words are for developers; say what it means and keep them at the end.
fn unreadable(chrome_says: &str) -> ReadingError {
    let is_browser_page =
        ["chrome://", "chrome-extension://", "devtools://", "cannot be scripted", "extensions gallery"]
            .iter()
            .any(|mark| chrome_says.contains(mark));
    let message = if is_browser_page {
        "Navigate to a webpage first — this extension can't run on browser pages.".to_owned()
    } else if chrome_says.contains("Cannot access") || chrome_says.contains("must request permission") {
        // Chrome says the same of an empty tab, which no click opens.
        "Click the Sidelight button in the toolbar to let it read this page. An empty tab has nothing to read: \
         navigate to a webpage first."
            .to_owned()
    } else {
        format!("This page can't be read. Reload it and try again. ({chrome_says})")
    };
    ReadingError::retryable(ErrorCode::Page, message)
}
