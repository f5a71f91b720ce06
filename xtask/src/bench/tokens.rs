//! `cargo xtask bench tokens`: counting, compared with the tokenizers that people use, in one run.
//!
//! Each contender is a process that executes orders (`benches/tokens/worker.mjs`, `worker.py` and `native/`). The
//! figures come from text that no process has seen: the corpora are split into chunks, the first quarter warms all
//! contenders up, and each contender in turn counts each further chunk once. The table shows the median, and how many
//! times faster toolshape was. It is written to `target/bench/tokens.md`.

use std::fmt::Write as _;
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use anyhow::{Context, Result, bail};

use crate::layout::Layout;
use crate::{build, node, python, run};

const CORPORA: [&str; 4] = ["pretty.json", "minified.json", "prose.txt", "multilingual.txt"];
const NODE: [&str; 5] = ["toolshape", "gpt-tokenizer", "ai-tokenizer", "tiktoken", "js-tiktoken"];
const PYTHON: [&str; 5] = ["toolshape", "tiktoken", "bpe-openai", "gigatoken", "fastokens"];
const RUST: [&str; 4] = ["toolshape", "bpe-openai", "toktok-rs", "tiktoken (goliajp)"];

/// Bytes of a chunk of text.
const CHUNK: usize = 400_000;
/// The most chunks of a corpus that are counted; a quarter of them is for warming up.
const CHUNKS: usize = 12;
/// The text and the limit of "does it fit".
const LARGE: usize = 5_000_000;
const LIMIT: usize = 2000;
const ROUNDS: usize = 5;

/// Installs the contenders, measures, and writes the table. The packages have to be built.
pub fn run(layout: &Layout) -> Result<()> {
    let place = TokenBench::prepare(layout)?;
    let chunks = place.chunks()?;
    let mut table = String::from("# Counting tokens of o200k_base\n");
    for (title, names, face) in
        [("JavaScript, in Node", &NODE[..], Face::Node), ("Python", &PYTHON, Face::Python), ("Rust", &RUST, Face::Rust)]
    {
        println!("tokens, {title}");
        let mut workers = names.iter().map(|name| place.worker(face, name)).collect::<Result<Vec<_>>>()?;
        writeln!(table, "\n## {title}\n")?;
        unseen(&mut workers, &chunks, &mut table)?;
        short(&mut workers, &chunks, &mut table)?;
        within(&mut workers, &place, &mut table)?;
        cold(&place, face, names, &mut table)?;
    }
    let file = layout.path("target/bench/tokens.md");
    fs::write(&file, &table)?;
    println!("{table}\n  {}", layout.relative(&file).display());
    Ok(())
}

/// Megabytes per second of text that is new to all.
fn unseen(workers: &mut [Worker], chunks: &[Vec<Chunk>], table: &mut String) -> Result<()> {
    writeln!(
        table,
        "| MB/s, unseen text | pretty JSON | minified | prose, code | multilingual | counts that differ |"
    )?;
    writeln!(table, "|---|---|---|---|---|---|")?;
    let mut speeds = vec![Vec::new(); workers.len()];
    let mut differing = vec![0; workers.len()];
    for corpus in chunks {
        let mut samples = vec![Vec::new(); workers.len()];
        for (number, chunk) in corpus.iter().enumerate() {
            let mut expected = None;
            for (at, worker) in workers.iter_mut().enumerate() {
                let (nanoseconds, tokens) = worker.ask(&format!("count\t{}", chunk.file.display()))?;
                differing[at] += usize::from(*expected.get_or_insert(tokens) != tokens);
                if number >= corpus.len() / 4 {
                    samples[at].push(chunk.bytes as f64 * 1e3 / nanoseconds as f64);
                }
            }
        }
        for (speed, samples) in speeds.iter_mut().zip(samples) {
            speed.push(median(samples));
        }
    }
    for ((worker, speed), differing) in workers.iter().zip(&speeds).zip(differing) {
        let cells: Vec<_> = speed.iter().zip(&speeds[0]).map(|(other, ours)| versus(*other, ours / other)).collect();
        writeln!(table, "| {} | {} | {differing} |", worker.name, cells.join(" | "))?;
    }
    Ok(())
}

