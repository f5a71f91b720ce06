//! The HTTP server of wasm-bindgen's test runner, kept from a race that leaves a browser's request without an answer.
//!
//! tiny_http 0.12 hands a new connection to a waiting thread, and starts a thread only where none waits
//! (`src/util/task_pool.rs` there). A thread that was woken counts as waiting until it runs: on a busy machine the next
//! connection comes before that, and has no thread until a browser closes another one, which it keeps for more requests.
//! Connections of ours hold the threads that the server starts with. None waits then, and each of the browser's connections
//! gets a thread of its own.

use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::ops::Range;
use std::process;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::thread;
use std::time::Duration;

use anyhow::{Context, Result};

/// How many threads the server starts with, `MIN_THREADS` there.
const THREADS: usize = 4;
/// How often a connection is tried.
const TICK: Duration = Duration::from_millis(50);
/// Ports that systems do not give to outgoing connections by default: one to its own port would look like the server.
const PORTS: Range<u16> = 20_000..32_000;

/// Runs what serves at the address that it is given, and holds the server's first threads until it ends.
pub fn with_threads_held<T>(run: impl FnOnce(SocketAddr) -> Result<T>) -> Result<T> {
    let address = free_address()?;
    let (running, ended) = mpsc::channel::<()>();
    thread::scope(|scope| {
        scope.spawn(move || hold_threads(address, &ended));
        let outcome = run(address);
        drop(running);
        outcome
    })
}

fn free_address() -> Result<SocketAddr> {
    let first = PORTS.start + (process::id() % u32::from(PORTS.end - PORTS.start)) as u16;
    (first..PORTS.end)
        .chain(PORTS.start..first)
        .map(|port| SocketAddr::from((Ipv4Addr::LOCALHOST, port)))
        .find(|address| TcpListener::bind(address).is_ok())
        .with_context(|| format!("no port from {} to {} is free", PORTS.start, PORTS.end))
}

fn hold_threads(address: SocketAddr, ended: &Receiver<()>) {
    let mut held = Vec::new();
    while ended.recv_timeout(TICK) == Err(RecvTimeoutError::Timeout) {
        if held.len() < THREADS {
            held.extend(TcpStream::connect(address));
        }
    }
}
