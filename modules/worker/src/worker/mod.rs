//! The service worker: inputs from `service_worker.js` into the dispatcher, its effects into the world.

//!
//! Its files name no other of this crate: `tests/wasm` compiles them as well.

mod effects;
mod fetch;
mod fetch_page;
mod origin_rule;
mod relay;

use std::cell::RefCell;
use std::pin::Pin;
use std::rc::Rc;

use gloo_timers::callback::Timeout;
use serde::Serialize;
use wasm_bindgen::prelude::*;
use web_sys::AbortController;

use sidelight::dispatch::{Dispatcher, FetchId, PortId, ReadOffline, World};
use sidelight::page::anchor::AnchorIndex;
use sidelight::sorted_map::SortedMap;
use sidelight::wire::{PageToExtension, WorkerToExtension};
use sidelight_browser::boundary::{from_js, to_js};
use sidelight_browser::chrome::{self, Port};
use sidelight_browser::clock::{now, seed};
use sidelight_browser::sleep::sleep;
use sidelight_browser::task::spawn;
use sidelight_browser::unicode;

/// When a rule that an earlier worker left behind goes: not before what the worker was woken for has its answer.
const CLEAR_RULE_AFTER_MS: u32 = 50;

/// The offline reader, wherever that stands.
#[derive(Clone, Copy)]
pub(crate) struct OfflineReader {
    /// Has it ready.
    pub(crate) load: fn() -> Pin<Box<dyn Future<Output = ()>>>,
    /// Reads a text; `None` when it was not loaded.
    pub(crate) read: ReadOffline,
}

/// The core as the service worker holds it, one for the worker's life.
#[derive(Clone)]
pub(crate) struct Worker(Rc<Shared>);

/// No borrow of these lives while JavaScript runs: it may call back.
struct Shared {
    offline_reader: OfflineReader,
    dispatcher: RefCell<Dispatcher>,
    ports: RefCell<SortedMap<PortId, Port>>,
    /// Dropping a controller without aborting leaves its fetch alone, so ends remove and aborts abort.
    fetches: RefCell<SortedMap<FetchId, AbortController>>,
    timer: RefCell<Option<Timeout>>,
    /// What goes to pages, in order: one message at a time.
    to_page: effects::PageQueue,
    origin_rule: origin_rule::OriginRule,
    /// The offscreen page while Chrome makes it.
    making_offscreen: RefCell<Option<js_sys::Promise>>,
}

impl Worker {
    /// Starts the core and closes storage to content scripts.
    pub(crate) fn new(offline_reader: OfflineReader) -> Self {
        spawn(async {
            if let Err(thrown) = close_storage_to_pages().await {
                web_sys::console::error_1(&thrown);
            }
        });
        let origin_rule = origin_rule::OriginRule::default();
        let clearing = origin_rule.clone();
        spawn(async move {
            sleep(CLEAR_RULE_AFTER_MS).await;
            clearing.apply().await;
        });
        Self(Rc::new(Shared {
            dispatcher: RefCell::new(Dispatcher::new(World {
                decompose: unicode::decompose,
                read_offline: offline_reader.read,
            })),
            offline_reader,
            ports: RefCell::default(),
            fetches: RefCell::default(),
            timer: RefCell::default(),
            to_page: effects::PageQueue::default(),
            origin_rule,
            making_offscreen: RefCell::default(),
        }))
    }

    /// A port connected; `id` names it in the calls that follow.
    pub(crate) fn connect(&self, id: PortId, port: JsValue) {
        let port: Port = port.unchecked_into();
        let name = port.name();
        let own_page = is_own_page(&port);
        self.0.ports.borrow_mut().insert(id, port);
        self.input(|dispatcher, _| dispatcher.handle_connect(id, &name, own_page, seed()));
    }

    /// A message came in on a port.
    pub(crate) fn message(&self, id: PortId, message: JsValue) {
        let message = from_js(message).map_err(|error| error.to_string());
        self.input(|dispatcher, now| dispatcher.handle_message(id, message, now));
    }

    /// A port closed.
    pub(crate) fn disconnect(&self, id: PortId) {
        self.0.ports.borrow_mut().remove(&id);
        self.input(|dispatcher, _| dispatcher.handle_disconnect(id));
    }

    /// One input, then every effect it has.
    fn input(&self, handle: impl FnOnce(&mut Dispatcher, u64)) {
        handle(&mut self.0.dispatcher.borrow_mut(), now());
        self.drain();
    }

    fn drain(&self) {
        loop {
            let effect = self.0.dispatcher.borrow_mut().poll_effect();
            let Some(effect) = effect else { break };
            self.perform(effect);
        }
        self.arm();
    }

    /// One timer, for the earliest deadline.
    fn arm(&self) {
        let deadline = self.0.dispatcher.borrow().poll_deadline();
        let timer = deadline.map(|deadline| {
            let wait = u32::try_from(deadline.saturating_sub(now())).unwrap_or(u32::MAX);
            let worker = self.clone();
            Timeout::new(wait, move || worker.input(Dispatcher::handle_timeout))
        });
        drop(self.0.timer.replace(timer));
    }
}

/// A message of a page: the answer to send back, or `undefined` for a message that wants none.
pub(crate) fn page_message(message: JsValue) -> JsValue {
    match from_js(message) {
        Ok(PageToExtension::Anchor { snapshot, phrases, around }) => {
            let anchors = AnchorIndex::new(&snapshot, unicode::decompose).find_again(&phrases, &around);
            to_js(&WorkerToExtension::Anchors { anchors }).unwrap_or_default()
        }
        Ok(PageToExtension::Painted { .. } | PageToExtension::Activated { .. }) | Err(_) => JsValue::UNDEFINED,
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct AccessLevel {
    access_level: &'static str,
}

/// Takes storage out of the reach of content scripts, which have it by default. To be done before anything is stored.
async fn close_storage_to_pages() -> Result<JsValue, JsValue> {
    let level = AccessLevel { access_level: "TRUSTED_CONTEXTS" };
    chrome::storage::set_local_access_level(&to_js(&level)?).await
}

/// A page of ours, not a content script of ours: that one has a tab and a page's address.
fn is_own_page(port: &Port) -> bool {
    let own = chrome::runtime::ID.with(Clone::clone);
    port.sender().is_some_and(|sender| {
        let origin = chrome::runtime::url("");
        sender.id().is_some_and(|id| id == own) && sender.url().is_some_and(|url| url.starts_with(&origin))
    })
}
