//! The account of one question: how much work, memory and time it may take, and what stopped it.

use std::sync::atomic::{AtomicBool, AtomicI64, AtomicU8, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use crate::answer::FirstRows;

/// Bytes of text that cost as much as one step of SQLite.
const BYTES_PER_STEP: usize = 8;
/// Bytes that are allocated and filled, or read as a number, at the cost of one step.
const BYTES_AT_ONCE: usize = 16;
/// The share of the work left at the start of a reading that the reading may take in any case.
const SHARE_OF_SCAN: i64 = 3;
/// Steps that grouping, sorting and windows take for each row that was read, and how many times as long as reading its text.
const STEPS_BEHIND_SCAN: usize = 40;
const READ_BEHIND_SCAN: usize = 2;

/// What one call of [`crate::ask`] may take, and which rows it returns.
#[derive(Clone)]
pub struct Limits {
    /// Steps of SQLite for each statement; reading 8 bytes or allocating 16 costs as much as one.
    pub work: u64,
    /// Bytes that SQLite may allocate for each statement.
    pub memory: usize,
    /// The first row of each answer that is returned, from 0.
    pub from: usize,
    /// The most rows of each answer that are returned; all are counted.
    pub rows: usize,
    /// The most bytes of values that are returned in each answer. At least one row is returned.
    pub bytes: usize,
    /// Whether the time is up; `None` for hosts without a clock. Work bounds nearly all that a statement does, also inside one step
    /// of SQLite; comparing two long blobs it does not see.
    pub is_late: Option<Arc<dyn Fn() -> bool + Send + Sync>>,
    /// Receives the work that was done.
    pub taken: Option<Arc<AtomicU64>>,
}

impl Default for Limits {
    fn default() -> Self {
        Self { work: 20_000_000, memory: 64 << 20, from: 0, rows: 100, bytes: 1 << 20, is_late: None, taken: None }
    }
}

/// What stopped a statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stop {
    Work = 1,
    Memory = 2,
    Time = 3,
}

/// What is left of the limits.
pub struct Account {
    /// What each statement may take, and what those before have taken.
    work: i64,
    spent: AtomicI64,
    left: AtomicI64,
    /// What was left when the table was begun.
    left_at_scan: AtomicI64,
    memory: usize,
    memory_before: AtomicUsize,
    /// Bytes that functions of this statement keep outside of SQLite.
    kept: AtomicUsize,
    is_late: Option<Arc<dyn Fn() -> bool + Send + Sync>>,
    stop: AtomicU8,
    /// How often a table was read in the statement that runs.
    scans: AtomicUsize,
    /// Values without a number that sums and means of this statement left out.
    left_out: AtomicUsize,
    /// Whether a function gave a number as a text in this statement.
    has_number_in_text: AtomicBool,
    first_rows: Mutex<Option<FirstRows>>,
}

impl Account {
    pub fn new(limits: &Limits) -> Self {
        let work = i64::try_from(limits.work).unwrap_or(i64::MAX);
        Self {
            work,
            spent: AtomicI64::new(0),
            left: AtomicI64::new(work),
            left_at_scan: AtomicI64::new(work),
            memory: limits.memory,
            memory_before: AtomicUsize::new(0),
            kept: AtomicUsize::new(0),
            is_late: limits.is_late.clone(),
            stop: AtomicU8::new(0),
            scans: AtomicUsize::new(0),
            left_out: AtomicUsize::new(0),
            has_number_in_text: AtomicBool::new(false),
            first_rows: Mutex::new(None),
        }
    }

    /// Says how much work was done.
    pub fn report(&self, limits: &Limits) {
        if let Some(taken) = &limits.taken {
            let spent = self.spent.load(Ordering::Relaxed) + self.taken();
            taken.store(u64::try_from(spent).unwrap_or(0), Ordering::Relaxed);
        }
    }

    /// What this statement has taken.
    fn taken(&self) -> i64 {
        self.work - self.left.load(Ordering::Relaxed).max(0)
    }

    /// Begins the next statement, where SQLite holds this number of bytes. Each has the same work.
    pub fn begin(&self, memory_used: usize) {
        self.spent.fetch_add(self.taken(), Ordering::Relaxed);
        self.left.store(self.work, Ordering::Relaxed);
        self.memory_before.store(memory_used, Ordering::Relaxed);
        self.stop.store(0, Ordering::Relaxed);
        self.scans.store(0, Ordering::Relaxed);
        self.left_out.store(0, Ordering::Relaxed);
        self.has_number_in_text.store(false, Ordering::Relaxed);
        self.kept.store(0, Ordering::Relaxed);
        *self.first_rows.lock().expect("no holder panics") = None;
    }

