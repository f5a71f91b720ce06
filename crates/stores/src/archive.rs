//! A shaper and its store: what a result leaves out is stored before the result is returned, and read back on request.

use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde::Serialize;
use toolshape::host::{
    ArchiveOptions, Effect, GivenText, Heard, KeepValue, Next, Quoted, Read, ReadFor, ReadState, Redacts, Slots,
};
use toolshape::{Call, Error, ErrorCode, Shaped, Shaper};

use crate::store::Store;
use crate::timed::TimedStore;

/// Shapes results and stores what they leave out, for programs that call tools without an MCP SDK. Its methods block as long as
/// the store does, at most 5 seconds for each value.
///
/// ```
/// use serde_json::json;
/// use toolshape::{Call, Shaper};
/// use toolshape_stores::{Archive, MemoryStore};
///
/// let archive = Archive::new(Shaper::default(), MemoryStore::new());
/// let rows: Vec<_> = (0..10_000).map(|id| json!({ "id": id })).collect();
/// let shaped = archive.shape(&rows, &Call::tool("list"))?;
///
/// // The model calls `read_result` with the handle of the result.
/// let handle = shaped.keep.unwrap().ticket.replace(".handle", "");
/// let asked = Call::tool("read_result").arguments([("handle", &*handle), ("pointer", "/9999")]);
/// assert_eq!(archive.read_result(&asked)?.text, r#"{"id":9999}"#);
/// assert!(archive.whole(&asked)?.ends_with(r#",{"id":9999}]"#));
/// # Ok::<(), toolshape::Error>(())
/// ```
#[derive(Clone)]
pub struct Archive {
    shaper: Shaper,
    store: Arc<dyn Store>,
    kept_for: Duration,
}

impl Archive {
    /// An archive that keeps each result for one day.
    pub fn new(shaper: Shaper, store: impl Store) -> Self {
        let options = ArchiveOptions::default();
        let kept_for = Duration::from_secs_f64(options.ttl_seconds);
        Self { shaper, store: Arc::new(TimedStore::new(store, &options)), kept_for }
    }

    /// Sets how long a result is kept.
    #[must_use]
    pub fn kept_for(self, kept_for: Duration) -> Self {
        Self { kept_for, ..self }
    }

    /// Shapes a value that serde can write as JSON, as [`Shaper::shape`]. A result that cannot be stored has no handle, and
    /// says why.
    ///
    /// # Errors
    /// As [`Shaper::shape`].
    pub fn shape<T: Serialize + ?Sized>(&self, value: &T, call: &Call) -> Result<Shaped, Error> {
        let (text, is_json) = Shaper::text_of(value)?;
        self.stored(GivenText { text: &text, is_json }, call)
    }

    /// Shapes JSON text, as [`Shaper::shape_json`].
    ///
    /// # Errors
    /// As [`Shaper::shape_json`].
    pub fn shape_json(&self, text: &str, call: &Call) -> Result<Shaped, Error> {
        self.stored(GivenText { text, is_json: true }, call)
    }

    /// Shapes plain text, as [`Shaper::shape_text`].
    ///
    /// # Errors
    /// As [`Shaper::shape_text`].
    pub fn shape_text(&self, text: &str, call: &Call) -> Result<Shaped, Error> {
        self.stored(GivenText { text, is_json: false }, call)
    }

    /// Answers a call of the tool `read_result` ([`read_result_tool`](toolshape::read_result_tool)), with the arguments that
    /// the model sent. What is wrong with them, or with the store, is explained in the answer.
    ///
    /// # Errors
    /// `INVALID_CALL` for a scope without a `cursorKey`.
    pub fn read_result(&self, call: &Call) -> Result<Shaped, Error> {
        match self.read(ReadFor::Part, call)? {
            Read::Part(shaped) => Ok(*shaped),
            _ => Err(Error::new(ErrorCode::Internal, "nothing was read", "")),
        }
    }

    /// The whole of the stored result whose handle a call has as its argument `handle`, for a tool that writes it to a file: a text,
    /// or JSON.
    ///
    /// # Errors
    /// `INVALID_HANDLE`, `NOT_FOUND`, `STORE_FAILED`; `INVALID_CALL` as [`read_result`](Self::read_result).
    pub fn whole(&self, call: &Call) -> Result<String, Error> {
        match self.read(ReadFor::Value { pointer: String::new() }, call)? {
            Read::Value(text) if text.starts_with('"') => Ok(Quoted::new(&text).text().into_owned()),
            Read::Value(json) => Ok(json),
            Read::Refused(error) => Err(error),
            _ => Err(Error::new(ErrorCode::Internal, "nothing was read", "")),
        }
    }

    fn read(&self, reads: ReadFor, call: &Call) -> Result<Read, Error> {
        let mut slots = Slots::default();
        let mut state = ReadState::new(reads, false, call.clone().at(now()), &mut slots, &self.shaper)?;
        self.drive(&mut slots, |heard, slots| state.step(heard, slots, &self.shaper))
    }

    /// Stores what a result leaves out.
    fn stored(&self, given: GivenText<'_>, call: &Call) -> Result<Shaped, Error> {
        let mut state = KeepValue::new(call.clone().at(now()), true, Redacts::Nothing);
        self.drive(&mut Slots::default(), |heard, slots| state.step(heard, &given, slots, &self.shaper))
    }

    /// Carries out the effects of all turns.
    fn drive<D>(
        &self,
        slots: &mut Slots<'_>,
        mut step: impl FnMut(Vec<Heard>, &mut Slots<'_>) -> Result<Next<D>, Error>,
    ) -> Result<D, Error> {
        let mut heard = Vec::new();
        loop {
            match step(heard, slots)? {
                Next::Done(done) => return Ok(done),
                Next::Wait(effects) => heard = effects.into_iter().map(|effect| self.perform(effect, slots)).collect(),
            }
        }
    }

    fn perform(&self, effect: Effect, slots: &mut Slots<'_>) -> Heard {
        let done = match effect {
            Effect::Get { key, to } => self.store.read(&key).map(|value| match value {
                Some(value) => {
                    slots.put(to, value);
                    Heard::There
                }
                None => Heard::Absent,
            }),
            Effect::Set { key, from, owner } => {
                let value = slots.text(from).to_owned();
                self.store.write(&key, value, self.kept_for, owner.as_deref()).map(|()| Heard::There)
            }
            // Nothing is redacted here, nobody asks who reads, and without SQLite there are no answers.
            Effect::Redact { .. } | Effect::Allow { .. } | Effect::Ask { .. } => Ok(Heard::Absent),
        };
        done.unwrap_or_else(|error| Heard::Failed(error.message().to_owned()))
    }
}

fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs())
}
