//! `cargo xtask test` and `check`: run steps, and print a table and a summary line at the end.

use std::panic;
use std::time::Instant;

use anyhow::{Result, anyhow, bail};
use clap::Args as ClapArgs;

use crate::counts::Counts;
use crate::layout::Layout;
use crate::steps::{Outcome, QUICK, STEPS, Step, Vectors};
use crate::{console, failures, schedule, setup};

const PLAN: &str = "\
test: every check and every suite, those that do not need each other side by side; a table comes at the end.
  What is missing is installed: into target/ from the package registries, and Chromium and Redis by apt-get. From
  nothing this takes about 35 minutes on two cores, later less. `cargo xtask check` answers within one.";

/// What `cargo xtask test` takes.
#[derive(ClapArgs)]
pub struct Args {
    /// Steps to run, by name; all when none is given
    steps: Vec<String>,
    /// Print the names of the steps and stop
    #[arg(long)]
    list: bool,
}

/// Runs the steps; false if one failed.
pub fn command(layout: &Layout, args: &Args) -> Result<bool> {
    if args.list {
        for step in STEPS {
            println!("{:15}{}", step.name, step.about);
        }
        return Ok(true);
    }
    if let Some(unknown) = args.steps.iter().find(|name| !STEPS.iter().any(|s| s.name == **name)) {
        let names: Vec<&str> = STEPS.iter().map(|step| step.name).collect();
        bail!("no step is named {unknown}; there are {}", names.join(", "));
    }
    let chosen = |step: &&Step| args.steps.is_empty() || args.steps.iter().any(|n| n == step.name);
    let steps: Vec<&Step> = STEPS.iter().filter(chosen).collect();
    let started = Instant::now();
    if args.steps.is_empty() {
        println!("{PLAN}");
        setup::check(layout)?;
    }
    run(layout, &steps, started)
}

/// Runs the steps that most changes break first; takes less than a minute after everything is compiled.
pub fn check(layout: &Layout) -> Result<bool> {
    run(layout, &Vec::from_iter(QUICK), Instant::now())
}

fn run(layout: &Layout, steps: &[&Step], started: Instant) -> Result<bool> {
    let rows = schedule::run(steps, |number, step| run_step(layout, number, step));
    Ok(close(&rows, seconds(started)))
}

struct Row {
    name: &'static str,
    counts: Option<Counts>,
    vectors: Vectors,
    note: &'static str,
    /// The lines that name what failed.
    failures: Vec<String>,
    seconds: f64,
}

fn run_step(layout: &Layout, number: usize, step: &Step) -> Row {
    console::open(number);
    console::line(format!("\n=== {}: {}", step.name, step.about));
    let started = Instant::now();
    let one_failed = Counts { failed: 1, ..Counts::default() };
    let mut vectors = Vec::new();
    let (counts, note) =
        match panic::catch_unwind(|| (step.run)(layout)).unwrap_or_else(|_| Err(anyhow!("the step panicked"))) {
            Ok(Outcome::Ran(counts, said)) => {
                vectors = said;
                if counts == Counts::default() {
                    console::line("no test ran");
                    (Some(one_failed), "FAILED")
                } else {
                    (Some(counts), if counts.failed > 0 { "FAILED" } else { "ok" })
                }
            }
            Ok(Outcome::Done) => (None, "ok"),
            Ok(Outcome::Skipped(why)) => {
                console::line(format!("skipped: {why}"));
                (None, "skipped")
            }
            Err(error) => {
                console::line(format!("error: {error:#}"));
                (Some(one_failed), "FAILED")
            }
        };
    let seconds = seconds(started);
    let failures = if note == "FAILED" { failures::named(&console::lines()) } else { Vec::new() };
    console::line(format!("--- {}: {note} in {seconds:.1} s", step.name));
    console::close();
    Row { name: step.name, counts, vectors, note, failures, seconds }
}

/// Prints the table, the names of what failed and, on a separate last line, the sum of all suites.
fn close(rows: &[Row], seconds: f64) -> bool {
    let mut sum = Counts::default();
    if rows.iter().any(|row| !row.vectors.is_empty()) {
        println!("\nthe shared cases:");
    }
    for row in rows {
        for said in &row.vectors {
            println!("  {:10}{said}", row.name);
        }
    }
    println!("\n{:15}{:>9}{:>8}{:>9}{:>9}  result", "step", "passed", "failed", "skipped", "seconds");
    for row in rows {
        let cells = match row.counts {
            Some(counts) => [counts.passed, counts.failed, counts.skipped].map(|n| n.to_string()),
            None => [const { String::new() }; 3],
        };
        let [passed, failed, skipped] = cells;
        println!("{:15}{passed:>9}{failed:>8}{skipped:>9}{:>9.1}  {}", row.name, row.seconds, row.note);
        sum += row.counts.unwrap_or_default();
    }
    let Counts { passed, failed, skipped } = sum;
    println!("{:15}{passed:>9}{failed:>8}{skipped:>9}{seconds:>9.1}", "all");
    for row in rows.iter().filter(|row| !row.failures.is_empty()) {
        println!("\n{} failed:", row.name);
        for line in &row.failures {
            println!("  {line}");
        }
    }
    println!("\n{passed} passed, {failed} failed");
    failed == 0
}

fn seconds(since: Instant) -> f64 {
    since.elapsed().as_secs_f64()
}