/// Microseconds for texts of a typical, short length.
fn short(workers: &mut [Worker], chunks: &[Vec<Chunk>], table: &mut String) -> Result<()> {
    writeln!(table, "\n| µs a text | 20 characters | 2,000 characters |\n|---|---|---|")?;
    let prose = &chunks[2][0].file;
    let mut times = vec![[vec![], vec![]]; workers.len()];
    for _ in 0..ROUNDS {
        for (worker, times) in workers.iter_mut().zip(&mut times) {
            for (len, times) in [20, 2000].iter().zip(times) {
                times.push(worker.ask(&format!("short\t{}\t{len}", prose.display()))?.0 as f64 / 1e3);
            }
        }
    }
    rows(workers, times, table)
}

/// Milliseconds to check whether 5 MB are within 2,000 tokens.
fn within(workers: &mut [Worker], place: &TokenBench, table: &mut String) -> Result<()> {
    writeln!(
        table,
        "\n| ms to know whether 5 MB are within 2,000 tokens | pretty JSON | 200 kB of it |\n|---|---|---|"
    )?;
    let mut times = vec![[vec![], vec![]]; workers.len()];
    for _ in 0..3 {
        for (worker, times) in workers.iter_mut().zip(&mut times) {
            for (file, times) in [&place.large, &place.edge].iter().zip(times) {
                times.push(worker.ask(&format!("within\t{}\t{LIMIT}", file.display()))?.0 as f64 / 1e6);
            }
        }
    }
    rows(workers, times, table)
}

/// Milliseconds to the first count in a new process, from import.
fn cold(place: &TokenBench, face: Face, names: &[&str], table: &mut String) -> Result<()> {
    writeln!(table, "\n| ms to the first count, from import |  |\n|---|---|")?;
    let mut times = vec![Vec::new(); names.len()];
    for _ in 0..ROUNDS {
        for (name, times) in names.iter().zip(&mut times) {
            let output = place.command(face, name).arg("cold").output()?;
            let text = String::from_utf8_lossy(&output.stdout);
            times.push(text.trim().parse::<f64>().with_context(|| format!("{name} did not start"))? / 1e6);
        }
    }
    let times: Vec<f64> = times.into_iter().map(median).collect();
    for (name, time) in names.iter().zip(&times) {
        writeln!(table, "| {name} | {} |", versus(*time, time / times[0]))?;
    }
    Ok(())
}

fn rows(workers: &[Worker], times: Vec<[Vec<f64>; 2]>, table: &mut String) -> Result<()> {
    let times: Vec<[f64; 2]> = times.into_iter().map(|pair| pair.map(median)).collect();
    for (worker, pair) in workers.iter().zip(&times) {
        let cells: Vec<_> = pair.iter().zip(&times[0]).map(|(other, ours)| versus(*other, other / ours)).collect();
        writeln!(table, "| {} | {} |", worker.name, cells.join(" | "))?;
    }
    Ok(())
}

/// A figure, and how many times better ours is.
fn versus(figure: f64, ratio: f64) -> String {
    let digits = if figure < 10.0 { 2 } else { 0 };
    if ratio == 1.0 { format!("{figure:.digits$}") } else { format!("{figure:.digits$} ({ratio:.1}×)") }
}

fn median(mut samples: Vec<f64>) -> f64 {
    samples.sort_by(f64::total_cmp);
    samples.get(samples.len() / 2).copied().unwrap_or(f64::NAN)
}

/// In which language a contender runs.
#[derive(Clone, Copy)]
enum Face {
    Node,
    Python,
    Rust,
}

/// Text in a file.
struct Chunk {
    file: PathBuf,
    bytes: usize,
}

/// The paths of the contenders and their texts.
struct TokenBench<'a> {
    layout: &'a Layout,
    folder: PathBuf,
    large: PathBuf,
    edge: PathBuf,
}

