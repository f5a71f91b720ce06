//! A shaper and its store: what a result leaves out is stored before the result is returned, and read back on request.

use std::mem;
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde::Serialize;
use toolshape::host::{FoundTable, Purpose};
use toolshape::{Call, Error, Keep, Shaped, Shaper};

use crate::store::Store;

/// Shapes results and stores what they leave out, for programs that call tools without an MCP SDK. Its methods block as long as
/// the store does.
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
        Self { shaper, store: Arc::new(store), kept_for: Duration::from_secs(86_400) }
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
        self.stored("", call, |call| self.shaper.shape(value, call))
    }

    /// Shapes JSON text, as [`Shaper::shape_json`].
    ///
    /// # Errors
    /// As [`Shaper::shape_json`].
    pub fn shape_json(&self, text: &str, call: &Call) -> Result<Shaped, Error> {
        self.stored(text, call, |call| self.shaper.shape_json(text, call))
    }

    /// Shapes plain text, as [`Shaper::shape_text`].
    ///
    /// # Errors
    /// As [`Shaper::shape_text`].
    pub fn shape_text(&self, text: &str, call: &Call) -> Result<Shaped, Error> {
        self.stored(text, call, |call| self.shaper.shape_text(text, call))
    }

    /// Answers a call of the tool `read_result` ([`read_result_tool`](toolshape::read_result_tool)), with the arguments that
    /// the model sent. What is wrong with them, or with the store, is explained in the answer.
    ///
    /// # Errors
    /// `INVALID_CALL` for a scope without a `cursorKey`.
    pub fn read_result(&self, call: &Call) -> Result<Shaped, Error> {
        let call = call.clone().at(now());
        let Some(handles) = self.shaper.lookup(Purpose::Read, false, &call)?.tables else {
            let (stored, call) = self.find(&call)?;
            return self.shaper.read_result(borrowed(stored.as_ref()), &call);
        };
        let mut found =
            handles.iter().map(|handle| self.find(&call.of_table(handle))).collect::<Result<Vec<_>, _>>()?;
        let tables = handles.iter().zip(&mut found).map(|(handle, (stored, call))| {
            let stored = stored.as_mut().map(|(key, content)| (key.as_str(), mem::take(content).into()));
            FoundTable { handle, stored, call }
        });
        self.shaper.read_sql(tables.collect(), &call)
    }

    /// Stores what a result leaves out; `text` is what was shaped, if it was a text.
    fn stored(&self, text: &str, call: &Call, shape: impl Fn(&Call) -> Result<Shaped, Error>) -> Result<Shaped, Error> {
        let call = call.clone().at(now());
        let shaped = shape(&call.clone().with_store())?;
        match shaped.keep.as_ref().map_or(Ok(()), |keep| self.put(keep, text, &call)) {
            Ok(()) => Ok(shaped),
            Err(error) => shape(&call.with_store_failure(error.message())),
        }
    }

    /// Writes a content, and then the ticket that opens it.
    fn put(&self, keep: &Keep, text: &str, call: &Call) -> Result<(), Error> {
        let owner = keep.owner.as_deref();
        let content = keep.content.clone().unwrap_or_else(|| text.to_owned());
        self.store.write(&keep.key, content, self.kept_for, owner)?;
        // A ticket that cannot be read is replaced.
        let known = self.store.read(&keep.ticket).ok().flatten();
        let ticket = self.shaper.ticket(&keep.key, known.as_deref(), call)?;
        self.store.write(&keep.ticket, ticket, self.kept_for, owner)
    }

    /// What a call names: the key and the content if the store has them, and the call with what the look-up found.
    fn find(&self, call: &Call) -> Result<(Option<(String, String)>, Call), Error> {
        let found = self.shaper.lookup(Purpose::Read, false, call)?;
        let (mut keys, mut call) = (found.keys, call.clone());
        let mut read = || {
            if let Some(ticket) = found.ticket.as_deref().map(|key| self.store.read(key)).transpose()?.flatten()
                && let Some(opened) = self.shaper.open(Purpose::Read, &ticket, &call)?
            {
                keys.push(opened.key);
                call = call.clone().with_returned_by(opened.tools);
            }
            for key in &keys {
                if let Some(content) = self.store.read(key)? {
                    return Ok(Some((key.clone(), content)));
                }
            }
            Ok::<_, Error>(None)
        };
        match read() {
            Ok(stored) => Ok((stored, call)),
            Err(error) => Ok((None, call.with_store_failure(error.message()))),
        }
    }
}

fn borrowed(stored: Option<&(String, String)>) -> Option<(&str, &str)> {
    stored.map(|(key, content)| (key.as_str(), content.as_str()))
}

fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs())
}
