//! The reader's language: Chrome's texts, and numbers as `Intl` writes them.

use js_sys::{Array, JsString};
use wasm_bindgen::prelude::*;

use sidelight::words::{self, Language, Number};

#[wasm_bindgen]
extern "C" {
    /// Empty for a key without a text.
    #[wasm_bindgen(catch, js_namespace = ["chrome", "i18n"], js_name = getMessage)]
    fn message(key: &str, args: &Array) -> Result<String, JsValue>;

    #[wasm_bindgen(js_namespace = Intl)]
    type PluralRules;

    #[wasm_bindgen(constructor, js_namespace = Intl)]
    fn new(locale: &str) -> PluralRules;

    #[wasm_bindgen(method)]
    fn select(this: &PluralRules, count: f64) -> String;

    #[wasm_bindgen(js_namespace = Intl)]
    type NumberFormat;

    #[wasm_bindgen(constructor, js_namespace = Intl)]
    fn new(locale: &str, options: &JsValue) -> NumberFormat;

    #[wasm_bindgen(method)]
    fn format(this: &NumberFormat, number: f64) -> String;
}

thread_local! {
    static PLURALS: PluralRules = PluralRules::new(&words::say("language", &[]));
    static WHOLE: NumberFormat = number_format("{}");
    /// In a sentence from right to left, an address would lend its signs to the words around it.
    static ISOLATES: bool = look_up("direction", &Array::new()).is_some_and(|direction| direction == "rtl");
}

/// Has Chrome say what [`words`] is asked for.
pub fn install() {
    words::install(Language {
        text,
        plural: |count| {
            // Counts that a reader sees are far below 2^53.
            #[expect(clippy::cast_precision_loss, reason = "far below 2^53")]
            PLURALS.with(|rules| rules.select(count as f64))
        },
        number,
        lower: |text| JsString::from(text).to_lower_case().into(),
    });
}

fn look_up(key: &str, args: &Array) -> Option<String> {
    // Throws where no extension is around, as on the playground.
    message(key, args).ok().filter(|text| !text.is_empty())
}

fn text(key: &str, args: &[&str]) -> Option<String> {
    let isolates = !args.is_empty() && ISOLATES.with(|isolates| *isolates);
    let args = args.iter().map(|arg| {
        if isolates { JsValue::from_str(&["\u{2068}", arg, "\u{2069}"].concat()) } else { JsValue::from_str(arg) }
    });
    look_up(key, &args.collect())
}

#[expect(clippy::cast_precision_loss, reason = "numbers that a reader sees are far below 2^53")]
fn number(Number { units, digits, is_dollars }: Number) -> String {
    let value = units as f64 / 10_f64.powi(digits.into());
    if digits == 0 && !is_dollars {
        return WHOLE.with(|format| format.format(value));
    }
    let style = if is_dollars { r#""currency","currency":"USD""# } else { r#""decimal""# };
    let digits = digits.to_string();
    let options =
        [r#"{"style":"#, style, r#","minimumFractionDigits":"#, &digits, r#","maximumFractionDigits":"#, &digits, "}"];
    number_format(&options.concat()).format(value)
}

/// `options` as JSON.
fn number_format(options: &str) -> NumberFormat {
    let options = js_sys::JSON::parse(options).unwrap_or_default();
    NumberFormat::new(&words::say("language", &[]), &options)
}
