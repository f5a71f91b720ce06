//! Storing and reading back without I/O. A state says what a host does next, in turns of independent effects, and takes what
//! the host heard. It knows texts by the numbers of their slots, which the host holds, and values not at all: it is small, and
//! is dropped to cancel.

pub(crate) mod keep;
pub(crate) mod read;
mod redact;
pub(crate) mod shapeable;
pub(crate) mod tasks;

use std::ops::Range;

use crate::api::sql::SqlQuestion;
use crate::base::error::Error;

/// The number of a text that the host holds.
pub type Slot = usize;

/// What the host does. The effects of a turn are independent of each other; the host answers all of them together.
#[derive(Clone, Debug, PartialEq)]
pub enum Effect {
    /// Read a value of the store into a slot: [`There`](Heard::There) or [`Absent`](Heard::Absent).
    Get { key: String, to: Slot },
    /// Store a text, for its owner's share.
    Set { key: String, from: Slot, owner: Option<String> },
    /// Redact the texts in these slots into as many from another on.
    Redact { from: Range<Slot>, to: Slot },
    /// Ask whether the caller may call this tool, and so read what it returned: [`There`](Heard::There) if so.
    Allow { tool: String },
    /// Answer a question in SQL, where the core has no SQLite.
    Ask { question: SqlQuestion, sources: Vec<AskedSource>, to: Slot },
}

/// A stored result that a question may name: its handle, and its key and the slot of its content, or why it cannot be read.
#[derive(Clone, Debug, PartialEq)]
pub struct AskedSource {
    pub handle: String,
    pub content: Result<(String, Slot), Error>,
}

/// What the host heard of an effect.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Heard {
    /// It is done; the text is in its slot.
    There,
    /// There is no such value; or the caller may not.
    Absent,
    /// Why it failed: a text for the model.
    Failed(String),
}

/// What comes next.
#[derive(Clone, Debug)]
pub enum Next<D> {
    /// Carry out these effects, at least one, and step with what was heard of each.
    Wait(Vec<Effect>),
    Done(D),
}

/// The texts that a host holds for a state.
#[derive(Clone, Debug, Default)]
pub struct Slots(Vec<String>);

impl Slots {
    /// The text in a slot; empty if there is none.
    pub fn text(&self, at: Slot) -> &str {
        self.0.get(at).map_or("", String::as_str)
    }

    /// The text of a slot, which is empty afterwards.
    pub fn take(&mut self, at: Slot) -> String {
        self.0.get_mut(at).map(std::mem::take).unwrap_or_default()
    }

    /// Puts a text into a slot of an effect.
    pub fn put(&mut self, at: Slot, text: String) {
        if let Some(slot) = self.0.get_mut(at) {
            *slot = text;
        }
    }

    /// The bytes of all texts.
    pub fn bytes(&self) -> usize {
        self.0.iter().map(String::len).sum()
    }

    /// The texts in these slots.
    pub fn texts(&self, at: Range<Slot>) -> &[String] {
        self.0.get(at).unwrap_or_default()
    }

    /// New slots with these texts.
    fn add(&mut self, texts: impl IntoIterator<Item = String>) -> Range<Slot> {
        let start = self.0.len();
        self.0.extend(texts);
        start..self.0.len()
    }

    /// A new slot that an effect fills.
    fn room(&mut self) -> Slot {
        self.add([String::new()]).start
    }

    fn clear(&mut self, at: Range<Slot>) {
        self.0.get_mut(at).into_iter().flatten().for_each(|text| *text = String::new());
    }
}
