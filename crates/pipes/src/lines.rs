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

/// What comes of a side.
pub enum Input {
    Lines(Lines),
    /// A part of a line that is longer than the most that is held, and whether it is the last.
    LongLine(Lines, bool),
    End,
}

/// Reads a side in a thread of its own, and hands on its lines; of one with more than `most` bytes the parts.
pub fn read(mut from: impl Read + Send + 'static, most: usize, mut to: impl FnMut(Input) -> bool + Send + 'static) {
    let gate = Arc::new(Gate::default());
    let lines = move |bytes: Vec<u8>| Lines { load: Arc::new(gate.pass(bytes.len())), bytes };
    thread::spawn(move || {
        let (mut open, mut is_long) = (Vec::new(), false);
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
            let end = memchr::memchr(b'\n', &open[at..]).map(|end| at + end + 1);
            if is_long || end.is_none() && read > 0 && open.len() > most {
                let rest = open.split_off(end.unwrap_or(open.len()));
                let part = std::mem::replace(&mut open, rest);
                is_long = end.is_none() && read > 0;
                if !to(Input::LongLine(lines(part), !is_long)) {
                    return;
                }
            }
            let whole = match read {
                0 => open.len(),
                // Before `at` there is no end, except for the rest of a part.
                _ => memchr::memrchr(b'\n', &open[at.min(open.len())..]).map_or(0, |end| at + end + 1),
            };
            if whole > 0 {
                let rest = open[whole..].to_vec();
                open.truncate(whole);
                let bytes = std::mem::replace(&mut open, rest);
                if !to(Input::Lines(lines(bytes))) {
                    return;
                }
            }
            if read == 0 {
                to(Input::End);
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
