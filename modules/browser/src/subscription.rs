//! A listener on one of Chrome's own events.

use wasm_bindgen::prelude::*;

use super::chrome::ChromeEvent;

/// Listens until dropped.
pub struct Subscription {
    event: ChromeEvent,
    closure: Closure<dyn FnMut(JsValue, JsValue, JsValue)>,
}

impl Subscription {
    /// Listens to an event. Chrome's events carry at most three values; those an event lacks are `undefined`.
    pub fn new(event: &ChromeEvent, handle: impl FnMut(JsValue, JsValue, JsValue) + 'static) -> Self {
        let closure = Closure::<dyn FnMut(JsValue, JsValue, JsValue)>::new(handle);
        event.add_listener(closure.as_ref().unchecked_ref());
        Self { event: event.clone(), closure }
    }
}

impl Drop for Subscription {
    fn drop(&mut self) {
        self.event.remove_listener(self.closure.as_ref().unchecked_ref());
    }
}
