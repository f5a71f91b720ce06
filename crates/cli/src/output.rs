//! What commands print. A reader that leaves early, as `head` does, is not an error.

use std::io::{self, Write};

/// Prints to standard output.
///
/// # Errors
/// What the system reports, unless nobody reads any more.
pub fn print(text: impl AsRef<[u8]>) -> io::Result<()> {
    let mut out = io::stdout().lock();
    match out.write_all(text.as_ref()).and_then(|()| out.flush()) {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        other => other,
    }
}

/// Prints a line of our own to standard error, if anybody reads it.
pub fn say(line: &str) {
    let _ = writeln!(io::stderr(), "{line}");
}
