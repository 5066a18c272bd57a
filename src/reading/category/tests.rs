use std::collections::HashSet;

use super::*;

#[test]
fn rows_stand_in_the_order_of_the_enum_and_carry_the_wire_name() {
    for row_ in &CATEGORIES {
        assert_eq!(row(row_.category), row_);
        assert_eq!(serde_json::to_value(row_.category).unwrap(), row_.name);
        assert!(row_.label().starts_with(row_.symbol), "{}", row_.label());
    }
}

#[test]
fn models_words_are_read() {
    let check = |written: &str, expected: Option<Category>| assert_eq!(parse(written), expected, "{written:?}");
    check("bias", Some(Category::Bias));
    check("  BIAS\n", Some(Category::Bias));
    check("Bias / Framing", Some(Category::Bias));
    check("⚖ Bias / Framing", Some(Category::Bias));
    check("one-sided", Some(Category::Bias));
    check("emotional_language", Some(Category::Emotional));
    check("Loaded language", Some(Category::Emotional));
    check("💬 Emotional Language", Some(Category::Emotional));
    check("logical fallacy", Some(Category::Logical));
    check("⧖ Logic Flaw", Some(Category::Logical));
    check("false", Some(Category::Misinformation));
    check("Misinformation Risk", Some(Category::Misinformation));
    check("verified", Some(Category::Supported));
    check("✓ Supported Claim", Some(Category::Supported));
    // Neither the list of choices echoed back nor a milder word is a choice.
    check("misinformation|emotional|bias", None);
    check("unverified", None);
    check("", None);
    check("\"><img src=x>", None);
    check(&"bias".repeat(1000), None);
}

#[test]
fn every_synonym_is_folded_and_names_one_category() {
    let mut seen = HashSet::new();
    for row in &CATEGORIES {
        for name in row.synonyms.iter().chain([&row.name]) {
            assert!(seen.insert(*name), "{name} twice");
            assert_eq!(parse(name), Some(row.category), "{name}");
        }
    }
}

/// Relative luminance by WCAG 2.2.
fn luminance(colour: &str) -> f64 {
    let [r, g, b] = rgb(colour).map(|channel| {
        let c = f64::from(channel) / 255.0;
        if c <= 0.04045 { c / 12.92 } else { ((c + 0.055) / 1.055).powf(2.4) }
    });
    0.2126 * r + 0.7152 * g + 0.0722 * b
}

fn contrast(a: &str, b: &str) -> f64 {
    let (a, b) = (luminance(a), luminance(b));
    (a.max(b) + 0.05) / (a.min(b) + 0.05)
}

#[test]
fn text_shades_are_readable_on_every_surface() {
    assert!((contrast("#000000", "#ffffff") - 21.0).abs() < 0.01);
    for row in &CATEGORIES {
        for (shade, surfaces) in
            [(row.text_on_light, ["#ffffff", "#f6f7f9"]), (row.text_on_dark, ["#16181c", "#1e2126"])]
        {
            for surface in surfaces {
                let ratio = contrast(shade, surface);
                assert!(ratio >= 4.5, "{}: {shade} on {surface} is {ratio:.2}", row.name);
            }
        }
    }
}

#[test]
fn categories_differ_without_colour() {
    let styles: HashSet<_> = CATEGORIES.iter().map(|row| row.underline).collect();
    assert_eq!(styles.len(), CATEGORIES.len());
    let symbols: HashSet<_> = CATEGORIES.iter().map(|row| row.symbol).collect();
    assert_eq!(symbols.len(), CATEGORIES.len());
}

#[test]
fn the_page_sheet_stands_alone() {
    let css = page_css();
    assert!(!css.contains("var("), "custom properties belong to the page");
    assert!(css.contains("rgb(255 107 107 / 0.25)"));
    assert!(css.contains("underline 2px wavy #ff6b6b"));
    assert_eq!(css.matches('{').count(), css.matches('}').count());
    let forced = css.split("@media (forced-colors: active)").nth(1).unwrap();
    assert!(!forced.contains('#'), "only system colours under forced colours");
    for row in &CATEGORIES {
        let rule = format!("::highlight(sidelight-{})", row.name);
        assert_eq!(css.matches(&rule).count(), 2);
        assert!(forced.contains(&format!("underline 2px {}", row.underline.as_css())));
    }
    assert_eq!(css.matches("::highlight(sidelight-focus)").count(), 2);
}

#[test]
fn the_panel_sheet_has_both_themes() {
    let css = panel_css();
    let (light, dark) = css.split_once("@media (prefers-color-scheme: dark)").unwrap();
    for row in &CATEGORIES {
        assert!(light.contains(&format!("--cat-{}: {};", row.name, row.colour)));
        assert!(light.contains(&format!("--cat-{}-text: {};", row.name, row.text_on_light)));
        assert!(dark.contains(&format!("--cat-{}-text: {};", row.name, row.text_on_dark)));
    }
}
