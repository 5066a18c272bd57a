//! One port for each request, and what keeps it alive.

use std::rc::Rc;

use gloo_timers::callback::Interval;
use serde::Serialize;

use super::app::App;
use crate::browser::boundary::{from_js, to_js};
use crate::browser::chrome::{self, Port};
use crate::browser::subscription::Subscription;
use crate::panel::{Request, Requests};
use crate::wire::{ErrorCode, PanelToWorker, ReadingError, WorkerToPanel};

/// How often a running request says that it is still wanted; Chrome ends a silent worker after 30 s.
const PING_EVERY_MS: u32 = 20_000;

#[derive(Serialize)]
struct ConnectInfo {
    name: &'static str,
}

/// The open ports of all readings; at most two for each on the shelf.
#[derive(Default)]
pub(super) struct Ports(Vec<OpenPort>);

struct OpenPort {
    reading: String,
    request: Request,
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
    /// Closes the ports of a reading.
    pub(super) fn close(&mut self, reading: &str) {
        self.0.retain(|open| open.reading != reading);
    }

    fn close_one(&mut self, reading: &str, request: Request) {
        self.0.retain(|open| open.reading != reading || open.request != request);
    }
}

impl App {
    /// Sends both requests of a reading, side by side.
    pub(super) fn open_ports(self: &Rc<Self>, reading: &str, requests: &Requests) {
        for gone in &requests.gone {
            self.ports.borrow_mut().close(gone);
        }
        self.open_port(reading, Request::Analysis, &requests.analyze);
        self.open_port(reading, Request::Highlights, &requests.highlights);
    }

    fn open_port(self: &Rc<Self>, reading: &str, request: Request, message: &PanelToWorker) {
        let (Ok(info), Ok(first), Ok(ping)) =
            (to_js(&ConnectInfo { name: "agent" }), to_js(message), to_js(&PanelToWorker::Ping))
        else {
            return self.fail(reading, request, "The request could not be written.");
        };
        let port = chrome::runtime::connect(&info);
        let messages = {
            let (weak, reading) = (Rc::downgrade(self), reading.to_owned());
            Subscription::new(&port.on_message(), move |message, _, _| {
                if let Some(app) = weak.upgrade() {
                    app.handle_port_message(&reading, request, message);
                }
            })
        };
        let disconnect = {
            let (weak, reading) = (Rc::downgrade(self), reading.to_owned());
            Subscription::new(&port.on_disconnect(), move |_, _, _| {
                if let Some(app) = weak.upgrade() {
                    app.change(|model, now| model.handle_disconnect(&reading, request, now));
                    app.ports.borrow_mut().close_one(&reading, request);
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
            reading: reading.to_owned(),
            request,
            port,
            _subscriptions: [messages, disconnect],
            _ping: ping,
        });
        if !sent {
            self.ports.borrow_mut().close_one(reading, request);
            self.change(|model, now| model.handle_disconnect(reading, request, now));
        }
    }

    fn handle_port_message(self: &Rc<Self>, reading: &str, request: Request, message: wasm_bindgen::JsValue) {
        let Ok(message) = from_js::<WorkerToPanel>(message) else {
            self.ports.borrow_mut().close_one(reading, request);
            return self.fail(reading, request, "The worker answered something unexpected. Reload the extension.");
        };
        let is_final = message.is_final();
        self.change(|model, now| model.handle_message(reading, request, message, now));
        if is_final {
            self.ports.borrow_mut().close_one(reading, request);
        }
    }

    fn fail(self: &Rc<Self>, reading: &str, request: Request, words: &str) {
        let error = WorkerToPanel::from(ReadingError::new(ErrorCode::Internal, words));
        self.change(|model, now| model.handle_message(reading, request, error, now));
    }
}
