//! `cargo xtask test`: runs steps, three at a time, and prints a table and the sum of all tests at the end.
//!
//! Each step is a child process, `cargo xtask step NAME`, whose output is in `target/logs/NAME.txt` and is printed when it
//! ends.

use std::fs::{self, File};
use std::path::Path;
use std::sync::{Condvar, Mutex};
use std::time::{Duration, Instant};
use std::{env, io, thread};

use anyhow::{Result, bail};
use clap::Args as ClapArgs;

use crate::counts::{self, Counts};
use crate::layout::Layout;
use crate::steps::{STEPS, TestStep};
use crate::{run, setup};

/// Steps that run at the same time. Most of them wait for a server, a disk or a registry now and then.
const LANES: usize = 3;

/// What `cargo xtask test` takes.
#[derive(ClapArgs)]
pub struct Args {
    /// Steps to run, by name; by default those that every change needs
    steps: Vec<String>,
    /// Run every step, those that only a release needs too
    #[arg(long)]
    all: bool,
    /// Print the names of the steps and stop
    #[arg(long)]
    list: bool,
}

/// Runs the steps; false if one failed.
pub fn command(layout: &Layout, args: &Args) -> Result<bool> {
    if args.list {
        for step in STEPS {
            println!("{:20}{}{}", step.name, step.about, if step.is_daily { "" } else { " (--all)" });
        }
        return Ok(true);
    }
    if let Some(unknown) = args.steps.iter().find(|name| !STEPS.iter().any(|step| step.name == **name)) {
        bail!("unknown step {unknown}: `cargo xtask test --list` prints them");
    }
    setup::check(layout)?;
    let chosen = |step: &&TestStep| match args.steps.is_empty() {
        true => step.is_daily || args.all,
        false => args.steps.iter().any(|name| name == step.name),
    };
    run_all(layout, &STEPS.iter().filter(chosen).collect::<Vec<_>>())
}

/// One step in this process.
pub fn step(layout: &Layout, name: &str) -> Result<()> {
    match STEPS.iter().find(|step| step.name == name) {
        Some(step) => (step.run)(layout),
        None => bail!("unknown step {name}"),
    }
}

struct EndedStep {
    name: &'static str,
    counts: Counts,
    seconds: f64,
    failures: Vec<String>,
}

#[derive(PartialEq)]
enum State {
    Waiting,
    Running,
    Done,
}

fn run_all(layout: &Layout, steps: &[&TestStep]) -> Result<bool> {
    let started = Instant::now();
    fs::create_dir_all(layout.path("target/logs"))?;
    let states: Mutex<Vec<State>> = Mutex::new(steps.iter().map(|_| State::Waiting).collect());
    let (changed, ended) = (Condvar::new(), Mutex::new(Vec::new()));
    let lane = || {
        let mut now = states.lock().expect("no lane panics");
        while now.contains(&State::Waiting) {
            let Some(at) = (0..steps.len()).find(|&at| is_ready(at, steps, &now)) else {
                now = changed.wait(now).expect("no lane panics");
                continue;
            };
            now[at] = State::Running;
            drop(now);
            let row = run_one(layout, steps[at], steps.len() == 1);
            ended.lock().expect("no lane panics").push(row);
            now = states.lock().expect("no lane panics");
            now[at] = State::Done;
            changed.notify_all();
        }
    };
    thread::scope(|scope| (0..LANES).for_each(|_| drop(scope.spawn(lane))));
    let rows = ended.into_inner().expect("no lane panics");
    Ok(print_summary(&rows, started.elapsed().as_secs_f64()))
}

/// Whether the steps that it needs have ended, and no step runs that it must not share the machine with.
fn is_ready(at: usize, steps: &[&TestStep], states: &[State]) -> bool {
    states[at] == State::Waiting
        && steps.iter().zip(states).all(|(other, state)| match state {
            State::Done => true,
            State::Waiting => !steps[at].needs.contains(&other.name),
            State::Running => !(steps[at].needs.contains(&other.name) || steps[at].is_heavy && other.is_heavy),
        })
}

fn run_one(layout: &Layout, step: &TestStep, is_alone: bool) -> EndedStep {
    println!("{}: {} ...", step.name, step.about);
    let started = Instant::now();
    let log = layout.path("target/logs").join(format!("{}.txt", step.name));
    let error = watch(layout, step, &log, is_alone).err().map(|error| format!("error: {error:#}"));
    let seconds = started.elapsed().as_secs_f64();
    let text = fs::read(&log).map(|text| String::from_utf8_lossy(&text).into_owned()).unwrap_or_default();
    let mut counts = Counts::read(&text);
    let mut failures = counts::failures(&text);
    if step.has_tests && counts == Counts::default() {
        failures.push("no test ran".to_owned());
    }
    failures.extend(error);
    if !failures.is_empty() && counts.failed == 0 {
        counts.failed = 1;
    }
    let _printing = io::stdout().lock();
    if !is_alone {
        println!("\n=== {}\n{text}", step.name);
    }
    println!("--- {}: {} in {seconds:.1} s\n", step.name, if counts.failed > 0 { "FAILED" } else { "ok" });
    EndedStep { name: step.name, counts, seconds, failures }
}

/// Runs the child with its output in a file, which is also shown as it grows if this is the only step.
fn watch(layout: &Layout, step: &TestStep, log: &Path, is_shown: bool) -> Result<()> {
    let output = File::create(log)?;
    let mut child = run::command(layout, env::current_exe()?);
    child.args(["step", step.name]).stdout(output.try_clone()?).stderr(output);
    let mut child = child.spawn()?;
    let mut written = File::open(log)?;
    loop {
        let ended = child.try_wait()?;
        if is_shown {
            io::copy(&mut written, &mut io::stdout())?;
        }
        match ended {
            Some(status) if status.success() => return Ok(()),
            Some(_) => bail!("the step failed"),
            None => thread::sleep(Duration::from_millis(100)),
        }
    }
}

fn print_summary(rows: &[EndedStep], seconds: f64) -> bool {
    let mut sum = Counts::default();
    println!("\n{:20}{:>9}{:>8}{:>9}{:>9}", "step", "passed", "failed", "skipped", "seconds");
    for EndedStep { name, counts, seconds, .. } in rows {
        println!("{name:20}{:>9}{:>8}{:>9}{seconds:>9.1}", counts.passed, counts.failed, counts.skipped);
        sum += *counts;
    }
    println!("{:20}{:>9}{:>8}{:>9}{seconds:>9.1}", "all", sum.passed, sum.failed, sum.skipped);
    for row in rows.iter().filter(|row| row.counts.failed > 0) {
        println!("\n{} failed (target/logs/{}.txt):", row.name, row.name);
        row.failures.iter().for_each(|line| println!("  {line}"));
    }
    println!("\n{} passed, {} failed, {} skipped", sum.passed, sum.failed, sum.skipped);
    sum.failed == 0
}

#[cfg(test)]
mod tests {
    use crate::steps::STEPS;

    #[test]
    fn every_need_is_an_earlier_step() {
        for (at, step) in STEPS.iter().enumerate() {
            for need in step.needs {
                let needed = STEPS[..at].iter().find(|earlier| earlier.name == *need);
                let needed = needed.unwrap_or_else(|| panic!("{} needs {need}, which is not before it", step.name));
                assert!(needed.is_daily || !step.is_daily, "{} needs {need}, which does not always run", step.name);
            }
        }
    }
}
