//! What the browser knows of Unicode, for the core.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

use js_sys::JsString;

/// Most characters whose decomposition is remembered; a page in Chinese uses a few thousand.
const REMEMBERED: usize = 16_384;

thread_local! {
    static KNOWN: RefCell<HashMap<char, Rc<str>>> = RefCell::default();
}

/// The compatibility decomposition (NFKD) of a character. Asking JavaScript costs a microsecond, so answers are kept.
pub(crate) fn decompose(c: char, out: &mut dyn FnMut(char)) {
    let parts = KNOWN.with_borrow(|known| known.get(&c).cloned()).unwrap_or_else(|| {
        let parts: Rc<str> = String::from(JsString::from(c).normalize("NFKD")).into();
        KNOWN.with_borrow_mut(|known| {
            if known.len() >= REMEMBERED {
                known.clear();
            }
            known.insert(c, Rc::clone(&parts));
        });
        parts
    });
    parts.chars().for_each(out);
}
