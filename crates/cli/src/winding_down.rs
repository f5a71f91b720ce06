//! How a server is brought to its end: it may end by itself, then it is asked to, then it is ended.

use std::time::{Duration, Instant};

/// How long each step is waited for. A client of the usual SDKs gives a server two seconds until it sends SIGTERM, and two
/// more until it kills: all steps together are shorter.
const GRACE: Duration = Duration::from_millis(1000);

/// What is due.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Due {
    /// SIGTERM for the process group.
    Terminate,
    /// SIGKILL for the process group.
    Kill,
    /// Nothing more is waited for: what still holds the server's output is not part of its process group.
    GiveUp,
}

/// The next step, and when it is due; nothing while the server is wanted.
#[derive(Default)]
pub struct WindingDown(Option<(Due, Instant)>);

impl WindingDown {
    /// Begins, if it has not begun: the server is given time to end by itself.
    pub fn begin(&mut self) {
        self.0.get_or_insert_with(|| (Due::Terminate, Instant::now() + GRACE));
    }

    /// Nobody waits for its end by itself.
    pub fn hurry(&mut self) {
        if let Some((Due::Terminate, at)) = &mut self.0 {
            *at = Instant::now();
        }
    }

    /// The server has been asked to end, by somebody's signal.
    pub fn is_asked(&mut self) {
        if !matches!(self.0, Some((Due::Kill | Due::GiveUp, _))) {
            self.0 = Some((Due::Kill, Instant::now() + GRACE));
        }
    }

    /// How long there is to wait for the next step.
    pub fn wait(&self) -> Option<Duration> {
        self.0.map(|(_, at)| at.saturating_duration_since(Instant::now()))
    }

    /// The step that is due now.
    pub fn due(&mut self) -> Option<Due> {
        let (due, at) = self.0?;
        if Instant::now() < at {
            return None;
        }
        let next = if due == Due::Terminate { Due::Kill } else { Due::GiveUp };
        self.0 = Some((next, Instant::now() + GRACE));
        Some(due)
    }
}
