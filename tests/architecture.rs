//! The invariants of ARCHITECTURE.md, held against the source.
#![cfg(not(target_arch = "wasm32"))]
#![allow(clippy::unwrap_used, reason = "a test says what is wrong by panicking")]

use std::fs;
use std::path::{Path, PathBuf};

/// Files, each with its path from the root and its text.
type Sources = Vec<(String, String)>;

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

/// Every file under `dir` with one of the extensions, with its path from the root and its text.
fn sources(dir: &str, extensions: &[&str]) -> Sources {
    let mut found = Vec::new();
    let mut folders = vec![root().join(dir)];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display())) {
            let path = entry.unwrap().path();
            let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default().to_owned();
            if path.is_dir() {
                if name != "pkg" && name != "node_modules" {
                    folders.push(path);
                }
            } else if path.extension().and_then(|e| e.to_str()).is_some_and(|e| extensions.contains(&e)) {
                found.push((relative(&path), fs::read_to_string(&path).unwrap()));
            }
        }
    }
    found.sort();
    assert!(!found.is_empty(), "nothing found in {dir}");
    found
}

fn relative(path: &Path) -> String {
    path.strip_prefix(root()).unwrap().to_string_lossy().replace('\\', "/")
}

/// A line of code; nothing for a line that is a comment.
fn code(line: &str) -> &str {
    let line = line.trim_start();
    if line.starts_with("//") || line.starts_with('*') || line.starts_with("/*") { "" } else { line }
}

/// Lines of `files` that hold one of `words` in code, as `file:line: word`.
fn uses(files: &[(String, String)], words: &[&str]) -> Vec<String> {
    let mut found = Vec::new();
    for (path, text) in files {
        for (number, line) in text.lines().enumerate() {
            for word in words.iter().filter(|word| code(line).contains(**word)) {
                found.push(format!("{path}:{}: {word}", number + 1));
            }
        }
    }
    found
}

fn is_test(path: &str) -> bool {
    path.ends_with("/tests.rs") || path.contains("/tests/")
}

/// Rust of the core.
fn core() -> Sources {
    [sources("src", &["rs"]), sources("stream/src", &["rs"])].concat()
}

/// Rust of everything that ships.
fn rust() -> Sources {
    [core(), sources("modules", &["rs"])].concat()
}

#[test]
fn the_core_knows_no_browser_clock_randomness_or_network() {
    let mut core = core();
    core.retain(|(path, _)| path != "src/lib.rs");
    let foreign = [
        "js_sys",
        "web_sys",
        "wasm_bindgen",
        "gloo_",
        "serde_wasm_bindgen",
        "tokio",
        "std::time",
        "std::net",
        "std::fs",
        "std::env",
        "std::thread",
        "Instant::",
        "SystemTime",
        "rand::",
        "getrandom",
        "thread_local!",
    ];
    core.retain(|(path, _)| !is_test(path));
    assert_eq!(uses(&core, &foreign), Vec::<String>::new());
}

/// Each floor and what it may import; no name stands below a floor that imports it, so there is no circle.
const FLOORS: [(&str, &[&str]); 12] = [
    ("panel", &["reading", "provider", "page", "wire", "url", "words"]),
    ("options", &["reading", "provider", "wire", "words"]),
    ("dispatch", &["agent", "reading", "provider", "page", "wire", "words"]),
    ("agent", &["reading", "provider", "page", "wire", "url", "words"]),
    ("reading", &["page", "wire", "url", "words"]),
    ("provider", &["wire", "url", "words"]),
    ("page", &["wire", "url", "words"]),
    ("wire", &[]),
    ("url", &[]),
    ("words", &[]),
    ("sorted_map", &[]),
    ("sort", &[]),
];

/// What code imports from the crate, by the first name of each path.
fn imports(line: &str) -> impl Iterator<Item = &str> {
    let end = |path: &str| path.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(path.len());
    code(line).split("crate::").skip(1).map(move |path| &path[..end(path)])
}

