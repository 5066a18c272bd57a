//! Values of JavaScript out of their [`Steps`].

use std::cell::RefCell;

use js_sys::{Array, JsString, Object};
use wasm_bindgen::prelude::*;

use crate::sorted_map::SortedMap;
use crate::wire::steps::{Step, Steps};

#[wasm_bindgen]
extern "C" {
    /// A plain object: setting a field of it never fails, which is all that makes `Reflect` slow.
    type Fields;

    #[wasm_bindgen(method, indexing_setter)]
    fn set(this: &Fields, key: &JsValue, value: &JsValue);
}

/// By where a name stands in the module, and its length.
type Names = SortedMap<(usize, usize), JsValue>;

thread_local! {
    /// The names of fields and variants as JavaScript has them. Bounded by the code.
    static NAMES: RefCell<Names> = const { RefCell::new(SortedMap::new()) };
}

/// A container in progress.
enum Open {
    Array(Array),
    Object { fields: Fields, key: Option<Key> },
}

enum Key {
    Name(&'static str),
    Text(JsValue),
}

/// Takes the steps; `undefined` when there are none.
pub(super) fn build(steps: Steps) -> JsValue {
    NAMES.with_borrow_mut(|names| build_with(names, steps))
}

fn build_with(names: &mut Names, Steps { steps, text }: Steps) -> JsValue {
    let text = JsString::from(text);
    let (mut open, mut at) = (Vec::new(), 0);
    for step in steps {
        let value = match step {
            Step::Null => JsValue::NULL,
            Step::Bool(is_true) => is_true.into(),
            Step::Number(number) => number.into(),
            Step::Text(units) => {
                let from = at;
                at += units;
                text.substring(from, at).into()
            }
            Step::Long(text) => text.into(),
            Step::Name(name) => {
                if let Some(Open::Object { key: key @ None, .. }) = open.last_mut() {
                    *key = Some(Key::Name(name));
                    continue;
                }
                name_in(names, name).clone()
            }
            Step::Array => {
                open.push(Open::Array(Array::new()));
                continue;
            }
            Step::Object => {
                open.push(Open::Object { fields: Object::new().unchecked_into(), key: None });
                continue;
            }
            Step::End => match open.pop() {
                Some(Open::Array(array)) => array.into(),
                Some(Open::Object { fields, .. }) => fields.into(),
                None => continue,
            },
        };
        match open.last_mut() {
            None => return value,
            Some(Open::Array(array)) => {
                array.push(&value);
            }
            Some(Open::Object { fields, key }) => match key.take() {
                None => *key = Some(Key::Text(value)),
                Some(Key::Name(name)) => fields.set(name_in(names, name), &value),
                Some(Key::Text(key)) => fields.set(&key, &value),
            },
        }
    }
    JsValue::UNDEFINED
}

fn name_in<'a>(names: &'a mut Names, name: &'static str) -> &'a JsValue {
    names.or_insert_with((name.as_ptr().addr(), name.len()), || name.into())
}
