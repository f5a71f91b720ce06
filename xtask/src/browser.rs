//! The tests of the WebAssembly face in a browser.
//!
//! The HTTP server of wasm-bindgen's test runner must be kept from a race that leaves a request without an answer.
//! tiny_http 0.12 hands a new connection to a waiting thread, and starts a thread only where none waits
//! (`src/util/task_pool.rs` there). A thread that was woken counts as waiting until it runs: on a busy machine the next
//! connection comes before that, and has no thread until the browser closes another one, which it keeps for more requests.
//! Connections of ours occupy the threads that the server starts with. None waits then, and each of the browser's
//! connections gets a thread of its own.

use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::ops::Range;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::time::Duration;
use std::{process, thread};

use anyhow::{Context, Result};

use crate::layout::Layout;
use crate::steps::ensure_wasm;
use crate::{pins, run, rust, setup};

/// Runs `wasm-pack test` in headless Chromium.
pub fn test(layout: &Layout) -> Result<()> {
    ensure_wasm(layout)?;
    let driver = setup::chromedriver(layout)?;
    run::live(run::cargo(layout).args(["build", "--quiet", "--package", "xtask-wasm-tools", "--features", "browser"]))?;
    // wasm-pack finds wasm-bindgen and its test runner, which must have the version of the crate, on its PATH.
    let tools = layout.path("target/debug");
    // wasm-pack compiles with the same options; compiling first takes nothing of the time that a test has.
    let target = ["--package", "toolshape-wasm", "--target", pins::WASM_TARGET, "--test", "web"];
    let mut compile = run::cargo(layout);
    rust::lint(layout, &mut compile);
    run::live(compile.args(["build", "--quiet"]).args(target))?;
    let mut tests = run::command(layout, tools.join("wasm-pack"));
    rust::lint(layout, &mut tests);
    tests.args(["test", "--headless", "--chrome", "--chromedriver"]).arg(driver);
    tests.args(["crates/wasm", "--test", "web", "--", "--nocapture"]).env("PATH", run::path(layout, &tools));
    // The runner's limit of 20 seconds is for quiet machines.
    tests.env("WASM_BINDGEN_TEST_TIMEOUT", "3000");
    with_threads_held(|address| run::live(tests.env("WASM_BINDGEN_TEST_ADDRESS", address.to_string())))
}

/// How many threads the server starts with, `MIN_THREADS` there.
const THREADS: usize = 4;
/// How often a connection is tried.
const TICK: Duration = Duration::from_millis(50);
/// Ports that systems do not give to outgoing connections by default: one to its own port would look like the server.
const PORTS: Range<u16> = 20_000..32_000;

/// Runs what serves at the address that it is given, and holds the server's first threads until it ends.
fn with_threads_held<T>(run: impl FnOnce(SocketAddr) -> Result<T>) -> Result<T> {
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
