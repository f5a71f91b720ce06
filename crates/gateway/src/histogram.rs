//! How long something took, as a histogram of OpenMetrics.

use std::fmt::Write;
use std::time::Duration;

/// The upper bounds, in seconds.
const BOUNDS: [f64; 12] = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 5.0, 30.0];

/// Durations by the bounds, and one more place for longer ones.
#[derive(Default)]
pub struct Histogram {
    counts: [u64; BOUNDS.len() + 1],
    seconds: f64,
}

impl Histogram {
    pub fn add(&mut self, took: Duration) {
        let seconds = took.as_secs_f64();
        self.counts[BOUNDS.iter().position(|bound| seconds <= *bound).unwrap_or(BOUNDS.len())] += 1;
        self.seconds += seconds;
    }

    /// Writes the samples of a metric with these labels.
    pub fn write(&self, out: &mut String, name: &str, labels: &str) {
        let mut count = 0;
        for (place, more) in self.counts.iter().enumerate() {
            count += more;
            let bound = BOUNDS.get(place).map_or("+Inf".to_owned(), f64::to_string);
            let _ = writeln!(out, "{name}_bucket{{{labels},le=\"{bound}\"}} {count}");
        }
        let _ = writeln!(out, "{name}_count{{{labels}}} {count}");
        let _ = writeln!(out, "{name}_sum{{{labels}}} {}", self.seconds);
    }
}
