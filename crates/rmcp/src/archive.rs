//! Drives the core's sessions: carries out what they ask for, and gives them what was heard.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use toolshape::host::{
    Effect, Heard, KeepValue, Next, Read, ReadFor, ReadState, Redaction, Redacts, Shapeable, Slot, Slots,
};
use toolshape::{Call, Error, Shaper};
use toolshape_stores::{Store, TimedStore};

use crate::blocking::{blocking, spawn_blocking_if_large};

/// An error of a function that the author gives.
pub type AnyError = Box<dyn std::error::Error + Send + Sync>;
pub type Redact = dyn Fn(&str) -> Result<String, AnyError> + Send + Sync;
pub type OnStoreError = dyn Fn(&(dyn std::error::Error + 'static)) + Send + Sync;
/// Whether the caller may read what a tool returned.
pub type Allows = dyn Fn(String) -> Pin<Box<dyn Future<Output = bool> + Send>> + Send + Sync;

/// A shaper, and where it keeps what it leaves out.
pub struct Archive {
    pub shaper: Arc<Shaper>,
    pub storage: Option<Arc<Storage>>,
}

/// A store, and how it is used.
pub struct Storage {
    pub store: TimedStore,
    pub kept_for: Duration,
    pub redacts: Redacts,
    /// What is declared as secret.
    pub redaction: Redaction,
    pub redact: Option<Arc<Redact>>,
    pub on_error: Option<Arc<OnStoreError>>,
}

/// What was heard of an effect, and the texts for its slots, from one on.
type Outcome = (Heard, Slot, Vec<String>);

impl Archive {
    /// Shapes what a call returned, a value of that many bytes, and stores what its result leaves out.
    ///
    /// # Errors
    /// Those of the core; never because of the store.
    pub async fn shape_and_store<S>(&self, source: S, bytes: usize, call: Call) -> Result<S::Made, Error>
    where
        S: Shapeable + Send + Sync + 'static,
        S::Made: Send + 'static,
    {
        let (shaper, storage) = (Arc::clone(&self.shaper), self.storage.clone());
        let redacts = storage.as_ref().map_or(Redacts::Nothing, |storage| storage.redacts);
        let mut state = KeepValue::new(call, storage.is_some(), redacts);
        if let Some(storage) = &storage {
            state = state.without(storage.redaction.clone(), storage.redact.is_some());
        }
        let step = move |heard: Vec<Heard>, slots: &mut Slots<'_>| {
            let next = state.step(heard, &source, slots, &shaper);
            for (fault, storage) in state.take_faults().iter().zip(&storage) {
                storage.report(fault);
            }
            next
        };
        self.drive(step, bytes, Slots::default(), None).await
    }

    /// Reads a stored result.
    ///
    /// # Errors
    /// Those of the core, for a mistake of the server's author.
    pub async fn read(&self, reads: ReadFor, call: Call, allows: Option<Box<Allows>>) -> Result<Read, Error> {
        let mut slots = Slots::default();
        let mut state = ReadState::new(reads, allows.is_some(), call, &mut slots, &self.shaper)?;
        // A short text can be asked for much.
        let bytes = if state.is_sql() { usize::MAX } else { 0 };
        let shaper = Arc::clone(&self.shaper);
        self.drive(move |heard, slots| state.step(heard, slots, &shaper), bytes, slots, allows).await
    }

    /// Carries out the effects of all turns; each step reads that many bytes and those of the slots.
    async fn drive<D: Send + 'static>(
        &self,
        mut step: impl FnMut(Vec<Heard>, &mut Slots<'_>) -> Result<Next<D>, Error> + Send + 'static,
        bytes: usize,
        mut slots: Slots<'static>,
        allows: Option<Box<Allows>>,
    ) -> Result<D, Error> {
        let mut heard = Vec::new();
        loop {
            let next;
            (next, step, slots) = spawn_blocking_if_large(bytes.saturating_add(slots.bytes()), move || {
                let next = step(heard, &mut slots);
                (next, step, slots)
            })
            .await;
            let effects = match next? {
                Next::Done(done) => return Ok(done),
                Next::Wait(effects) => effects,
            };
            let begun: Vec<_> =
                effects.into_iter().map(|effect| self.begin(effect, &slots, allows.as_deref())).collect();
            heard = Vec::with_capacity(begun.len());
            for outcome in begun {
                let (one, to, texts) = outcome.await;
                texts.into_iter().enumerate().for_each(|(at, text)| slots.put(to + at, text));
                heard.push(one);
            }
        }
    }

    /// Begins an effect. What the store is asked does not wait for the other effects of the turn.
    fn begin(
        &self,
        effect: Effect,
        slots: &Slots<'_>,
        allows: Option<&Allows>,
    ) -> Pin<Box<dyn Future<Output = Outcome> + Send>> {
        let Some(storage) = self.storage.clone() else { return now((Heard::Absent, 0, Vec::new())) };
        let work: Box<dyn FnOnce() -> Outcome + Send> = match effect {
            Effect::Get { key, to } => Box::new(move || match storage.store.read(&key) {
                Ok(Some(value)) => (Heard::There, to, vec![value]),
                Ok(None) => (Heard::Absent, to, Vec::new()),
                Err(error) => storage.failed(&error),
            }),
            Effect::Set { key, from, owner } => {
                let value = slots.text(from).to_owned();
                Box::new(move || match storage.store.write(&key, value, storage.kept_for, owner.as_deref()) {
                    Ok(()) => (Heard::There, from, Vec::new()),
                    Err(error) => storage.failed(&error),
                })
            }
            Effect::Redact { from, to } => {
                let texts = slots.texts(from).to_vec();
                let bytes = texts.iter().map(String::len).sum();
                return Box::pin(spawn_blocking_if_large(bytes, move || storage.redact(&texts, to)));
            }
            Effect::Allow { tool } => {
                let Some(allowed) = allows.map(|allows| allows(tool)) else {
                    return now((Heard::There, 0, Vec::new()));
                };
                return Box::pin(async { (if allowed.await { Heard::There } else { Heard::Absent }, 0, Vec::new()) });
            }
            // SQLite is in this program.
            Effect::Ask { to, .. } => return now((Heard::Absent, to, Vec::new())),
        };
        let is_quick = self.storage.as_ref().is_some_and(|storage| storage.store.is_quick());
        if is_quick { now(work()) } else { Box::pin(blocking(work)) }
    }
}

fn now(outcome: Outcome) -> Pin<Box<dyn Future<Output = Outcome> + Send>> {
    Box::pin(std::future::ready(outcome))
}

impl Storage {
    fn redact(&self, texts: &[String], to: Slot) -> Outcome {
        let Some(redact) = &self.redact else { return (Heard::There, to, texts.to_vec()) };
        match texts.iter().map(|text| call_redact(redact.as_ref(), text)).collect::<Result<_, _>>() {
            Ok(redacted) => (Heard::There, to, redacted),
            Err(error) => {
                self.report(error.as_ref());
                let reason = error.downcast_ref::<Error>().map_or("it failed", Error::message);
                (Heard::Failed(reason.to_owned()), to, Vec::new())
            }
        }
    }

    /// Tells the author of an error; the model reads the reason.
    fn failed(&self, error: &Error) -> Outcome {
        self.report(error);
        (Heard::Failed(error.message().to_owned()), 0, Vec::new())
    }

    fn report(&self, error: &(dyn std::error::Error + 'static)) {
        if let Some(on_error) = &self.on_error {
            // Neither a failing store nor a failing callback may break the tool.
            let _ = catch_unwind(AssertUnwindSafe(|| on_error(error)));
        }
    }
}

/// Calls `redact`; its panic is a failure, because nothing of the content may be shown.
fn call_redact(redact: &Redact, text: &str) -> Result<String, AnyError> {
    catch_unwind(AssertUnwindSafe(|| redact(text))).unwrap_or_else(|_| Err("redact panicked".into()))
}
