//! The panel's one loop: an input changes the model, and the next frame draws what changed.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::rc::Rc;

use gloo_timers::callback::{Interval, Timeout};
use serde_json::Value;
use wasm_bindgen::prelude::*;

use super::history::HistoryView;
use super::ports::{Owner, Ports};
use super::render::Renderer;
use super::saving::Database;
use super::tabs::reading_id;
use sidelight::panel::{Action, Choice, History, Panel, State};
use sidelight::sorted_map::SortedMap;
use sidelight::wire::Settings;
use sidelight_browser::dom::{self, Listener};
use sidelight_browser::download::ObjectUrl;
use sidelight_browser::subscription::Subscription;
use sidelight_browser::task::spawn;
use sidelight_browser::{boundary, chrome, clock, storage};

/// Key in storage: the reader has seen what is sent where.
const WELCOMED: &str = "welcomed";

/// Key in storage: requests to Gemini may go through the page.
const GEMINI_PAGE_PROXY: &str = "geminiPageProxy";

/// What a listener does. Boxed, so that what stands around it is compiled once and not for every listener.
type HandleEvent = Box<dyn Fn(&Rc<App>, web_sys::Event)>;
type HandleChromeEvent = Box<dyn Fn(&Rc<App>, JsValue, JsValue, JsValue)>;

/// The running panel. No borrow is held while anything but drawing goes on, and drawing calls nothing back.
pub(super) struct App {
    pub(super) model: RefCell<Panel>,
    pub(super) renderer: RefCell<Renderer>,
    pub(super) ports: RefCell<Ports>,
    pub(super) saved: RefCell<Option<ObjectUrl>>,
    pub(super) window: Cell<i32>,
    /// Whether nothing of this window may stay on the machine.
    pub(super) incognito: Cell<bool>,
    /// When the passage taken last was left by the context menu.
    pub(super) passage: Cell<i64>,
    pub(super) database: Database,
    pub(super) history_view: RefCell<HistoryView>,
    /// What the list of the history is drawn from, while it is open.
    pub(super) history: RefCell<Option<History>>,
    /// The address looked up in the history last.
    pub(super) looked_up: RefCell<String>,
    /// Whether what was saved has been taken up.
    pub(super) restored: Cell<bool>,
    /// How often everything was deleted: what was begun before that is not saved.
    pub(super) erasures: Cell<u32>,
    pub(super) save_due: Cell<bool>,
    pub(super) save_timer: RefCell<Option<Timeout>>,
    mirrored: Cell<Option<State>>,
    frame_due: Cell<bool>,
    frame: RefCell<Option<Closure<dyn FnMut()>>>,
    clock: RefCell<Option<Interval>>,
    listeners: RefCell<Vec<Listener>>,
    subscriptions: RefCell<Vec<Subscription>>,
}

impl App {
    pub(super) fn start(database: Database) -> Result<Rc<Self>, JsValue> {
        let app = Rc::new(Self {
            model: RefCell::new(Panel::default()),
            renderer: RefCell::new(Renderer::new()?),
            ports: RefCell::new(Ports::default()),
            saved: RefCell::new(None),
            window: Cell::new(-1),
            incognito: Cell::new(false),
            passage: Cell::new(0),
            database,
            history_view: RefCell::new(HistoryView::new()?),
            history: RefCell::new(None),
            looked_up: RefCell::default(),
            restored: Cell::new(false),
            erasures: Cell::new(0),
            save_due: Cell::new(false),
            save_timer: RefCell::new(None),
            mirrored: Cell::new(None),
            frame_due: Cell::new(false),
            frame: RefCell::new(None),
            clock: RefCell::new(None),
            listeners: RefCell::new(Vec::new()),
            subscriptions: RefCell::new(Vec::new()),
        });
        let weak = Rc::downgrade(&app);
        *app.frame.borrow_mut() = Some(Closure::new(move || {
            if let Some(app) = weak.upgrade() {
                app.frame_due.set(false);
                app.draw();
            }
        }));
        app.listen_to_keys()?;
        app.listen_to_pointer()?;
        app.listen_to_shares()?;
        app.listen_to_chat()?;
        app.listen_to_history()?;
        app.listen_to_hiding()?;
        app.follow_tabs();
        app.follow_settings();
        let starting = app.clone();
        spawn(async move {
            starting.load_settings().await;
            let stored = starting.restore().await;
            let wished = Self::take_wish(&stored).await;
            starting.read_tab_in_view(wished).await;
        });
        Ok(app)
    }

