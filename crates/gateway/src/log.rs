//! The lines about requests on standard output, and their part of the user's account, written by a thread of their own: whoever
//! does not read them holds up nobody.

use std::io::Write;
use std::mem;
use std::sync::mpsc::{SyncSender, sync_channel};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use toolshape_account::{Entry, Ledger};
use toolshape_proxy::Counted;

use crate::lock::locked;

/// The most bytes that wait to be written. Further lines are dropped, and the next line has their number.
const WAITING: usize = 4 << 20;
/// How long lines are waited for at the end.
const LAST: Duration = Duration::from_millis(500);
/// How long lines are collected to be written at once.
const COLLECTED: Duration = Duration::from_millis(5);
/// How long entries of the account are collected.
const ACCOUNTED: Duration = Duration::from_secs(1);

/// The name of the gateway in the account.
const DOOR: &str = "gateway";

/// Where lines are written.
pub struct Log(Arc<Unwritten>);

#[derive(Default)]
struct Unwritten {
    items: Mutex<Items>,
    news: Condvar,
}

/// What is not written yet.
#[derive(Default)]
struct Items {
    text: Vec<u8>,
    counted: Vec<Counted>,
    dropped: u64,
    /// Whether the thread waits for the next line.
    is_awaited: bool,
    /// Who waits until all of this is written.
    ends: Vec<SyncSender<()>>,
}

impl Log {
    pub fn new() -> Self {
        let unwritten = Arc::new(Unwritten::default());
        let followed = Arc::clone(&unwritten);
        thread::spawn(move || follow(&followed));
        Self(unwritten)
    }

    /// Writes a line, an object of JSON, and what is counted of it in the account.
    pub fn write(&self, line: &str, counted: Vec<Counted>) {
        let mut items = locked(&self.0.items);
        if items.text.len() > WAITING {
            items.dropped += 1;
            return;
        }
        let dropped = mem::take(&mut items.dropped);
        let members = line.strip_suffix('}').filter(|_| dropped > 0);
        items.text.extend_from_slice(members.unwrap_or(line).as_bytes());
        if members.is_some() {
            let _ = write!(items.text, ",\"droppedLines\":{dropped}}}");
        }
        items.text.push(b'\n');
        items.counted.extend(counted);
        self.0.wake(items);
    }

    /// Waits a short while until all lines are written.
    pub fn flush(&self) {
        let (end, written) = sync_channel(1);
        let mut items = locked(&self.0.items);
        items.ends.push(end);
        self.0.wake(items);
        let _ = written.recv_timeout(LAST);
    }
}

impl Unwritten {
    fn wake(&self, mut items: MutexGuard<'_, Items>) {
        let is_awaited = mem::take(&mut items.is_awaited);
        drop(items);
        if is_awaited {
            self.news.notify_one();
        }
    }

    /// The next items; none if there are none for a while. `written` is used for the lines after them.
    fn next(&self, mut written: Vec<u8>) -> Items {
        let mut items = locked(&self.items);
        items.is_awaited = items.text.is_empty() && items.ends.is_empty();
        if items.is_awaited {
            items = self.news.wait_timeout(items, ACCOUNTED).unwrap_or_else(PoisonError::into_inner).0;
        }
        written.clear();
        let dropped = mem::take(&mut items.dropped);
        mem::replace(&mut *items, Items { text: written, dropped, ..Items::default() })
    }
}

/// Writes all items until nobody adds any.
fn follow(unwritten: &Arc<Unwritten>) {
    let account = Ledger::of_user();
    let (mut entries, mut accounted, mut written) = (Vec::new(), Instant::now(), Vec::new());
    loop {
        let is_last = Arc::strong_count(unwritten) == 1;
        let items = unwritten.next(written);
        let mut out = std::io::stdout().lock();
        let _ = out.write_all(&items.text).and_then(|()| out.flush());
        written = items.text;
        if let Some(account) = &account {
            count(&items.counted, &mut entries);
            if !entries.is_empty() && (is_last || !items.ends.is_empty() || accounted.elapsed() >= ACCOUNTED) {
                accounted = Instant::now();
                // An account that cannot be written holds nobody up.
                let _ = account.add(&mem::take(&mut entries));
            }
        }
        items.ends.iter().for_each(|end| _ = end.send(()));
        if is_last {
            return;
        }
        thread::sleep(COLLECTED);
    }
}

fn count(counted: &[Counted], entries: &mut Vec<Entry>) {
    let at = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
    for counted in counted {
        if !entries.iter_mut().any(|sum| sum.takes(DOOR, counted)) {
            entries.push(Entry::new(at, DOOR, counted));
        }
    }
}
