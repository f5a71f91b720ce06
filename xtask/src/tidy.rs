//! Checks the house rules in every file that git tracks or would add.

mod phrases;

use std::fs;
use std::path::Path;

use anyhow::{Context, Result, ensure};

use crate::layout::Layout;
use crate::run;

/// A rule checks one file, by its path in the checkout and its text, and returns what is wrong.
type TidyRule = fn(&str, &str) -> Vec<String>;

const RULES: &[(&str, TidyRule)] = &[
    ("every Rust file begins with a `//!` line", documented),
    ("wasm_bindgen, js_sys and pyo3 are named only in their own folders", bindings_apart),
    ("modules of src/ import only from those before them", rooms),
    ("steps of shaping do not import each other", steps_apart),
    ("no registry host and no path of a machine is named", no_hosts),
    ("plain English", phrases::check),
    ("licences in the folders of crates are links", links),
];

/// How many words documents may have: one, or all together.
const WORDS: &[(&str, usize)] = &[("README.md", 900), ("ARCHITECTURE.md", 1_800), ("all documents", 27_000)];

/// Checks every rule, prints the violations, and fails if there are any.
pub fn check(layout: &Layout) -> Result<()> {
    let mut listing = run::command(layout, "git");
    listing.args(["ls-files", "-z", "--cached", "--others", "--exclude-standard"]);
    let listing = run::answer(&mut listing).context("`git ls-files` failed: is this a checkout?")?;
    let mut files = Vec::new();
    for path in listing.split('\0').filter(|path| !path.is_empty()) {
        // A file that is deleted but not yet committed, or that is not text, is skipped.
        if let Ok(text) = fs::read_to_string(layout.path(path)) {
            files.push((path, text));
        }
    }
    let mut failed = 0;
    for (rule, check) in RULES {
        let faults =
            files.iter().flat_map(|(path, text)| check(path, text).into_iter().map(move |fault| (path, fault)));
        let faults: Vec<_> = faults.collect();
        println!("{} {rule}", if faults.is_empty() { "ok  " } else { "FAIL" });
        faults.iter().for_each(|(path, fault)| println!("       {path}{fault}"));
        failed += faults.len();
    }
    for (name, most) in WORDS {
        let documents =
            files.iter().filter(|(path, _)| path.ends_with(".md") && (*name == "all documents" || path == name));
        let words = documents.flat_map(|(_, text)| text.split_whitespace());
        // The borders of a table are not words.
        let words = words.filter(|word| word.contains(char::is_alphanumeric)).count();
        println!("{} {name}: {words} of {most} words", if words > *most { "FAIL" } else { "ok  " });
        failed += usize::from(words > *most);
    }
    ensure!(failed == 0, "{failed} violations of the house rules");
    Ok(())
}

fn documented(path: &str, text: &str) -> Vec<String> {
    let is_missing = path.ends_with(".rs") && !text.lines().any(|line| line.starts_with("//! "));
    Vec::from_iter(is_missing.then(|| ": has no `//!` line".to_owned()))
}

fn bindings_apart(path: &str, text: &str) -> Vec<String> {
    let below = |folder: &str| Path::new(path).starts_with(folder);
    if !path.ends_with(".rs") || below("xtask") {
        return Vec::new();
    }
    let may = |name: &str| if name == "pyo3" { below("py-bindings") } else { below("crates/wasm") };
    let named = ["wasm_bindgen", "js_sys", "pyo3"].into_iter().filter(|name| text.contains(name) && !may(name));
    named.map(|name| format!(": names {name}")).collect()
}

/// The order of the modules of the core: each imports from itself and from those before it.
const ROOMS: [&str; 7] = ["base", "value", "request", "outcome", "render", "ladder", "api"];

fn rooms(path: &str, text: &str) -> Vec<String> {
    let name = path.strip_prefix("src/").and_then(|path| path.split(['/', '.']).next());
    let Some(room) = ROOMS.iter().position(|room| Some(*room) == name) else { return Vec::new() };
    let code = text.split("\nmod tests {").next().unwrap_or_default();
    let mut faults = Vec::new();
    for (number, line) in code.lines().enumerate().filter(|(_, line)| !line.trim_start().starts_with("//")) {
        for later in &ROOMS[room + 1..] {
            if line.contains(&format!("crate::{later}::")) {
                faults.push(format!(":{}: {} comes before {later}", number + 1, ROOMS[room]));
            }
        }
    }
    faults
}

/// The steps that `ladder` combines.
const STEPS: [&str; 6] = ["project", "paginate", "truncate", "summarize", "sample", "offload"];

fn steps_apart(path: &str, text: &str) -> Vec<String> {
    let is_at = |step: &&&str| path.starts_with("src/") && path.ends_with(&format!("/{step}.rs"));
    let Some(step) = STEPS.iter().find(is_at) else { return Vec::new() };
    let code = text.split("\nmod tests {").next().unwrap_or_default();
    let rooms = ["render", "value", "super"];
    let imports = |other: &&&str| rooms.iter().any(|room| code.contains(&format!("{room}::{other}::")));
    STEPS.iter().filter(|other| *other != step).filter(imports).map(|other| format!(": imports {other}")).collect()
}

/// Else the package of the crate has the name of a file in place of its licence.
fn links(path: &str, text: &str) -> Vec<String> {
    let is_name = ["/LICENSE", "/NOTICE"].iter().any(|name| path.ends_with(name)) && text.starts_with("../");
    Vec::from_iter(is_name.then(|| ": is the name of a file".to_owned()))
}

fn no_hosts(_: &str, text: &str) -> Vec<String> {
    // Each is written in two parts, so that this file does not break its own rule.
    let hosts = [
        concat!("registry.npm", "js.org"),
        concat!("npm", "js.com"),
        concat!("://crates", ".io"),
        concat!("index.crates", ".io"),
        concat!("static.crates", ".io"),
        concat!("pypi", ".org"),
        concat!("pythonhosted", ".org"),
        concat!("deb.debian", ".org"),
    ];
    let machine_paths = [concat!("/ro", "ot/"), concat!("/wo", "rk/"), concat!("/ho", "me/"), concat!("/Us", "ers/")];
    let is_path = |folder: &&str| {
        // `docs/work/x` is not a path of a machine: the folder must begin with a slash.
        text.match_indices(*folder).any(|(at, _)| {
            let before = text[..at].chars().next_back();
            !before.is_some_and(|before| before.is_alphanumeric() || "._-/".contains(before))
        })
    };
    let hosts = hosts.into_iter().filter(|host| text.contains(host));
    hosts.chain(machine_paths.into_iter().filter(is_path)).map(|named| format!(": names {named}")).collect()
}