impl<'a> TokenBench<'a> {
    fn prepare(layout: &'a Layout) -> Result<Self> {
        let folder = layout.path("target/bench/tokens");
        let place = Self { layout, large: folder.join("large.json"), edge: folder.join("edge.json"), folder };
        node::packages(layout, "benches/tokens", &place.folder)?;
        fs::copy(layout.path("benches/tokens/worker.mjs"), place.folder.join("worker.mjs"))?;
        node::install_tarballs(layout, &place.folder)?;
        python::ensure_tests(layout)?;
        let wheel = build::wheel_path(layout)?;
        let mut install = python::python(layout);
        install.args(["-m", "pip", "install", "--quiet", "--upgrade", "--target"]).arg(place.folder.join("python"));
        run::quiet(
            "tokenizers for Python",
            install.arg("--requirement").arg(layout.path("benches/tokens/requirements.txt")).arg(wheel),
        )?;
        place.ranks()?;

        let mut cargo = run::cargo(layout);
        cargo.args(["build", "--release", "--manifest-path", "benches/tokens/native/Cargo.toml", "--target-dir"]);
        run::quiet("tokenizers for Rust", cargo.arg(place.folder.join("native")))?;
        let script = layout.path("benches/tokens/corpora.py");
        run::quiet("corpora", python::python(layout).arg(script).arg(place.folder.join("corpora")))?;
        Ok(place)
    }

    /// Writes the published ranks under their own name and where Python's tiktoken looks for them.
    fn ranks(&self) -> Result<()> {
        let ranks = super::published_ranks(self.layout)?;
        for name in ["o200k_base.tiktoken", super::TIKTOKEN_RANKS] {
            fs::copy(&ranks, self.folder.join(name))?;
        }
        Ok(())
    }

    /// Splits the corpora, and writes the large texts next to the chunks.
    fn chunks(&self) -> Result<Vec<Vec<Chunk>>> {
        let mut all = Vec::new();
        for corpus in CORPORA {
            let text = fs::read_to_string(self.folder.join("corpora").join(corpus))?;
            // Small corpora in smaller chunks, so that there are enough of them.
            let size = CHUNK.min(text.len() / 8);
            let mut rest = text.as_str();
            let mut chunks = Vec::new();
            while rest.len() >= size && chunks.len() < CHUNKS {
                let (chunk, after) = rest.split_at((0..=size).rev().find(|&at| rest.is_char_boundary(at)).unwrap_or(0));
                chunks.push(self.write(&format!("{corpus}-{}", chunks.len()), chunk)?);
                rest = after;
            }
            if all.is_empty() {
                fs::write(&self.large, text.repeat(1 + LARGE / text.len()).get(..LARGE).context("ASCII")?)?;
                fs::write(&self.edge, text.get(..200_000).context("ASCII")?)?;
            }
            all.push(chunks);
        }
        Ok(all)
    }

    fn write(&self, name: &str, text: &str) -> Result<Chunk> {
        let file = self.folder.join("chunks").join(name);
        fs::create_dir_all(self.folder.join("chunks"))?;
        fs::write(&file, text)?;
        Ok(Chunk { file, bytes: text.len() })
    }

    fn command(&self, face: Face, name: &str) -> Command {
        let mut command = match face {
            Face::Node => run::command(self.layout, "node"),
            Face::Python => python::python(self.layout),
            Face::Rust => run::command(self.layout, self.folder.join("native/release/token-bench")),
        };
        match face {
            Face::Node => command.arg(self.folder.join("worker.mjs")).arg(name),
            Face::Python => command
                .env("PYTHONPATH", self.folder.join("python"))
                .env("TIKTOKEN_CACHE_DIR", &self.folder)
                .arg(self.layout.path("benches/tokens/worker.py"))
                .arg(name)
                .arg(self.folder.join("o200k_base.tiktoken")),
            Face::Rust => command.arg(name),
        };
        command
    }

    fn worker(&self, face: Face, name: &str) -> Result<Worker> {
        let mut child = self.command(face, name).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
        let orders = child.stdin.take().context("no pipe")?;
        let answers = BufReader::new(child.stdout.take().context("no pipe")?);
        Ok(Worker { name: name.to_owned(), child, orders, answers })
    }
}

/// A running contender.
struct Worker {
    name: String,
    child: Child,
    orders: ChildStdin,
    answers: BufReader<ChildStdout>,
}

impl Worker {
    /// Nanoseconds, and tokens if they were counted.
    fn ask(&mut self, order: &str) -> Result<(u64, u64)> {
        writeln!(self.orders, "{order}")?;
        let mut line = String::new();
        self.answers.read_line(&mut line)?;
        let mut numbers = line.split_whitespace().map(str::parse);
        match (numbers.next(), numbers.next()) {
            (Some(Ok(nanoseconds)), Some(Ok(tokens))) => Ok((nanoseconds, tokens)),
            _ => bail!("{} gave up on {}", self.name, Path::new(order).display()),
        }
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
