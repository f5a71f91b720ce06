//! How far a survey is, on the standard error if that is a terminal.

use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};

/// Between two pictures of the spinner.
const TICK: Duration = Duration::from_millis(120);

pub struct Progress(ProgressBar);

impl Progress {
    pub fn new(server: &str) -> Self {
        let style = ProgressStyle::with_template("{spinner} {prefix} {pos}/{len} {wide_msg}");
        let bar = ProgressBar::new(0).with_prefix(server.to_owned());
        bar.enable_steady_tick(TICK);
        Self(match style {
            Ok(style) => bar.with_style(style),
            Err(_) => bar,
        })
    }

    pub fn show(&self, done: usize, total: usize, what: String) {
        self.0.set_length(total as u64);
        self.0.set_position(done as u64);
        self.0.set_message(what);
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.0.finish_and_clear();
    }
}
