//! Writing to a side, in a thread of its own: a side that does not read holds up no other.

use std::io::{self, ErrorKind, Write};
use std::sync::Arc;
use std::sync::mpsc::{self, Sender};
use std::thread;
use std::time::Duration;

use crate::gate::Load;

/// Bytes for a side, and the load that they are of.
type Written = (Vec<u8>, Option<Arc<Load>>);

/// A side that is written to, until this is dropped.
pub struct PipeWriter(Sender<Written>);

/// How a writer ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WriterEnd {
    /// All is written, and the side is closed.
    Closed,
    /// The side reads no more.
    Gone,
}

impl PipeWriter {
    /// Writes to a side, and says how that ended.
    pub fn new(mut to: impl Write + Send + 'static, ended: impl FnOnce(WriterEnd) + Send + 'static) -> Self {
        let (sender, received) = mpsc::channel::<Written>();
        thread::spawn(move || {
            let result = received.iter().try_for_each(|(bytes, _load)| write_all(&mut to, &bytes));
            drop(to);
            ended(if result.is_ok() { WriterEnd::Closed } else { WriterEnd::Gone });
        });
        Self(sender)
    }

    /// Queues bytes. What a side that is gone does not read is dropped.
    pub fn write(&self, bytes: Vec<u8>, load: Option<Arc<Load>>) {
        let _ = self.0.send((bytes, load));
    }
}

/// How long a side is left alone that takes nothing now.
pub const PAUSE: Duration = Duration::from_millis(1);

/// Writes all of it, also to a side that does not block: a server in Node that has our standard error makes it such a one
/// for all who share it.
fn write_all(to: &mut impl Write, mut bytes: &[u8]) -> io::Result<()> {
    while !bytes.is_empty() {
        match to.write(bytes) {
            Ok(0) => return Err(ErrorKind::WriteZero.into()),
            Ok(written) => bytes = &bytes[written..],
            Err(error) => wait(error)?,
        }
    }
    loop {
        match to.flush() {
            Ok(()) => return Ok(()),
            Err(error) => wait(error)?,
        }
    }
}

/// Waits for a side that can be asked again.
fn wait(error: io::Error) -> io::Result<()> {
    match error.kind() {
        ErrorKind::WouldBlock => thread::sleep(PAUSE),
        ErrorKind::Interrupted => {}
        _ => return Err(error),
    }
    Ok(())
}
