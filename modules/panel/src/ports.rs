//! One port for each request, and what keeps it alive.

use std::rc::Rc;

use gloo_timers::callback::Interval;
use serde::Serialize;

use super::app::App;
use sidelight::panel::{Panel, Request, Requests};
use sidelight::wire::{ErrorCode, PanelToWorker, ReadingError, WorkerToPanel};
use sidelight::words;
use sidelight_browser::boundary::{from_js, to_js};
use sidelight_browser::chrome::{self, Port};
use sidelight_browser::subscription::Subscription;

/// How often a running request says that it is still wanted; Chrome ends a silent worker after 30 s.
const PING_EVERY_MS: u32 = 20_000;

#[derive(Serialize)]
struct ConnectInfo {
    name: &'static str,
}

/// Whose port it is.
#[derive(Clone, PartialEq)]
pub(super) enum Owner {
    /// One of the two requests of a reading, by the reading's name.
    Reading(String, Request),
    /// A turn of a chat, by its name.
    Turn(String),
}

impl Owner {
    fn name(&self) -> &str {
        match self {
            Self::Reading(name, _) | Self::Turn(name) => name,
        }
    }

    fn handle_message(&self, model: &mut Panel, message: WorkerToPanel, now: u64) {
        match self {
            Self::Reading(reading, request) => model.handle_message(reading, *request, message, now),
            Self::Turn(turn) => model.handle_answer(turn, message, now),
        }
    }

    fn handle_disconnect(&self, model: &mut Panel, now: u64) {
        match self {
            Self::Reading(reading, request) => model.handle_disconnect(reading, *request, now),
            Self::Turn(turn) => model.handle_answer_lost(turn, now),
        }
    }
}

/// The open ports: at most two for each reading on the shelf, and one for each chat.
#[derive(Default)]
pub(super) struct Ports(Vec<OpenPort>);

struct OpenPort {
    owner: Owner,
    port: Port,
    _subscriptions: [Subscription; 2],
    _ping: Interval,
}

impl Drop for OpenPort {
    /// Closing the port is what cancels the request.
    fn drop(&mut self) {
        self.port.disconnect();
    }
}

impl Ports {
    /// Closes the ports of a reading, or that of a turn.
    pub(super) fn close(&mut self, name: &str) {
        self.0.retain(|open| open.owner.name() != name);
    }

    /// Sends one more message on the port of a request. A port that is gone needs none.
    pub(super) fn post(&self, owner: &Owner, message: &PanelToWorker) {
        let open = self.0.iter().find(|open| open.owner == *owner);
        if let (Some(open), Ok(message)) = (open, to_js(message)) {
            drop(open.port.post_message(&message));
        }
    }

    fn close_one(&mut self, owner: &Owner) {
        self.0.retain(|open| open.owner != *owner);
    }
}

impl App {
    /// Sends both requests of a reading, side by side.
    pub(super) fn open_ports(self: &Rc<Self>, reading: &str, requests: &Requests) {
        for gone in &requests.gone {
            self.ports.borrow_mut().close(gone);
        }
        self.open_port(&Owner::Reading(reading.to_owned(), Request::Analysis), &requests.analyze);
        self.open_port(&Owner::Reading(reading.to_owned(), Request::Highlights), &requests.highlights);
    }

    /// Opens the one port of a request and sends it.
    pub(super) fn open_port(self: &Rc<Self>, owner: &Owner, message: &PanelToWorker) {
        let (Ok(info), Ok(first), Ok(ping)) =
            (to_js(&ConnectInfo { name: "agent" }), to_js(message), to_js(&PanelToWorker::Ping))
        else {
            return self.fail(owner, "error_not_written");
        };
        let port = chrome::runtime::connect(&info);
        let messages = {
            let (weak, owner) = (Rc::downgrade(self), owner.clone());
            Subscription::new(&port.on_message(), move |message, _, _| {
                if let Some(app) = weak.upgrade() {
                    app.handle_port_message(&owner, message);
                }
            })
        };
        let disconnect = {
            let (weak, owner) = (Rc::downgrade(self), owner.clone());
            Subscription::new(&port.on_disconnect(), move |_, _, _| {
                if let Some(app) = weak.upgrade() {
                    app.change(|model, now| owner.handle_disconnect(model, now));
                    app.ports.borrow_mut().close_one(&owner);
                }
            })
        };
        let pinged = port.clone();
        let ping = Interval::new(PING_EVERY_MS, move || {
            // A port that is gone throws; its disconnect is an input of its own.
            drop(pinged.post_message(&ping));
        });
        let sent = port.post_message(&first).is_ok();
        self.ports.borrow_mut().0.push(OpenPort {
            owner: owner.clone(),
            port,
            _subscriptions: [messages, disconnect],
            _ping: ping,
        });
        if !sent {
            self.ports.borrow_mut().close_one(owner);
            self.change(|model, now| owner.handle_disconnect(model, now));
        }
    }

    fn handle_port_message(self: &Rc<Self>, owner: &Owner, message: wasm_bindgen::JsValue) {
        let Ok(message) = from_js::<WorkerToPanel>(message) else {
            self.ports.borrow_mut().close_one(owner);
            return self.fail(owner, "error_unexpected");
        };
        let is_final = message.is_final();
        self.change(|model, now| owner.handle_message(model, message, now));
        if is_final {
            self.ports.borrow_mut().close_one(owner);
        }
    }

    fn fail(self: &Rc<Self>, owner: &Owner, key: &str) {
        let error = WorkerToPanel::from(ReadingError::new(ErrorCode::Internal, words::say(key, &[])));
        self.change(|model, now| owner.handle_message(model, error, now));
    }
}
