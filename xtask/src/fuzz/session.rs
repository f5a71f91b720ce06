//! One run of one target: its time, its figures, and the inputs that failed, minimized.

use std::fs::{self, File};
#[cfg(unix)]
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};

use super::program::Program;
use crate::console;

/// A run goes on after a failure, until there are so many.
const MOST_FAILURES: usize = 3;
/// How long an input is minimized, in seconds.
const MINIMIZING: u64 = 30;
/// libFuzzer ends by itself; it is ended when it runs for so many seconds longer.
const SLACK: u64 = 120;
/// An input that takes longer than this, in seconds, has failed, and so has one that takes more memory. The seconds are
/// those of a clock, and a busy machine gives few of them.
const MOST_SECONDS: u64 = 60;
const MOST_MEGABYTES: u64 = 3072;
const LONGEST_INPUT: usize = 64 << 10;
/// Lines of a panic's message that are shown.
const SHOWN_LINES: usize = 12;
/// Ticks of the processor time in `/proc`, in a second.
const TICKS: f64 = 100.0;

#[derive(Clone, Copy)]
pub struct Limits {
    pub seconds: u64,
    /// The seed of the random choices; by default another one each time.
    pub seed: Option<u64>,
    /// The bytes of the longest case that becomes a seed.
    pub longest_seed: usize,
}

/// What a run reached.
pub struct Session {
    pub target: &'static str,
    pub executions: u64,
    pub cpu_seconds: f64,
    /// Inputs in the corpus, and edges of the code that they reach.
    pub corpus: usize,
    pub coverage: u64,
    /// The inputs that failed.
    pub failures: Vec<PathBuf>,
}

/// Runs a target on its corpus in `folder`.
pub fn run(program: &Program, target: &'static str, folder: &Path, limits: Limits) -> Result<Session> {
    let mut session = Session { target, executions: 0, cpu_seconds: 0.0, corpus: 0, coverage: 0, failures: Vec::new() };
    let failures = folder.join("failures").join(target);
    fs::create_dir_all(&failures)?;
    fs::create_dir_all(folder.join("logs"))?;
    let started = Instant::now();
    console::line(format!("{target}: {} seconds", limits.seconds));
    loop {
        let left = limits.seconds.saturating_sub(started.elapsed().as_secs()).max(1);
        let log = folder.join("logs").join(format!("{target}.txt"));
        let mut command = limited(program.of(target), &failures);
        command
            .arg(folder.join(target))
            .arg(format!("-max_len={LONGEST_INPUT}"))
            .arg(format!("-max_total_time={left}"))
            .arg("-print_final_stats=1");
        if let Some(seed) = limits.seed {
            command.arg(format!("-seed={seed}"));
        }
        let (has_failed, cpu_seconds) = timed(&mut command, &log, left + SLACK)?;
        session.cpu_seconds += cpu_seconds;
        let said = String::from_utf8_lossy(&fs::read(&log)?).into_owned();
        session.executions += executions(&said);
        session.coverage = number_after(&said, " cov: ").unwrap_or(session.coverage);
        if !has_failed {
            break;
        }
        let failure = failed(program, target, &said, &failures)?;
        if session.failures.contains(&failure) {
            break;
        }
        session.failures.push(failure);
        if session.failures.len() == MOST_FAILURES || started.elapsed().as_secs() >= limits.seconds {
            break;
        }
    }
    session.corpus = fs::read_dir(folder.join(target))?.count();
    Ok(session)
}

fn limited(mut command: Command, failures: &Path) -> Command {
    command.arg(format!("-artifact_prefix={}/", failures.display()));
    command.arg(format!("-timeout={MOST_SECONDS}")).arg(format!("-rss_limit_mb={MOST_MEGABYTES}"));
    command
}

