//! How far a survey is, on the standard error if that is a terminal.

use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};
use toolshape::host::printable_within;

/// Between two pictures of the spinner.
const TICK: Duration = Duration::from_millis(120);

/// The most characters of a server's name or a tool's.
const MOST_CHARS: usize = 200;

pub struct Progress(ProgressBar);

impl Progress {
    pub fn new(server: &str) -> Self {
        let style = ProgressStyle::with_template("{spinner} {prefix} {pos}/{len} {wide_msg}");
        let bar = ProgressBar::new(0).with_prefix(printable_within(server, MOST_CHARS));
        bar.enable_steady_tick(TICK);
        Self(match style {
            Ok(style) => bar.with_style(style),
            Err(_) => bar,
        })
    }

    pub fn show(&self, done: usize, total: usize, what: &str) {
        self.0.set_length(total as u64);
        self.0.set_position(done as u64);
        self.0.set_message(printable_within(what, MOST_CHARS));
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.0.finish_and_clear();
    }
}
