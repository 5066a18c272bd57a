//! What the browser knows of Unicode, for the core.

use std::cell::RefCell;
use std::rc::Rc;

use js_sys::JsString;

/// Most characters whose decomposition is remembered; a page in Chinese uses a few thousand. Each has one place, by its
/// number, and those of a script lie side by side.
const REMEMBERED: usize = 16_384;

/// A character and its decomposition.
type Known = (char, Rc<str>);

thread_local! {
    static KNOWN: RefCell<Vec<Option<Known>>> = RefCell::default();
}

/// The compatibility decomposition (NFKD) of a character, in lower case. Asking JavaScript costs a microsecond, so answers are kept.
pub fn decompose(c: char, out: &mut dyn FnMut(char)) {
    let place = c as usize % REMEMBERED;
    let parts = KNOWN.with_borrow_mut(|known| {
        known.resize(REMEMBERED, None);
        match &known[place] {
            Some((known, parts)) if *known == c => Rc::clone(parts),
            Some(_) | None => {
                let parts: Rc<str> = String::from(JsString::from(c).normalize("NFKD").to_lower_case()).into();
                known[place] = Some((c, Rc::clone(&parts)));
                parts
            }
        }
    });
    parts.chars().for_each(out);
}
