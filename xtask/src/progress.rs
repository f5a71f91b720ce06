//! Progress of long silent work: a spinner on a terminal, a periodic line in a log.

use std::io::IsTerminal;
use std::sync::{LazyLock, Mutex};
use std::time::{Duration, Instant};

use indicatif::{MultiProgress, ProgressBar, ProgressStyle};

use crate::console;

/// How often a line about running work is written to a log that is not a terminal.
const EVERY: Duration = Duration::from_secs(30);

static BARS: LazyLock<MultiProgress> = LazyLock::new(MultiProgress::new);

/// One running piece of work.
pub struct Item {
    label: String,
    started: Instant,
    bar: Option<ProgressBar>,
    told: Mutex<Instant>,
}

impl Item {
    /// Reports that the work begins.
    pub fn start(label: impl Into<String>) -> Self {
        let label = label.into();
        let bar = (std::io::stderr().is_terminal() && console::page().is_none()).then(|| {
            let bar = BARS.add(ProgressBar::new_spinner());
            let style = "{spinner} {prefix}  {elapsed}  {wide_msg:.dim}";
            bar.set_style(ProgressStyle::with_template(style).expect("a valid template"));
            bar.set_prefix(label.clone());
            bar.enable_steady_tick(Duration::from_millis(120));
            bar
        });
        if bar.is_none() {
            tell(format!("  {label} ..."));
        }
        Self { label, started: Instant::now(), bar, told: Mutex::new(Instant::now()) }
    }

    /// Shows the latest line that the work printed.
    pub fn line(&self, line: &str) {
        let line = line.trim();
        if line.is_empty() {
            return;
        }
        if let Some(bar) = &self.bar {
            bar.set_message(line.to_owned());
            return;
        }
        let mut told = self.told.lock().expect("no one panics while telling");
        if told.elapsed() > EVERY {
            *told = Instant::now();
            let line: String = line.chars().take(100).collect();
            tell(format!("  {} {:.0} s: {line}", self.label, self.started.elapsed().as_secs_f64()));
        }
    }

    /// Reports that the work is done.
    pub fn done(self) {
        let line = format!("  {} done in {:.1} s", self.label, self.started.elapsed().as_secs_f64());
        match &self.bar {
            Some(bar) => {
                bar.finish_and_clear();
                let _ = BARS.println(line);
            }
            None => tell(line),
        }
    }
}

/// Prints a line on the page of its step, or on standard error if there is no step.
fn tell(line: String) {
    if console::page().is_some() {
        console::line(line);
    } else {
        eprintln!("{line}");
    }
}