/// Minimizes the input of a failure, and shows it, what was said, and how to run it again.
fn failed(program: &Program, target: &str, said: &str, failures: &Path) -> Result<PathBuf> {
    let written = said.lines().rev().find_map(|line| line.split_once("Test unit written to "));
    let Some((_, path)) = written else {
        console::line(last_lines(said));
        anyhow::bail!("{target} ended without an input that failed");
    };
    let (mut input, name) = (PathBuf::from(path), path.rsplit('/').next().unwrap_or(path));
    if name.starts_with("crash-") {
        let smaller = failures.join(name.replacen("crash-", "minimized-", 1));
        let mut command = limited(program.of(target), failures);
        command.arg("-minimize_crash=1").arg(format!("-max_total_time={MINIMIZING}"));
        command.arg(format!("-exact_artifact_path={}", smaller.display())).arg(&input);
        timed(&mut command, &failures.join("minimizing.txt"), 2 * MINIMIZING)?;
        let log = failures.join("minimized.txt");
        timed(program.of(target).arg(&smaller), &log, MINIMIZING)?;
        // A smaller input may fail otherwise.
        if place(&String::from_utf8_lossy(&fs::read(&log)?)) == place(said) {
            input = smaller;
        }
    }
    let panic = said.lines().skip_while(|line| !line.contains("panicked at") && !line.contains("ERROR: libFuzzer"));
    for line in panic.take_while(|line| !line.starts_with("==")).take(SHOWN_LINES) {
        console::line(format!("  {}", line.chars().take(600).collect::<String>()));
    }
    let shown = input.strip_prefix(std::env::current_dir()?).unwrap_or(&input).display().to_string();
    console::line(format!("{target} failed; again: cargo xtask fuzz {target} --input {shown}"));
    let bytes = fs::read(&input)?;
    console::line(String::from_utf8_lossy(&bytes).chars().take(1000).collect::<String>());
    Ok(input)
}

/// Where in the code a panic was.
fn place(said: &str) -> Option<&str> {
    said.lines().find_map(|line| line.split_once("panicked at ")).map(|(_, place)| place)
}

fn last_lines(said: &str) -> String {
    let lines: Vec<&str> = said.lines().collect();
    lines[lines.len().saturating_sub(SHOWN_LINES)..].join("\n")
}

/// Runs a child with its output in a file, for at most so many seconds; whether it failed by itself, and
/// the seconds of processor time that it took.
fn timed(command: &mut Command, log: &Path, most: u64) -> Result<(bool, f64)> {
    let file = File::create(log).with_context(|| format!("cannot write {}", log.display()))?;
    let started = Instant::now();
    // libFuzzer minimizes in children of its own, which end with it.
    #[cfg(unix)]
    command.process_group(0);
    let mut child = command.stdin(Stdio::null()).stdout(file.try_clone()?).stderr(file).spawn()?;
    let (mut seconds, mut is_late) = (None, false);
    // A child that has ended keeps its times until it is waited for.
    while let Some((is_running, spent)) = processor_time(child.id()) {
        seconds = Some(spent);
        if !is_running {
            break;
        }
        if started.elapsed() > Duration::from_secs(most) {
            is_late = true;
            Command::new("kill").args(["-KILL", "--", &format!("-{}", child.id())]).status()?;
        }
        thread::sleep(Duration::from_millis(50));
    }
    let has_failed = !child.wait()?.success() && !is_late;
    // Elsewhere than on Linux, the time that has passed.
    Ok((has_failed, seconds.unwrap_or_else(|| started.elapsed().as_secs_f64())))
}

/// Whether a process still runs, and its processor time so far; `None` if that is not known.
fn processor_time(id: u32) -> Option<(bool, f64)> {
    let stat = fs::read_to_string(format!("/proc/{id}/stat")).ok()?;
    // The name, in parentheses, may contain spaces.
    let fields: Vec<&str> = stat.rsplit_once(')')?.1.split_whitespace().collect();
    let ticks: f64 = fields.get(11)?.parse::<f64>().ok()? + fields.get(12)?.parse::<f64>().ok()?;
    Some((!["Z", "X"].contains(fields.first()?), ticks / TICKS))
}

/// The executions that libFuzzer tells at its end, or told last.
fn executions(said: &str) -> u64 {
    let told = said.lines().rev().find_map(|line| line.strip_prefix("stat::number_of_executed_units:"));
    let counted =
        || said.lines().rev().find_map(|line| line.strip_prefix('#')?.split_whitespace().next()?.parse().ok());
    told.and_then(|number| number.trim().parse().ok()).or_else(counted).unwrap_or(0)
}

fn number_after(said: &str, name: &str) -> Option<u64> {
    said.lines().rev().find_map(|line| line.split_once(name)?.1.split_whitespace().next()?.parse().ok())
}