#[test]
fn floors_import_downwards_only() {
    let files = sources("src", &["rs"]);
    let mut wrong = Vec::new();
    for (at, (floor, allowed)) in FLOORS.iter().enumerate() {
        let below: Vec<&str> = FLOORS[at + 1..].iter().map(|(name, _)| *name).collect();
        assert!(allowed.iter().all(|name| below.contains(name)), "{floor} may import what stands below it");
        let is_own = |path: &str| path.starts_with(&format!("src/{floor}/")) || path == format!("src/{floor}.rs");
        let own: Vec<_> = files.iter().filter(|(path, _)| is_own(path)).collect();
        assert!(!own.is_empty(), "no floor {floor}");
        for (path, text) in own {
            let may = |name: &str| name == *floor || ["sorted_map", "sort"].contains(&name) || allowed.contains(&name);
            for name in text.lines().flat_map(imports).filter(|name| !may(name)) {
                wrong.push(format!("{path}: {name}"));
            }
        }
    }
    assert_eq!(wrong, Vec::<String>::new(), "imports that no floor allows");
    let is_known = |path: &str| {
        let name = path["src/".len()..].split(['/', '.']).next().unwrap();
        name == "lib" || FLOORS.iter().any(|(floor, _)| *floor == name)
    };
    assert!(files.iter().all(|(path, _)| is_known(path)), "a module without a floor");
}

#[test]
fn only_trusted_scripts_name_chrome() {
    let scripts = sources("extension", &["js"]);
    for (path, text) in &scripts {
        for (number, line) in text.lines().enumerate() {
            let line = code(line).replace("chrome?.", "chrome.");
            for (at, _) in line.match_indices("chrome.").chain(line.match_indices("chrome[")) {
                // Closed shadow trees are opened for content scripts alone, and without a permission.
                let in_page = line[at..].starts_with("chrome.runtime") || line[at..].starts_with("chrome.dom?.open");
                // Gives texts of ours, by key.
                let is_text = line[at..].starts_with("chrome.i18n.getMessage");
                // Our own pages say which shortcut is set.
                let is_shortcut = path == "extension/shortcut.js" && line[at..].starts_with("chrome.commands.getAll");
                let allowed = path == "extension/service_worker.js" || in_page || is_text || is_shortcut;
                assert!(allowed, "{path}:{}: {line}", number + 1);
            }
        }
    }
    let www = sources("www", &["js", "html"]);
    assert_eq!(uses(&www, &["chrome.runtime", "chrome.tabs", "chrome.storage"]), Vec::<String>::new());
}

#[test]
fn only_the_worker_speaks_to_providers() {
    let mut rust = rust();
    rust.retain(|(path, _)| !path.starts_with("modules/worker/"));
    assert_eq!(uses(&rust, &["gloo_net", "js_name = fetch", "fetch_with_request"]), Vec::<String>::new());
    let mut scripts = sources("extension", &["js"]);
    // Carries one request of the worker, in a page whose reader agreed to it.
    scripts.retain(|(path, _)| path != "extension/page/proxy.js");
    // What ships with the extension is no provider's.
    for (_, text) in &mut scripts {
        *text = text.replace("fetch(chrome.runtime.getURL('", "");
    }
    let senders = ["fetch(", "XMLHttpRequest", "WebSocket", "EventSource", "sendBeacon"];
    assert_eq!(uses(&scripts, &senders), Vec::<String>::new());
}

#[test]
fn no_text_becomes_markup() {
    let writers = [
        "innerHTML",
        "outerHTML",
        "insertAdjacentHTML",
        "document.write",
        "set_inner_html",
        "DOMParser",
        "srcdoc",
        "set_outer_html",
        "insert_adjacent_html",
        "create_contextual_fragment",
        "createContextualFragment",
    ];
    let mut files = rust();
    files.retain(|(path, _)| !is_test(path));
    files.extend(sources("extension", &["js"]));
    files.extend(sources("www", &["js"]));
    assert_eq!(uses(&files, &writers), Vec::<String>::new());
}