    /// Keeps a DOM listener as long as the panel lives.
    pub(super) fn listen(
        self: &Rc<Self>,
        target: &web_sys::EventTarget,
        event: &'static str,
        handle: impl Fn(&Rc<App>, web_sys::Event) + 'static,
    ) -> Result<(), JsValue> {
        self.listen_boxed(target, event, Box::new(handle))
    }

    fn listen_boxed(
        self: &Rc<Self>,
        target: &web_sys::EventTarget,
        event: &'static str,
        handle: HandleEvent,
    ) -> Result<(), JsValue> {
        let weak = Rc::downgrade(self);
        let listener = Listener::new(target, event, move |event| {
            if let Some(app) = weak.upgrade() {
                handle(&app, event);
            }
        })?;
        self.listeners.borrow_mut().push(listener);
        Ok(())
    }

    /// Keeps a listener on one of Chrome's events as long as the panel lives.
    pub(super) fn subscribe(
        self: &Rc<Self>,
        event: &chrome::ChromeEvent,
        handle: impl Fn(&Rc<App>, JsValue, JsValue, JsValue) + 'static,
    ) {
        self.subscribe_boxed(event, Box::new(handle));
    }

    fn subscribe_boxed(self: &Rc<Self>, event: &chrome::ChromeEvent, handle: HandleChromeEvent) {
        let weak = Rc::downgrade(self);
        let subscription = Subscription::new(event, move |first, second, third| {
            if let Some(app) = weak.upgrade() {
                handle(&app, first, second, third);
            }
        });
        self.subscriptions.borrow_mut().push(subscription);
    }

    /// Changes the model, and what is shown with it.
    pub(super) fn change<T>(self: &Rc<Self>, change: impl FnOnce(&mut Panel, u64) -> T) -> T {
        let result = change(&mut self.model.borrow_mut(), clock::now());
        self.show_change();
        result
    }

    fn show_change(self: &Rc<Self>) {
        let (state, is_answering) = {
            let model = self.model.borrow();
            (model.state(), model.chat().is_some_and(|chat| chat.running().is_some()))
        };
        self.tick_while(state == State::Reading || is_answering);
        self.look_back();
        self.save_soon();
        if self.mirrored.replace(Some(state)) == Some(state) {
            self.draw_soon();
            return;
        }
        // At once, not with the frame: a hidden panel gets no frames, and the state is what others wait for.
        if let Some(body) = dom::document().ok().and_then(|document| document.body()) {
            drop(body.set_attribute("data-state", state.as_str()));
        }
        // So that a panel that closes now has what has just ended.
        self.save_now();
        self.draw();
    }

    /// Draws with the next frame, however many changes come before it.
    fn draw_soon(&self) {
        if self.frame_due.replace(true) {
            return;
        }
        let frame = self.frame.borrow();
        if let (Some(frame), Ok(window)) = (frame.as_ref(), dom::window())
            && window.request_animation_frame(frame.as_ref().unchecked_ref()).is_err()
        {
            self.frame_due.set(false);
        }
    }

    /// Draws at once: what the reader types next must find the input as the model has it.
    pub(super) fn draw(&self) {
        let model = self.model.borrow();
        // A fault while drawing leaves what was there; the next frame tries again.
        drop(self.renderer.borrow_mut().draw(&model, clock::now()));
    }

