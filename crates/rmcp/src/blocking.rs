//! Work that takes long, in a thread of its own.

/// The bytes that are read in less time than it takes to hand them to another thread.
const SMALL: usize = 1 << 16;

/// Does work that reads this many bytes: here if there are few, else in a thread of the runtime that may block.
pub async fn spawn_blocking_if_large<T: Send + 'static>(bytes: usize, work: impl FnOnce() -> T + Send + 'static) -> T {
    if bytes <= SMALL { work() } else { blocking(work).await }
}

/// Does work in a thread that may block.
pub async fn blocking<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> T {
    match tokio::task::spawn_blocking(work).await {
        Ok(done) => done,
        Err(ended) => match ended.try_into_panic() {
            Ok(panic) => std::panic::resume_unwind(panic),
            // The runtime is shutting down, and drops all tasks.
            Err(_) => std::future::pending().await,
        },
    }
}
