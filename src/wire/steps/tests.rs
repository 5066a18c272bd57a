use std::collections::BTreeMap;

use proptest::prelude::*;
use serde_json::{Map, Value, json};

use super::*;

/// Builds the value as the browser does.
fn built(steps: &Steps) -> Value {
    let units: Vec<u16> = steps.text.encode_utf16().collect();
    let (mut open, mut at): (Vec<(Value, Option<String>)>, _) = (Vec::new(), 0);
    for step in &steps.steps {
        let value = match step {
            Step::Null => Value::Null,
            Step::Bool(is_true) => json!(is_true),
            Step::Number(number) => json!(number),
            Step::Text(length) => {
                let from = at;
                at += *length as usize;
                json!(String::from_utf16(&units[from..at]).unwrap())
            }
            Step::Long(text) => json!(text),
            Step::Name(name) => json!(name),
            Step::Array => {
                open.push((json!([]), None));
                continue;
            }
            Step::Object => {
                open.push((Value::Object(Map::new()), None));
                continue;
            }
            Step::End => open.pop().unwrap().0,
        };
        match open.last_mut() {
            None => return value,
            Some((Value::Array(list), _)) => list.push(value),
            Some((object, key)) => match key.take() {
                None => *key = Some(value.as_str().unwrap().to_owned()),
                Some(key) => object[key] = value,
            },
        }
    }
    panic!("nothing was built");
}

/// The value, all its numbers as JavaScript has them.
fn plain(value: &Value) -> Value {
    match value {
        Value::Number(number) => json!(number.as_f64()),
        Value::Array(list) => list.iter().map(plain).collect(),
        Value::Object(fields) => fields.iter().map(|(name, field)| (name.clone(), plain(field))).collect(),
        Value::Null | Value::Bool(_) | Value::String(_) => value.clone(),
    }
}

#[derive(Serialize)]
enum Kind {
    Unit,
    Newtype(u8),
    Tuple(i8, f32),
    Struct { of: Option<char>, bytes: (u16, i64) },
}

#[derive(Serialize)]
struct Pair(u32, ());

#[derive(Serialize)]
struct Wrapper(BTreeMap<String, Kind>);

#[test]
fn every_shape_is_what_json_makes_of_it() {
    let kinds = [
        ("unit", Kind::Unit),
        ("newtype", Kind::Newtype(7)),
        ("tuple", Kind::Tuple(-1, 0.5)),
        ("some", Kind::Struct { of: Some('🐕'), bytes: (3, -9_007_199_254_740_991) }),
        ("none", Kind::Struct { of: None, bytes: (0, 1) }),
    ];
    let map: BTreeMap<String, Kind> = kinds.into_iter().map(|(name, kind)| (name.to_owned(), kind)).collect();
    let value = (Wrapper(map), Pair(4, ()), true, "犬 and é", "x".repeat(MAX_SHARED + 1));
    let wanted = plain(&serde_json::to_value(&value).unwrap());
    assert_eq!(built(&Steps::of(&value).unwrap()), wanted);
}

#[test]
fn a_number_that_javascript_cannot_hold_is_an_error() {
    Steps::of(&MAX_EXACT).unwrap();
    assert_eq!(Steps::of(&(MAX_EXACT + 1)).unwrap_err(), StepsError::Number);
    assert_eq!(Steps::of(&i64::MIN).unwrap_err(), StepsError::Number);
}

fn values() -> impl Strategy<Value = Value> {
    let text = prop_oneof![4 => "[a-z é犬🐕\"\u{0}]{0,12}", 1 => "[a犬]{300,1100}"];
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i32>().prop_map(Value::from),
        (0..MAX_EXACT).prop_map(Value::from),
        text.clone().prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 40, 6, move |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..6).prop_map(Value::from),
            proptest::collection::btree_map(text.clone(), inner, 0..6)
                .prop_map(|fields| Value::Object(fields.into_iter().collect())),
        ]
    })
}

proptest! {
    #[test]
    fn a_value_is_built_again_from_its_steps(value in values()) {
        prop_assert_eq!(built(&Steps::of(&value).unwrap()), plain(&value));
    }
}
