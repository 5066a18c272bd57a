//! `docs/known-bugs.md` names a test for each report of another program's users: the tests it names are there.
#![cfg(not(target_arch = "wasm32"))]
#![allow(clippy::unwrap_used, reason = "a test fails loudly")]

use std::fs;
use std::path::Path;

#[test]
fn every_test_that_is_named_exists() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let page = fs::read_to_string(root.join("docs/known-bugs.md")).unwrap();
    let mut missing = Vec::new();
    let mut named = 0;
    for line in page.lines().filter(|line| line.starts_with("| ")) {
        for (file, name) in line.split('`').filter_map(|word| word.split_once("::")) {
            named += 1;
            let source = fs::read_to_string(root.join(file)).unwrap_or_default();
            let name = name.trim_end_matches('…');
            if !source.contains(name) {
                missing.push(format!("{file}::{name}"));
            }
        }
    }
    assert!(named > 90, "{named}");
    assert_eq!(missing, Vec::<String>::new());
}
