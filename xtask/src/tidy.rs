//! Checks the house rules in every file that git tracks or would add.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result};

use crate::counts::Counts;
use crate::layout::Layout;
use crate::{rooms, run};

/// A rule checks one file, by its path in the checkout and its text, and returns what is wrong.
type Rule = fn(&str, &str) -> Option<String>;

const RULES: &[(&str, Rule)] = &[
    ("every Rust file says what it promises in a `//!` line", documented),
    ("no source file is longer than 500 lines", short),
    ("bindings are named only in their own folders", bindings_apart),
    ("no registry host and no path of a machine is named", no_hosts),
];

/// A rule that checks all files together, and returns what is wrong.
type RuleOfAll = fn(&[(&str, String)]) -> Vec<String>;

const RULES_OF_ALL: &[(&str, RuleOfAll)] = &[
    ("rooms import one way", rooms::wrong_ways),
    ("no more than three files import each other in a circle", rooms::circles),
    ("verbs do not import each other", rooms::verbs_apart),
];

const LONGEST: usize = 500;

/// Files that may be longer than that, each with the reason.
const LONG: &[(&str, &str)] = &[];

/// Files that may name a host or a machine's path, each with the reason.
const HOSTS: &[(&str, &str)] = &[];

/// Checks every rule, prints the violations, and counts the rules.
pub fn check(layout: &Layout) -> Result<Counts> {
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
    let mut counts = Counts::default();
    let of_each = RULES.iter().map(|(rule, check)| {
        let fault = |(path, text): &(&str, String)| check(path, text).map(|fault| format!("{path}: {fault}"));
        (*rule, files.iter().filter_map(fault).collect::<Vec<_>>())
    });
    let of_all = RULES_OF_ALL.iter().map(|(rule, check)| (*rule, check(&files)));
    for (rule, faults) in of_each.chain(of_all) {
        println!("{} {rule}", if faults.is_empty() { "ok  " } else { "FAIL" });
        for fault in &faults {
            println!("       {fault}");
        }
        counts += match faults.is_empty() {
            true => Counts { passed: 1, ..Counts::default() },
            false => Counts { failed: 1, ..Counts::default() },
        };
    }
    Ok(counts)
}

fn documented(path: &str, text: &str) -> Option<String> {
    let missing = path.ends_with(".rs") && !text.lines().any(|line| line.starts_with("//! "));
    missing.then(|| "has no `//!` line".to_owned())
}

fn short(path: &str, text: &str) -> Option<String> {
    let code = [".rs", ".ts", ".mts", ".cts", ".py", ".pyi", ".js", ".mjs", ".cjs"];
    let lines = text.lines().count();
    let fault = code.iter().any(|end| path.ends_with(end)) && lines > LONGEST && !listed(LONG, path);
    fault.then(|| format!("has {lines} lines: split it by idea"))
}

fn bindings_apart(path: &str, text: &str) -> Option<String> {
    let below = |folder: &str| Path::new(path).starts_with(folder);
    if !path.ends_with(".rs") || below("xtask") {
        return None;
    }
    let wasm_may = below("crates/wasm");
    let may = |name: &str| if name.starts_with("py") { below("py-bindings") } else { wasm_may };
    ["wasm_bindgen", "js_sys", "pyo3"]
        .into_iter()
        .find(|name| text.contains(name) && !may(name))
        .map(|name| format!("names {name}"))
}

fn no_hosts(path: &str, text: &str) -> Option<String> {
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
    let named = hosts.into_iter().find(|host| text.contains(host)).or_else(|| {
        machine_paths.into_iter().find(|folder| {
            // `docs/work/x` is not a path of a machine: the folder must begin with a slash.
            text.match_indices(folder).any(|(at, _)| {
                let before = text[..at].chars().next_back();
                !before.is_some_and(|before| before.is_alphanumeric() || "._-/".contains(before))
            })
        })
    })?;
    (!listed(HOSTS, path)).then(|| format!("names {named}"))
}

fn listed(list: &[(&str, &str)], path: &str) -> bool {
    list.iter().any(|(listed, _reason)| *listed == path)
}
