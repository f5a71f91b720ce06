//! `cargo xtask fuzz`: runs the targets of `fuzz/` under libFuzzer, and prints what was reached.
//!
//! `target/fuzz/` keeps, for each target, its corpus, the inputs that failed (`failures/`), the output of the last run
//! (`logs/`), and in `ledger.json` what all runs took.

mod instrument;
mod ledger;
mod program;
mod seeds;
mod session;

use std::collections::VecDeque;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::thread;

use anyhow::{Context, Result, anyhow, bail};
use clap::Args as ClapArgs;

use crate::console;
use crate::counts::Counts;
use crate::layout::Layout;
use ledger::Ledger;
use program::{Build, Program};
use session::{Limits, Session};

pub use instrument::rustc;

/// The targets, in the order in which they run.
const TARGETS: [&str; 8] = ["shape", "cursors", "jsonpath", "read_result", "tokens", "mcp", "relay", "summaries"];
/// How long each target runs in `cargo xtask test`, in seconds.
const SHORT: u64 = 4;

/// A longer case is no seed: others show the same sooner, and a short run has to read them all.
const LONGEST_SEED: usize = 48 << 10;
const LONGEST_SHORT_SEED: usize = 3 << 10;

/// What `cargo xtask fuzz` takes.
#[derive(ClapArgs)]
pub struct Args {
    /// Targets to run; all when none is given
    targets: Vec<String>,
    /// How long each target runs
    #[arg(long, default_value_t = 60)]
    seconds: u64,
    /// How many targets run at the same time
    #[arg(long, default_value_t = 1)]
    jobs: usize,
    /// Run one input again instead, such as one that failed
    #[arg(long)]
    input: Option<PathBuf>,
}

/// Runs the targets; false if one failed.
pub fn command(layout: &Layout, args: &Args) -> Result<bool> {
    let known = |name: &String| TARGETS.iter().copied().find(|target| target == name);
    let named = args
        .targets
        .iter()
        .map(|name| known(name).ok_or_else(|| anyhow!("no target is named {name}; there are {}", TARGETS.join(", "))));
    let mut targets = named.collect::<Result<Vec<_>>>()?;
    if let Some(input) = &args.input {
        let [target] = targets[..] else { bail!("--input takes one target, whose input it is") };
        return program::build(layout, Build::Fast)?.replay(target, input);
    }
    if targets.is_empty() {
        targets = TARGETS.to_vec();
    }
    let limits = Limits { seconds: args.seconds, seed: None, longest_seed: LONGEST_SEED };
    let program = program::build(layout, Build::Fast)?;
    let ledger = Mutex::new(Ledger::read(folder(layout).join("ledger.json"))?);
    // Each at once: a run of hours may be ended before its last target.
    let enter = |session: &Session| ledger.lock().expect("no worker panics while it enters").enter(session);
    let sessions = run(layout, &program, &targets, &folder(layout), args.jobs, limits, enter)?;
    print_table(&sessions, &ledger.into_inner().expect("no worker panics while it enters"));
    Ok(sessions.iter().all(|session| session.failures.is_empty()))
}

/// A short run of every target from the seeds alone, which is the same each time as far as time allows.
pub fn short(layout: &Layout) -> Result<Counts> {
    let folder = folder(layout).join("short");
    if folder.exists() {
        fs::remove_dir_all(&folder)?;
    }
    let program = program::build(layout, Build::Shared)?;
    let sessions = run(
        layout,
        &program,
        &TARGETS,
        &folder,
        1,
        Limits { seconds: SHORT, seed: Some(1), longest_seed: LONGEST_SHORT_SEED },
        |_| Ok(()),
    )?;
    let failed = sessions.iter().filter(|session| !session.failures.is_empty()).count() as u64;
    for session in &sessions {
        console::line(format!("{:12} {} executions", session.target, session.executions));
    }
    Ok(Counts { passed: sessions.len() as u64 - failed, failed, ..Counts::default() })
}

fn folder(layout: &Layout) -> PathBuf {
    layout.path("target/fuzz")
}

/// Runs the targets, so many at a time, and returns what each reached, in their order; `ended` is told each when it ends.
fn run(
    layout: &Layout,
    program: &Program,
    targets: &[&'static str],
    folder: &Path,
    jobs: usize,
    limits: Limits,
    ended: impl Fn(&Session) -> Result<()> + Sync,
) -> Result<Vec<Session>> {
    for target in targets {
        let corpus = folder.join(target);
        fs::create_dir_all(&corpus).with_context(|| format!("cannot make {}", corpus.display()))?;
        seeds::write(layout, target, &corpus, limits.longest_seed)?;
    }
    let (waiting, done) = (Mutex::new(VecDeque::from(targets.to_vec())), Mutex::new(Vec::new()));
    let page = console::page();
    let worker = || {
        console::print_on(page);
        loop {
            let next = waiting.lock().expect("no worker panics while it takes").pop_front();
            let Some(target) = next else { return };
            let session = session::run(program, target, folder, limits).and_then(|session| {
                ended(&session)?;
                Ok(session)
            });
            done.lock().expect("no worker panics while it gives").push(session);
        }
    };
    thread::scope(|scope| (0..jobs.max(1)).for_each(|_| drop(scope.spawn(worker))));
    let done = done.into_inner().expect("no worker panics while it gives");
    let mut sessions = done.into_iter().collect::<Result<Vec<_>>>()?;
    sessions.sort_by_key(|session| targets.iter().position(|target| *target == session.target));
    Ok(sessions)
}

fn print_table(sessions: &[Session], ledger: &Ledger) {
    let head = ["target", "executions", "CPU s", "in all", "CPU s in all", "corpus", "coverage", "failures"];
    println!(
        "\n{:12}{:>12}{:>9}{:>14}{:>14}{:>9}{:>10}{:>10}",
        head[0], head[1], head[2], head[3], head[4], head[5], head[6], head[7]
    );
    for session in sessions {
        let all = ledger.of(session.target);
        println!(
            "{:12}{:>12}{:>9.0}{:>14}{:>14.0}{:>9}{:>10}{:>10}",
            session.target,
            session.executions,
            session.cpu_seconds,
            all.executions,
            all.cpu_seconds,
            session.corpus,
            session.coverage,
            session.failures.len()
        );
    }
}
