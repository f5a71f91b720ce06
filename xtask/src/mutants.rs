//! `cargo xtask mutants`: changes the code, one place at a time, and looks whether a test fails.
//!
//! cargo-mutants makes the mutants. From each area the same ones are drawn for the same seed, whatever else changes in
//! their files. Each is tried with the quick tests, and one that survives them with every Rust test. One that survives
//! those too fails the command, unless `tests/equivalent_mutants.json` lists it, with the reason why it changes nothing.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::fs;
use std::process::Command;

use anyhow::{Context, Result, bail};
use clap::Args as ClapArgs;
use serde_json::Value;
use sha2::{Digest, Sha256};

use crate::layout::Layout;
use crate::{pins, run, rust, source_copy};

/// Files that are mutated together, and the quick tests that are run for them.
struct Area {
    name: &'static str,
    files: &'static [&'static str],
    quick: Tests,
}

const fn area(name: &'static str, files: &'static [&'static str], quick: Tests) -> Area {
    Area { name, files, quick }
}

/// Packages that are tested, and what `cargo test` is told beside them.
#[derive(Clone, Copy)]
struct Tests {
    packages: &'static [&'static str],
    arguments: &'static [&'static str],
    is_quick: bool,
}

/// The tests of the core that take seconds: unit tests, vectors, and the promises on documents and series.
const CORE: Tests = Tests {
    packages: &["toolshape", "toolshape-json", "toolshape-text"],
    arguments: &[
        "--lib",
        "--test",
        "main",
        "--",
        "--skip",
        "invariants::",
        "--skip",
        "lists::",
        "--skip",
        "output_schemas::",
    ],
    is_quick: true,
};
/// Those of the tokenizer.
const TOKENS: Tests = Tests { packages: &["toolshape-tokens"], arguments: &["--lib"], is_quick: true };
/// Every Rust test.
const ALL: Tests = Tests {
    packages: &["toolshape", "toolshape-json", "toolshape-text", "toolshape-tokens"],
    arguments: &[],
    is_quick: false,
};

/// What is mutated.
const AREAS: &[Area] = &[
    area("cursors", &["src/request/cursor.rs"], CORE),
    area("names", &["src/request/content_id.rs", "src/request/stored.rs"], CORE),
    area(
        "pages",
        &[
            "src/render/paginate.rs",
            "src/render/page_window.rs",
            "src/render/envelope.rs",
            "src/request/keyset.rs",
            "src/api/keyset_page.rs",
            "src/api/snapshot.rs",
        ],
        CORE,
    ),
    area("elision", &["src/render/elide.rs", "src/render/summarize.rs", "src/render/siblings.rs"], CORE),
    area("truncation", &["src/render/truncate.rs", "src/render/excerpt.rs", "src/base/text_cuts.rs"], CORE),
    area("policies", &["src/request/policy.rs", "src/request/options.rs", "src/request/presets.rs"], CORE),
    area(
        "json",
        &["crates/json/src/*.rs", "src/value/json_text.rs", "src/value/json_walk.rs", "src/base/json_string.rs"],
        CORE,
    ),
    area("tokens", &["crates/tokens/src/*/*.rs"], TOKENS),
];

/// How many cases a property draws in the quick tests. Survivors meet all of them.
const QUICK_CASES: &str = "8";

/// In the quick stage compiling takes longer than the tests do, however slow the core is.
const UNOPTIMIZED: &str = "--cargo-arg=--config=profile.dev.package.toolshape.opt-level=0";

/// What cargo-mutants calls a survivor.
const MISSED: &str = "MissedMutant";

/// Mutants that change nothing a test could observe, each with the reason.
const EQUIVALENT: &str = "tests/equivalent_mutants.json";

/// What `cargo xtask mutants` takes.
#[derive(ClapArgs)]
pub struct Args {
    /// Areas to draw from; all when none is given
    areas: Vec<String>,
    /// How many mutants of each area are drawn
    #[arg(long, default_value_t = 40)]
    each: usize,
    /// Which ones are drawn
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Try survivors of the quick tests with no others
    #[arg(long)]
    quick: bool,
    /// Print the mutants that are drawn and stop
    #[arg(long)]
    list: bool,
}

/// A mutant: its name in cargo-mutants, and one that stays when lines move.
#[derive(Clone)]
struct Mutant {
    name: String,
    stable: String,
}

