//! Storing and reading back without I/O. A state says what a host does next, in turns of independent effects, and takes what
//! the host heard. It knows texts by the numbers of their slots, which the host holds, and values not at all: it is small, is
//! dropped to cancel, and can be written as JSON between two turns.

pub(crate) mod keep;
pub(crate) mod read;
mod redact;
pub(crate) mod shapeable;
pub(crate) mod tasks;

use std::borrow::Cow;
use std::collections::BTreeMap;
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
    /// Redact the texts in these slots into as many from another on; [`Absent`](Heard::Absent) if that changes none of them.
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
pub struct Slots<'t> {
    count: Slot,
    texts: BTreeMap<Slot, Cow<'t, str>>,
    written: Vec<Slot>,
}

impl<'t> Slots<'t> {
    /// The slots of a host that holds this many, with the texts that it gives.
    pub fn of(count: Slot, given: impl IntoIterator<Item = (Slot, &'t str)>) -> Self {
        let texts = given.into_iter().map(|(at, text)| (at, Cow::Borrowed(text))).collect();
        Self { count, texts, written: Vec::new() }
    }

    /// How many there are.
    pub fn count(&self) -> Slot {
        self.count
    }

    /// The text in a slot; empty if there is none.
    pub fn text(&self, at: Slot) -> &str {
        self.texts.get(&at).map_or("", |text| text)
    }

    /// The text of a slot, which is empty afterwards.
    pub fn take(&mut self, at: Slot) -> Cow<'t, str> {
        self.texts.remove(&at).unwrap_or_default()
    }

    /// Puts a text into a slot of an effect.
    pub fn put(&mut self, at: Slot, text: String) {
        if at < self.count {
            self.texts.insert(at, Cow::Owned(text));
        }
    }

    /// The bytes of all texts.
    pub fn bytes(&self) -> usize {
        self.texts.values().map(|text| text.len()).sum()
    }

    /// The texts in these slots.
    pub fn texts(&self, at: impl IntoIterator<Item = Slot>) -> Vec<String> {
        at.into_iter().map(|at| self.text(at).to_owned()).collect()
    }

    /// The slots into which a state wrote a text.
    pub fn written(&self) -> &[Slot] {
        &self.written
    }

    /// A new slot with this text.
    pub fn add(&mut self, text: String) -> Slot {
        let at = self.room(1);
        self.write(at, text);
        at
    }

    /// Writes a text of the core into a slot.
    fn write(&mut self, at: Slot, text: String) {
        self.texts.insert(at, Cow::Owned(text));
        self.written.push(at);
    }

    /// The first of `count` new slots, which effects fill.
    fn room(&mut self, count: usize) -> Slot {
        let at = self.count;
        self.count = at.saturating_add(count);
        at
    }

    fn clear(&mut self, at: Range<Slot>) {
        at.for_each(|at| drop(self.texts.remove(&at)));
    }
}