    /// Seconds pass in the bar while something runs.
    fn tick_while(self: &Rc<Self>, running: bool) {
        let mut clock = self.clock.borrow_mut();
        if !running {
            *clock = None;
        } else if clock.is_none() {
            let weak = Rc::downgrade(self);
            *clock = Some(Interval::new(1_000, move || {
                if let Some(app) = weak.upgrade() {
                    app.change(|model, _| model.handle_tick());
                }
            }));
        }
    }

    fn follow_settings(self: &Rc<Self>) {
        chrome::storage::ON_CHANGED.with(|event| {
            self.subscribe(event, |app, _, area, _| {
                let app = app.clone();
                let is_session = area.as_string().as_deref() == Some("session");
                spawn(async move {
                    if is_session {
                        app.take_passage().await;
                    } else {
                        app.load_settings().await;
                    }
                });
            });
        });
    }

    async fn load_settings(self: &Rc<Self>) {
        // Without access to storage nothing is set up, and the offline reader needs nothing.
        let stored = storage::stored().await.unwrap_or_default();
        let welcomed = stored.get(WELCOMED).and_then(Value::as_bool).unwrap_or_default();
        self.change(|model, _| model.handle_settings(Settings::from_storage(&stored), welcomed));
    }

    /// Does what a button says.
    pub(super) fn act(self: &Rc<Self>, action: Action) {
        match action {
            Action::Read => {
                let in_view = self.model.borrow().tab().map(|tab| tab.id);
                if let Some(tab_id) = in_view {
                    self.read(tab_id);
                }
            }
            Action::Settings => spawn(async {
                // Nothing to do when Chrome can't open a tab now.
                drop(chrome::runtime::open_options_page().await);
            }),
            Action::Welcomed => {
                self.change(|model, _| model.handle_welcomed());
                spawn(remember(WELCOMED));
            }
            Action::AllowProxy => {
                let app = self.clone();
                spawn(async move {
                    app.allow_proxy().await;
                    app.act(Action::Read);
                });
            }
            Action::DeclineProxy => self.change(|model, _| model.handle_consent_declined()),
            Action::AllowOpen | Action::DeclineOpen => self.reply_open(action == Action::AllowOpen),
            Action::ReadAll => self.choose(Choice::All),
            Action::ReadFirstPart => self.choose(Choice::FirstPart),
            Action::ReadSelection => {
                let in_view = self.model.borrow().tab().map(|tab| tab.id);
                if let Some(tab_id) = in_view {
                    self.read_as(tab_id, Panel::handle_read_selection);
                }
            }
        }
    }

    /// The reader says whether what the model wants to open may be opened.
    fn reply_open(self: &Rc<Self>, allow: bool) {
        let Some((reading, replies)) = self.change(|model, _| model.handle_open_reply(allow)) else { return };
        for (request, reply) in replies {
            self.ports.borrow().post(&Owner::Reading(reading.clone(), request), &reply);
        }
    }

    /// The reader chose how much of a long page is read.
    fn choose(self: &Rc<Self>, choice: Choice) {
        let Some(tab_id) = self.model.borrow().tab().map(|tab| tab.id) else { return };
        let id = reading_id(tab_id);
        let Some(chosen) = self.change(|model, now| model.handle_choice(choice, id.clone(), now)) else { return };
        self.open_ports(&id, &chosen.requests);
        spawn(async move {
            let (key, value) = chosen.remembered;
            if let Ok(items) = boundary::to_js(&BTreeMap::from([(key, value)])) {
                // Not remembered means asked once more.
                drop(chrome::storage::set_local(&items).await);
            }
        });
    }

    /// The reader allows requests to Gemini through the page.
    pub(super) async fn allow_proxy(&self) {
        remember(GEMINI_PAGE_PROXY).await;
    }
}

/// Switches something on in storage for good. Not remembered means asked once more.
async fn remember(key: &'static str) {
    if let Ok(items) = boundary::to_js(&SortedMap::from([(key, true)])) {
        drop(chrome::storage::set_local(&items).await);
    }
}