/// Tries the mutants; false if one survives that is not equivalent.
pub fn command(layout: &Layout, args: &Args) -> Result<bool> {
    if let Some(unknown) = args.areas.iter().find(|name| !AREAS.iter().any(|area| area.name == **name)) {
        let names: Vec<&str> = AREAS.iter().map(|area| area.name).collect();
        bail!("no area is named {unknown}; there are {}", names.join(", "));
    }
    rust::ensure_subcommand(layout, "mutants", pins::CARGO_MUTANTS)?;
    // No mutant is ever in the checkout. cargo-mutants could make a copy too, but it compiles each one from nothing. To
    // list them needs no copy, and a run that goes on keeps its own.
    let copy = (!args.list).then(|| source_copy::refresh(layout, &layout.path("target/mutants/tree"))).transpose()?;
    let tree = copy.as_ref().unwrap_or(layout);
    let mut drawn = Vec::new();
    for area in AREAS.iter().filter(|area| args.areas.is_empty() || args.areas.iter().any(|name| name == area.name)) {
        let (all, chosen) = draw(layout, tree, area, args)?;
        println!("{:11}{} of {all} mutants", area.name, chosen.len());
        drawn.push((area, chosen));
    }
    if args.list {
        drawn.iter().flat_map(|(_, chosen)| chosen).for_each(|mutant| println!("{}", mutant.name));
        return Ok(true);
    }
    let mut rows = Vec::new();
    for (area, chosen) in drawn {
        let quick = try_out(layout, tree, &format!("{}-quick", area.name), &chosen, area.quick)?;
        let mut left: Vec<Mutant> = chosen.iter().filter(|mutant| quick.of(mutant) == MISSED).cloned().collect();
        left.retain(|_| !args.quick);
        let all = match left.is_empty() {
            true => Outcomes::default(),
            false => try_out(layout, tree, &format!("{}-all", area.name), &left, ALL)?,
        };
        rows.push((area, chosen, quick, all));
    }
    Ok(report(&equivalent(layout)?, &rows, args))
}

fn cargo_mutants(layout: &Layout, tree: &Layout) -> Command {
    let mut cargo = run::cargo(layout);
    cargo.arg("mutants").current_dir(&tree.root).env_remove("CARGO_TARGET_DIR");
    cargo
}

/// How many mutants these files have, and those that are drawn: the first in the order of a hash of seed and name.
fn draw(layout: &Layout, tree: &Layout, area: &Area, args: &Args) -> Result<(usize, Vec<Mutant>)> {
    let mut list = cargo_mutants(layout, tree);
    list.args(["--workspace", "--list", "--json"]).args(area.files.iter().flat_map(|file| ["--file", file]));
    let list = run::answer(&mut list).context("cargo-mutants could not list the mutants")?;
    let list: Value = serde_json::from_str(&list).context("cargo-mutants listed something else than JSON")?;
    let mut seen: HashMap<String, usize> = HashMap::new();
    let mut mutants = Vec::new();
    for mutant in list.as_array().context("cargo-mutants listed no mutants")? {
        let name = mutant["name"].as_str().context("a mutant has no name")?.to_owned();
        let plain = without_place(&name);
        let number = seen.entry(plain.clone()).or_default();
        *number += 1;
        let stable = if *number == 1 { plain } else { format!("{plain} #{number}") };
        let hash = Sha256::digest(format!("{} {stable}", args.seed)).to_vec();
        mutants.push((hash, Mutant { name, stable }));
    }
    mutants.sort_by(|one, other| one.0.cmp(&other.0));
    let all = mutants.len();
    Ok((all, mutants.into_iter().take(args.each).map(|(_, mutant)| mutant).collect()))
}

/// `src/a.rs:12:5: replace f with g` without line and column.
fn without_place(name: &str) -> String {
    let mut parts = name.splitn(4, ':');
    let file = parts.next().unwrap_or_default();
    format!("{file}:{}", parts.nth(2).unwrap_or_default())
}

/// What became of each mutant, by name.
#[derive(Default)]
struct Outcomes(HashMap<String, String>);

impl Outcomes {
    fn of(&self, mutant: &Mutant) -> &str {
        self.0.get(&mutant.name).map_or("not tried", String::as_str)
    }
}

/// Runs these tests for each of these mutants.
fn try_out(layout: &Layout, tree: &Layout, stage: &str, mutants: &[Mutant], tests: Tests) -> Result<Outcomes> {
    println!("\n{stage}: {} mutants", mutants.len());
    let folder = layout.path("target/mutants").join(stage);
    fs::create_dir_all(&folder)?;
    let only: Vec<String> = mutants.iter().map(|mutant| format!("^{}$", regex::escape(&mutant.name))).collect();
    // cargo-mutants asks no pattern about fields that it deletes: of these files it tries all, and those that were not
    // drawn do not count.
    let files: HashSet<&str> = mutants.iter().filter_map(|mutant| mutant.name.split(':').next()).collect();
    let config = folder.join("mutants.toml");
    // A JSON array of strings is one of TOML.
    let [only, files] = [serde_json::to_string(&only)?, serde_json::to_string(&Vec::from_iter(files))?];
    fs::write(&config, format!("examine_re = {only}\nexamine_globs = {files}\n"))?;
    let mut cargo = cargo_mutants(layout, tree);
    cargo.args(["--workspace", "--in-place", "--no-shuffle", "--caught", "--colors", "never", "--config"]).arg(config);
    if tests.is_quick {
        cargo.arg(UNOPTIMIZED).env("PROPTEST_CASES", QUICK_CASES);
    }
    cargo.args(tests.packages.iter().flat_map(|package| ["--test-package", package]));
    cargo.arg("--output").arg(&folder).arg("--").args(tests.arguments);
    // Properties draw the same cases for each mutant and in each run.
    cargo.env("PROPTEST_RNG_SEED", "1");
    // Its exit status tells of survivors too, so what it wrote is what counts.
    cargo.status().context("cannot start cargo-mutants")?;
    let written = fs::read_to_string(folder.join("mutants.out/outcomes.json")).context("cargo-mutants did not run")?;
    let written: Value = serde_json::from_str(&written)?;
    let mut outcomes = HashMap::new();
    for outcome in written["outcomes"].as_array().context("cargo-mutants wrote no outcomes")? {
        if let (Some(name), Some(summary)) =
            (outcome["scenario"]["Mutant"]["name"].as_str(), outcome["summary"].as_str())
        {
            outcomes.insert(name.to_owned(), summary.to_owned());
        }
    }
    if outcomes.is_empty() {
        bail!("no mutant was tried: the tests fail without one, see {}", layout.relative(&folder).display());
    }
    Ok(Outcomes(outcomes))
}

