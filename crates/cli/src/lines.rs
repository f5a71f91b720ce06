//! Reading a side: whole lines, as many at a time as are there.

use std::io::{ErrorKind, Read};
use std::sync::Arc;
use std::thread;

use crate::gate::{Gate, Load};
use crate::writer::PAUSE;

/// How much is read at once: what a pipe holds.
const STEP: usize = 1 << 16;

/// Lines with their ends; the last line of a side may have none.
pub struct Lines {
    pub bytes: Vec<u8>,
    /// Until all of them are written, they count for the side that they are from.
    pub load: Arc<Load>,
}

/// Reads a side in a thread of its own, and hands on its lines; `None` is its end.
pub fn read(mut from: impl Read + Send + 'static, mut to: impl FnMut(Option<Lines>) -> bool + Send + 'static) {
    let gate = Arc::new(Gate::default());
    thread::spawn(move || {
        let mut open = Vec::new();
        loop {
            let at = open.len();
            open.resize(at + STEP, 0);
            let read = match from.read(&mut open[at..]) {
                Err(error) if matches!(error.kind(), ErrorKind::Interrupted | ErrorKind::WouldBlock) => {
                    open.truncate(at);
                    // A server that shares a terminal with us may have made it one that does not block.
                    if error.kind() == ErrorKind::WouldBlock {
                        thread::sleep(PAUSE);
                    }
                    continue;
                }
                Ok(read) => read,
                Err(_) => 0,
            };
            open.truncate(at + read);
            let whole = match read {
                0 => open.len(),
                _ => memchr::memrchr(b'\n', &open[at..]).map_or(0, |end| at + end + 1),
            };
            if whole > 0 {
                let rest = open[whole..].to_vec();
                open.truncate(whole);
                let bytes = std::mem::replace(&mut open, rest);
                let load = Arc::new(gate.pass(bytes.len()));
                if !to(Some(Lines { bytes, load })) {
                    return;
                }
            }
            if read == 0 {
                to(None);
                return;
            }
        }
    });
}

/// A line without its end.
pub fn trimmed(line: &[u8]) -> &[u8] {
    let line = line.strip_suffix(b"\n").unwrap_or(line);
    line.strip_suffix(b"\r").unwrap_or(line)
}
