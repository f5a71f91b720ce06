//! Mutexes whose values are whole between two statements: a thread that panicked has left nothing half done.

use std::sync::{Mutex, MutexGuard, PoisonError};

pub fn locked<T>(value: &Mutex<T>) -> MutexGuard<'_, T> {
    value.lock().unwrap_or_else(PoisonError::into_inner)
}
