//! The bound on the work of one call, whatever a caller asks for.
//!
//! Work is counted, never timed, so that a call stops at the same place on every machine. One unit is what it takes to look at one
//! byte of a text, about a nanosecond; all else is converted to it: a step through a value, a comparison, a place that is
//! kept. So the units bound the time, and what a call keeps in addition to its text.

use std::cell::Cell;
use std::ops::ControlFlow;

/// The units that any call may spend, and for each byte of the text that it asks about.
const UNITS: u64 = 1 << 27;
const UNITS_PER_BYTE: u64 = 8;
/// A step from one value to the next, or in a sort from one key to the next, in addition to the bytes that are looked at.
pub(crate) const STEP: u64 = 48;
/// A place that is kept until the call is answered: its price makes all that can be kept small compared with the text.
const PLACE: u64 = 512;
/// The bytes that any call may hold until it is answered, in addition to as many as its text has: together less than twice a text
/// that is large.
const HELD: u64 = 1 << 24;

/// What it takes to compare a text at a place, in addition to its bytes.
pub(crate) const COMPARISON: usize = 24;
/// What it takes to fold a log, to convert a page or to find headings, for each byte or character of the text.
const PROSE: usize = 4;
/// Bytes that are held of a line in the list of the lines of a text, on any machine.
const LINE_BYTES: usize = 16;
/// The most matches that a call keeps: who finds more has to ask for less.
pub(crate) const MAX_MATCHES: usize = 100_000;

/// Whether work goes on, or is to stop because too much was asked for.
pub(crate) type Going<T = ()> = ControlFlow<(), T>;

/// What one call may still spend.
#[derive(Debug)]
pub(crate) struct Work {
    all: u64,
    left: Cell<u64>,
    /// The bytes that it may still hold.
    room: Cell<u64>,
    is_over: Cell<bool>,
}

impl Work {
    /// The work of a call about `bytes` of text; 0 if their number is not known.
    pub fn over(bytes: usize) -> Self {
        let units = UNITS_PER_BYTE.saturating_mul(bytes as u64).saturating_add(UNITS);
        let room = Cell::new((bytes as u64).saturating_add(HELD));
        Self { all: units, left: Cell::new(units), room, is_over: Cell::new(false) }
    }

    /// Spends as many units as bytes are looked at.
    pub fn spend(&self, bytes: usize) -> Going {
        self.take(bytes as u64)
    }

    /// Spends a step to a value, and the bytes up to its end.
    pub fn step(&self, bytes: usize) -> Going {
        self.take((bytes as u64).saturating_add(STEP))
    }

    /// Spends what it takes to read a text line by line, and holds the list of its lines.
    pub fn lines(&self, text: &str) -> Going {
        let lines = memchr::memchr_iter(b'\n', text.as_bytes()).count();
        self.spend(text.len().saturating_mul(PROSE))?;
        self.take(STEP.saturating_mul(lines as u64))?;
        self.hold(LINE_BYTES.saturating_mul(lines))
    }

    /// Spends what it costs to keep this many places.
    pub fn keep(&self, places: usize) -> Going {
        self.take(PLACE.saturating_mul(places as u64))
    }

    /// Holds this many bytes until the call is answered; to write them costs what it costs to look at them.
    pub fn hold(&self, bytes: usize) -> Going {
        match self.room.get().checked_sub(bytes as u64) {
            Some(room) => {
                self.room.set(room);
                self.take(bytes as u64)
            }
            None => self.stop(),
        }
    }

    /// Stops the call: what it asks for takes too much, whatever is left. From then on nothing can be spent.
    pub fn stop<T>(&self) -> Going<T> {
        self.is_over.set(true);
        ControlFlow::Break(())
    }

    /// The units that were spent.
    pub fn spent(&self) -> u64 {
        self.all - self.left.get()
    }

    /// The units that are left.
    #[cfg(feature = "sql")]
    pub fn left(&self) -> usize {
        usize::try_from(self.left.get()).unwrap_or(usize::MAX)
    }

    /// Whether the call asked for too much.
    pub fn is_over(&self) -> bool {
        self.is_over.get()
    }

    fn take(&self, units: u64) -> Going {
        match self.left.get().checked_sub(units) {
            Some(left) if !self.is_over.get() => {
                self.left.set(left);
                ControlFlow::Continue(())
            }
            _ => self.stop(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn once_it_is_over_nothing_can_be_spent() {
        let work = Work::over(0);
        assert!(work.spend(1 << 26).is_continue() && work.step(0).is_continue());
        assert!(work.keep(1 << 20).is_break());
        assert!(work.spend(1).is_break());
    }

    #[test]
    fn less_is_held_than_a_large_text_has_twice() {
        let text = 20_000_000;
        assert!(Work::over(text).hold(text).is_continue());
        let work = Work::over(text);
        assert!(work.hold(2 * text).is_break() && work.spend(1).is_break());
    }

    #[test]
    fn a_longer_text_has_more() {
        let text = 20_000_000;
        let beyond = (UNITS + 1) as usize;
        assert!(Work::over(text).spend(beyond).is_continue() && Work::over(0).spend(beyond).is_break());
    }
}