/// The names of equivalent mutants.
fn equivalent(layout: &Layout) -> Result<HashSet<String>> {
    let text = fs::read_to_string(layout.path(EQUIVALENT)).with_context(|| format!("cannot read {EQUIVALENT}"))?;
    let reasons: HashMap<String, String> =
        serde_json::from_str(&text).with_context(|| format!("cannot parse {EQUIVALENT}"))?;
    Ok(reasons.into_keys().collect())
}

/// Prints a line for each area and for each survivor; true if every survivor is equivalent.
fn report(equivalent: &HashSet<String>, rows: &[(&Area, Vec<Mutant>, Outcomes, Outcomes)], args: &Args) -> bool {
    println!(
        "\n{:11}{:>8}{:>8}{:>9}{:>10}{:>12}{:>10}",
        "area", "mutants", "killed", "timeout", "unviable", "equivalent", "survived"
    );
    let mut survivors = Vec::new();
    let mut sum = [0; 6];
    for (area, mutants, quick, all) in rows {
        let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
        for mutant in mutants {
            let outcome = match (quick.of(mutant), all.of(mutant)) {
                (MISSED, after) if !args.quick => after,
                (first, _) => first,
            };
            let column = match outcome {
                "CaughtMutant" => "killed",
                "Timeout" => "timeout",
                "Unviable" => "unviable",
                _ if equivalent.contains(&mutant.stable) => "equivalent",
                _ => {
                    survivors.push(mutant);
                    "survived"
                }
            };
            *counts.entry(column).or_default() += 1;
        }
        let column = |name: &str| counts.get(name).copied().unwrap_or(0);
        let row =
            [mutants.len()].into_iter().chain(["killed", "timeout", "unviable", "equivalent", "survived"].map(column));
        let row: Vec<usize> = row.collect();
        print_row(area.name, &row);
        row.iter().zip(&mut sum).for_each(|(count, sum)| *sum += count);
    }
    print_row("all", &sum);
    if !survivors.is_empty() {
        println!("\nwrite a test that fails for each of these, or add it to {EQUIVALENT} with the reason:");
        survivors.iter().for_each(|mutant| println!("{:?} ({})", mutant.stable, mutant.name));
    }
    survivors.is_empty()
}

fn print_row(name: &str, row: &[usize]) {
    let [mutants, killed, timeout, unviable, equivalent, survived] = row else { return };
    println!("{name:11}{mutants:>8}{killed:>8}{timeout:>9}{unviable:>10}{equivalent:>12}{survived:>10}");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mutant_keeps_its_name_when_lines_move() {
        let moved = ["src/a.rs:12:5: replace B::f -> bool with true", "src/a.rs:13:9: replace B::f -> bool with true"];
        assert_eq!(moved.map(without_place), ["src/a.rs: replace B::f -> bool with true"; 2]);
    }

    #[test]
    fn survivors_are_counted_and_equivalent_ones_are_not() {
        let mutants: Vec<Mutant> = ["killed", "equivalent", "new"]
            .map(|name| Mutant { name: name.to_owned(), stable: format!("src/a.rs: {name}") })
            .into();
        let found = [("killed", "CaughtMutant"), ("equivalent", MISSED), ("new", MISSED)];
        let quick = Outcomes(found.map(|(name, outcome)| (name.to_owned(), outcome.to_owned())).into());
        let args = Args { areas: Vec::new(), each: 3, seed: 1, quick: true, list: false };
        let one = HashSet::from(["src/a.rs: equivalent".to_owned()]);
        let rows = [(&AREAS[0], mutants, quick, Outcomes::default())];
        assert!(!report(&one, &rows, &args));
        let both = HashSet::from(["src/a.rs: equivalent".to_owned(), "src/a.rs: new".to_owned()]);
        assert!(report(&both, &rows, &args));
    }
}
