//! The process around a gateway: threads and signals.

use std::sync::Arc;
use std::thread;
use std::time::Duration;

use anyhow::Result;
use tokio::runtime::{Builder, Handle, Runtime};

use crate::gateway::Gateway;
use crate::memory::limit_kept_memory;

/// How long work that nobody waits for may take at the end.
const LAST: Duration = Duration::from_millis(500);

/// Answers requests until the process is asked to end, by SIGTERM or SIGINT: after `drainDelaySeconds` no more are taken, and the
/// open ones have `drainSeconds`. A second signal ends it at once. Returns the exit code.
///
/// # Errors
/// An address that cannot be listened on.
pub fn serve(mut gateway: Gateway) -> Result<u8> {
    let count = thread::available_parallelism().map_or(1, usize::from);
    limit_kept_memory(count);
    // One for each processor: what a request wakes, it wakes where it is.
    let runtimes = (0..count).map(|_| Builder::new_multi_thread().worker_threads(1).enable_all().build());
    let runtimes = runtimes.collect::<Result<Vec<Runtime>, _>>()?;
    let handles: Vec<Handle> = runtimes.iter().map(|runtime| runtime.handle().clone()).collect();
    let (mut signals, listener) =
        runtimes[0].block_on(async { anyhow::Ok((Signals::new()?, gateway.bind().await?)) })?;
    eprintln!("toolshape: listening on http://{}", gateway.address());
    // It is dropped after all that its requests do: a store may wait for that, which no task may.
    let gateway = Arc::new(gateway);
    let code = runtimes[0].block_on(async {
        let serving = Arc::clone(&gateway);
        let running = tokio::spawn(async move { serving.run_on(listener, &handles).await });
        signals.next().await;
        eprintln!("toolshape: draining");
        let end = async {
            gateway.leave().await;
            gateway.drain();
            running.await
        };
        let code = tokio::select! {
            _ = end => 0,
            signal = signals.next() => {
                gateway.kill_commands();
                128 + signal
            }
        };
        gateway.flush();
        code
    });
    runtimes.into_iter().for_each(|runtime| runtime.shutdown_timeout(LAST));
    Ok(code)
}

/// The signals that ask the process to end.
#[cfg(unix)]
struct Signals([tokio::signal::unix::Signal; 2]);

#[cfg(unix)]
impl Signals {
    fn new() -> Result<Self> {
        use tokio::signal::unix::{SignalKind, signal};
        Ok(Self([signal(SignalKind::interrupt())?, signal(SignalKind::terminate())?]))
    }

    /// The number of the next one.
    async fn next(&mut self) -> u8 {
        let [interrupt, terminate] = &mut self.0;
        tokio::select! {
            _ = interrupt.recv() => 2,
            _ = terminate.recv() => 15,
        }
    }
}

#[cfg(not(unix))]
struct Signals;

#[cfg(not(unix))]
impl Signals {
    fn new() -> Result<Self> {
        Ok(Self)
    }

    async fn next(&mut self) -> u8 {
        if tokio::signal::ctrl_c().await.is_err() {
            std::future::pending::<()>().await;
        }
        2
    }
}
