//! The lines about requests on standard output, and their part of the user's account, written by a thread of their own: whoever
//! does not read them holds up nobody.

use std::io::Write;
use std::mem;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, SyncSender};
use std::thread;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use toolshape_account::{Entry, Ledger};
use toolshape_proxy::Counted;

/// The most lines that wait to be written. Further ones are dropped, and the next line has their number.
const WAITING: usize = 10_000;
/// How long lines are waited for at the end.
const LAST: Duration = Duration::from_millis(500);
/// The bytes that are written at once, and how long lines are collected for that while more come.
const TOGETHER: usize = 1 << 16;
const COLLECTED: Duration = Duration::from_millis(5);
/// How long entries of the account are collected.
const ACCOUNTED: Duration = Duration::from_secs(1);

enum LogItem {
    Line(String, Vec<Counted>),
    /// All lines before it are written.
    End(SyncSender<()>),
}

/// Where lines are written.
pub struct Log {
    to: SyncSender<LogItem>,
    dropped: AtomicU64,
}

/// What is not written yet.
struct Unwritten {
    account: Option<Ledger>,
    text: Vec<u8>,
    entries: Vec<Entry>,
    /// When entries were last written.
    at: Instant,
}

impl Log {
    pub fn new() -> Self {
        let (to, items) = mpsc::sync_channel(WAITING);
        let unwritten =
            Unwritten { account: Ledger::of_user(), text: Vec::new(), entries: Vec::new(), at: Instant::now() };
        thread::spawn(move || unwritten.follow(&items));
        Self { to, dropped: AtomicU64::new(0) }
    }

    /// Writes a line, an object of JSON, and what is counted of it in the account.
    pub fn write(&self, mut line: String, counted: Vec<Counted>) {
        let dropped = self.dropped.swap(0, Ordering::Relaxed);
        if dropped > 0 {
            line.truncate(line.len() - 1);
            line.push_str(&format!(",\"droppedLines\":{dropped}}}"));
        }
        if self.to.try_send(LogItem::Line(line, counted)).is_err() {
            self.dropped.fetch_add(dropped + 1, Ordering::Relaxed);
        }
    }

    /// Waits a short while until all lines are written.
    pub fn flush(&self) {
        let (done, written) = mpsc::sync_channel(1);
        if self.to.try_send(LogItem::End(done)).is_ok() {
            let _ = written.recv_timeout(LAST);
        }
    }
}

impl Unwritten {
    /// Writes all items until there are no more.
    fn follow(mut self, items: &Receiver<LogItem>) {
        loop {
            let mut next = match items.recv_timeout(ACCOUNTED) {
                Ok(first) => Some(first),
                Err(RecvTimeoutError::Timeout) => None,
                Err(RecvTimeoutError::Disconnected) => return self.account_for(),
            };
            while let Some(item) = next {
                match item {
                    LogItem::Line(line, counted) => {
                        self.text.extend_from_slice(line.as_bytes());
                        self.text.push(b'\n');
                        self.count(&counted);
                    }
                    LogItem::End(done) => {
                        self.write();
                        self.account_for();
                        let _ = done.send(());
                    }
                }
                next = if self.text.len() < TOGETHER { items.try_recv().ok() } else { None };
            }
            self.write();
            if self.at.elapsed() >= ACCOUNTED {
                self.account_for();
            }
            thread::sleep(COLLECTED);
        }
    }

    fn write(&mut self) {
        let mut out = std::io::stdout().lock();
        let _ = out.write_all(&self.text).and_then(|()| out.flush());
        self.text.clear();
    }

    fn count(&mut self, counted: &[Counted]) {
        if self.account.is_some() {
            let at = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
            for entry in counted.iter().map(|counted| Entry::new(at, "gateway", counted)) {
                if !self.entries.iter_mut().any(|sum| sum.takes(&entry)) {
                    self.entries.push(entry);
                }
            }
        }
    }

    fn account_for(&mut self) {
        self.at = Instant::now();
        if let Some(account) = self.account.as_ref().filter(|_| !self.entries.is_empty()) {
            // An account that cannot be written holds nobody up.
            let _ = account.add(&mem::take(&mut self.entries));
        }
    }
}
