//! A recording of a conversation: what each side wrote, before it is shaped, as JSON Lines.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

use anyhow::{Context, Result};
use toolshape::host::JsonText;

pub struct Recording(BufWriter<File>);

impl Recording {
    /// Begins a recording in a new file, or goes on with one.
    ///
    /// # Errors
    /// A file that cannot be written.
    pub fn open(path: &Path) -> Result<Self> {
        let mut options = File::options();
        // What tools return is the user's alone.
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let file = options.create(true).append(true).open(path);
        Ok(Self(BufWriter::new(file.with_context(|| format!("cannot record to {}", path.display()))?)))
    }

    /// Adds a line, if it is a message.
    pub fn add(&mut self, from: &str, line: &[u8]) -> io::Result<()> {
        let line = String::from_utf8_lossy(line);
        if JsonText::parse(&line).is_err() {
            return Ok(());
        }
        let at = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_millis());
        writeln!(self.0, r#"{{"at":{at},"from":"{from}","message":{line}}}"#)
    }

    /// Hands on what was added: whoever reads the file while the conversation goes on sees whole lines.
    pub fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}
