//! The limits of a gateway.

use std::time::Duration;

use toolshape::Error;
use toolshape::host::Reader;

#[derive(Clone, Debug)]
pub(crate) struct ServeLimits {
    pub request_bytes: usize,
    /// The sessions that this process remembers while the store fails.
    pub sessions: usize,
    /// The requests at the same time.
    pub concurrent: usize,
    /// How long a connection may take until the head of a request is here: also how long it may wait for the next one.
    pub head: Duration,
    /// How long the body of a request may take to arrive.
    pub request: Duration,
    /// How long the first byte of an answer may take, and each later part of an answer that is read whole.
    pub first_byte: Duration,
    /// How long a stream may be silent, and a client may read nothing.
    pub silent: Duration,
    /// How long requests are taken after SIGTERM.
    pub drain_delay: Duration,
    /// How long open requests may take after that.
    pub drain: Duration,
    /// The processes of commands at the same time.
    pub processes: usize,
    /// How long a process may serve nobody.
    pub idle: Duration,
}

impl ServeLimits {
    pub fn new(reader: &Reader<'_>) -> Result<Self, Error> {
        let number = |name: &str, least: u64, most: u64, default: u64| -> Result<u64, Error> {
            Ok(reader.integer(name, least, most)?.unwrap_or(default))
        };
        let seconds = |name: &str, default: u64| Ok::<_, Error>(Duration::from_secs(number(name, 1, 86_400, default)?));
        Ok(Self {
            request_bytes: number("maxRequestBytes", 1 << 10, 1 << 30, 16_000_000)? as usize,
            sessions: number("maxSessions", 1, 10_000_000, 10_000)? as usize,
            concurrent: number("maxConcurrent", 1, 1_000_000, 1000)? as usize,
            processes: number("maxProcesses", 1, 100_000, 100)? as usize,
            idle: seconds("idleSeconds", 600)?,
            // Longer than proxies in front keep a connection.
            head: seconds("headSeconds", 75)?,
            request: seconds("requestSeconds", 30)?,
            first_byte: seconds("firstByteSeconds", 300)?,
            silent: seconds("silentSeconds", 3600)?,
            drain_delay: Duration::from_secs(number("drainDelaySeconds", 0, 3600, 0)?),
            drain: seconds("drainSeconds", 30)?,
        })
    }
}