#[test]
fn nothing_is_evaluated() {
    let mut files = rust();
    files.extend(sources("extension", &["js", "html"]));
    files.retain(|(path, _)| !is_test(path));
    // The worker's own core, by a name that stands there.
    for (_, text) in &mut files {
        *text = text.replace("importScripts('pkg/worker.js');", "");
    }
    let evaluators = ["eval(", "new Function", "js_sys::eval", "Function::new_with_args", "importScripts"];
    assert_eq!(uses(&files, &evaluators), Vec::<String>::new());
}

#[test]
fn listeners_are_values_and_protocol_matches_name_every_case() {
    let mut files = rust();
    files.retain(|(path, _)| !is_test(path));
    assert_eq!(uses(&files, &[".forget()", "mem::forget", "Box::leak"]), Vec::<String>::new());
    let manifest = fs::read_to_string(root().join("Cargo.toml")).unwrap();
    for lint in ["unsafe_code = \"forbid\"", "wildcard_enum_match_arm", "unwrap_used", "expect_used"] {
        assert!(manifest.contains(lint), "{lint} is switched on for the workspace");
    }
}

#[test]
fn only_the_declared_permissions_are_asked_for() {
    let manifest: serde_json::Value =
        serde_json::from_str(&fs::read_to_string(root().join("extension/manifest.json")).unwrap()).unwrap();
    let strings = |key: &str| -> Vec<String> {
        let list = manifest[key].as_array().cloned().unwrap_or_default();
        list.iter().filter_map(|value| value.as_str().map(str::to_owned)).collect()
    };
    let mut permissions = strings("permissions");
    permissions.sort();
    // `contextMenus` shows no warning and grants nothing by itself: a click in the menu grants the page it was made on.
    // The rules on network requests take `Origin` off our own; the offscreen page is where Chrome's own model is asked.
    let declared = [
        "activeTab",
        "contextMenus",
        "declarativeNetRequestWithHostAccess",
        "offscreen",
        "scripting",
        "sidePanel",
        "storage",
    ];
    assert_eq!(permissions, declared);
    assert_eq!(strings("host_permissions"), ["http://127.0.0.1/*"], "loopback only");
    assert!(manifest.get("optional_permissions").is_none(), "only a provider's host is ever asked for later");
    assert!(manifest.get("content_scripts").is_none(), "no page is touched before the reader acts");
    assert_eq!(manifest["version"].as_str(), Some(env!("CARGO_PKG_VERSION")));
    assert!(manifest["content_security_policy"]["extension_pages"].as_str().unwrap().contains("'wasm-unsafe-eval'"));
}

#[test]
fn files_stay_small_enough_to_read() {
    let mut files = rust();
    files.extend(sources("xtask", &["rs", "mjs"]));
    files.extend(sources("extension", &["js"]));
    files.retain(|(path, _)| !is_test(path));
    let mut sizes: Vec<(usize, &str)> =
        files.iter().map(|(path, text)| (text.lines().count(), path.as_str())).collect();
    sizes.sort_unstable();
    let median = sizes[sizes.len() / 2].0;
    assert!(median <= 200, "median {median} lines");
    let (longest, path) = sizes[sizes.len() - 1];
    assert!(longest <= 600, "{path} has {longest} lines");
}

#[test]
fn styles_know_no_left_and_right() {
    let files = sources("extension", &["css"]);
    let physical = ["left:", "right:", "-left-", "-right-", "text-align: left", "text-align: right", "float:"];
    assert_eq!(uses(&files, &physical), Vec::<String>::new());
    // Four values name the sides too: they are the same both ways only where second and fourth agree.
    let mut sided = Vec::new();
    for (path, text) in &files {
        for line in text.lines().filter_map(|line| line.trim().strip_suffix(';')) {
            let Some((name, values)) = line.split_once(": ") else { continue };
            if let ("padding" | "margin" | "inset", [_, right, _, left]) =
                (name, values.split(' ').collect::<Vec<_>>().as_slice())
                && right != left
            {
                sided.push(format!("{path}: {line}"));
            }
        }
    }
    assert_eq!(sided, Vec::<String>::new());
}