    /// Charges steps, the bytes that they have allocated, and in each the reading of a number of this many bytes. Returns whether the
    /// statement has to stop.
    pub fn step(&self, steps: usize, allocated: usize, number: usize, memory_used: usize) -> bool {
        let steps = steps.saturating_mul(1 + number / BYTES_AT_ONCE) + allocated / BYTES_AT_ONCE;
        let left = self.left.fetch_sub(steps as i64, Ordering::Relaxed) - steps as i64;
        let stop = if left < 0 {
            Stop::Work
        } else if memory_used.saturating_sub(self.memory_before.load(Ordering::Relaxed))
            + self.kept.load(Ordering::Relaxed)
            > self.memory
        {
            Stop::Memory
        } else if self.is_late.as_ref().is_some_and(|is_late| is_late()) {
            Stop::Time
        } else {
            return self.stop().is_some();
        };
        self.stop.store(stop as u8, Ordering::Relaxed);
        true
    }

    /// Charges the reading of a text, and returns whether there is work left.
    pub fn read(&self, bytes: usize) -> bool {
        let steps = (bytes / BYTES_PER_STEP) as i64 + 1;
        let is_left = self.left.fetch_sub(steps, Ordering::Relaxed) - steps >= 0;
        if !is_left {
            self.stop.store(Stop::Work as u8, Ordering::Relaxed);
        }
        is_left
    }

    /// Whether there is work left to read this number of bytes; if not, the statement is stopped.
    pub fn affords(&self, bytes: usize) -> bool {
        let affords = self.left.load(Ordering::Relaxed) > (bytes / BYTES_PER_STEP) as i64;
        if !affords {
            self.give_up();
        }
        affords
    }

    /// Charges memory that a function keeps; `false` if that of all functions exceeds the limit, which stops the statement.
    pub fn keep(&self, bytes: usize) -> bool {
        let is_within = self.kept.fetch_add(bytes, Ordering::Relaxed) + bytes <= self.memory;
        if !is_within {
            self.stop.store(Stop::Memory as u8, Ordering::Relaxed);
        }
        is_within
    }

    /// Gives back what a function kept.
    pub fn release(&self, bytes: usize) {
        self.kept.fetch_sub(bytes, Ordering::Relaxed);
    }

    /// Stops the statement as if its work were done.
    pub fn give_up(&self) {
        self.stop.store(Stop::Work as u8, Ordering::Relaxed);
    }

    /// What stopped the statement, if anything did.
    pub fn stop(&self) -> Option<Stop> {
        match self.stop.load(Ordering::Relaxed) {
            1 => Some(Stop::Work),
            2 => Some(Stop::Memory),
            3 => Some(Stop::Time),
            _ => None,
        }
    }

    pub fn begin_scan(&self) {
        self.scans.fetch_add(1, Ordering::Relaxed);
        self.left_at_scan.store(self.left.load(Ordering::Relaxed), Ordering::Relaxed);
    }

    /// Whether a table should be read no further after this number of rows of this size: what is left is for grouping and
    /// sorting them.
    pub fn is_scan_over(&self, rows: usize, bytes: usize) -> bool {
        let (at_start, left) = (self.left_at_scan.load(Ordering::Relaxed), self.left.load(Ordering::Relaxed));
        let needed = rows.saturating_mul(STEPS_BEHIND_SCAN + READ_BEHIND_SCAN * bytes / BYTES_PER_STEP);
        left < (at_start - at_start / SHARE_OF_SCAN).min(needed as i64)
    }

    /// Ends the only reading of a table after some of its rows; `false` if another was begun: then what was found is not an answer.
    pub fn end_scan(&self, first: FirstRows) -> bool {
        let is_only = self.scans.load(Ordering::Relaxed) == 1;
        if is_only {
            *self.first_rows.lock().expect("no holder panics") = Some(first);
        } else {
            self.stop.store(Stop::Work as u8, Ordering::Relaxed);
        }
        is_only
    }

    /// Whether the only reading of a table has ended early. Another one that begins later would make the answer wrong.
    pub fn first_rows(&self) -> Option<FirstRows> {
        self.first_rows.lock().expect("no holder panics").clone()
    }

    pub fn leave_out(&self) {
        self.left_out.fetch_add(1, Ordering::Relaxed);
    }

    pub fn left_out(&self) -> usize {
        self.left_out.load(Ordering::Relaxed)
    }

    pub fn give_number_in_text(&self) {
        self.has_number_in_text.store(true, Ordering::Relaxed);
    }

    pub fn has_number_in_text(&self) -> bool {
        self.has_number_in_text.load(Ordering::Relaxed)
    }
}
