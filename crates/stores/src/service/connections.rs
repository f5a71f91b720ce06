//! Connections to a service that are kept for the next calls: calls at the same time have one each.

use std::sync::Mutex;
use std::time::Instant;

use super::SLOW;
use crate::store::locked;

/// The most connections that are kept.
const IDLE: usize = 8;

pub struct Connections<C>(Mutex<Vec<C>>);

impl<C> Default for Connections<C> {
    fn default() -> Self {
        Self(Mutex::default())
    }
}

impl<C> Connections<C> {
    /// Asks over a connection that waits, or over a new one. One that was closed while nobody used it, or leads to a server that was
    /// the master before, is made again, once.
    pub fn ask<T, E>(
        &self,
        connect: impl Fn() -> Result<C, E>,
        operation: impl Fn(&mut C) -> Result<T, E>,
    ) -> Result<T, E> {
        let began = Instant::now();
        let asked = |idle: Option<C>| {
            let mut connection = idle.map_or_else(&connect, Ok)?;
            let answer = operation(&mut connection)?;
            let mut idle = locked(&self.0);
            if idle.len() < IDLE {
                idle.push(connection);
            }
            Ok(answer)
        };
        let idle = locked(&self.0).pop();
        let was_open = idle.is_some();
        let answer = asked(idle);
        if was_open && answer.is_err() && began.elapsed() < SLOW {
            locked(&self.0).clear();
            return asked(None);
        }
        answer
    }
}
