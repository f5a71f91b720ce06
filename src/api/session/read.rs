//! What is answered from the store: a call of `read_result`, a summary, a later page, a resource, an argument.

use std::mem;

use serde::{Deserialize, Serialize};

use super::{AskedSource, Effect, Heard, Next, Slot, Slots};
use crate::api::mcp::ShapedResult;
use crate::api::read_back;
use crate::api::shaper::Shaper;
use crate::api::sql::{FoundTable, HAS_SQL};
use crate::api::store_lookup::{Lookup, Opened, Purpose, Resource};
use crate::api::summarize_tool::ToSummarize;
use crate::base::error::Error;
use crate::outcome::shaped::Shaped;
use crate::request::call::Call;
use crate::request::listing::Listed;

/// What a stored result is read for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ReadFor {
    /// The answer to a call of `read_result`, also in SQL.
    Part,
    /// The answer to a call of a tool that continues its result.
    Page,
    /// The same as a text.
    TextPage,
    /// A text to summarize.
    Summary,
    Resource,
    /// The value at a pointer, as an argument of another call.
    Value {
        pointer: String,
    },
}

/// What was read.
#[derive(Clone, Debug)]
pub enum Read {
    Part(Box<Shaped>),
    Page(Box<ShapedResult>),
    /// The store has no page: the tool runs.
    NoPage,
    Summary(Box<ToSummarize>),
    Resource(Resource),
    Value(String),
    /// Why there is no resource or no value.
    Refused(Error),
}

/// The state of a read.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ReadState {
    reads: ReadFor,
    authorizes: bool,
    #[serde(skip)]
    call: Call,
    /// The result that the call names; for a question in SQL all that it may name.
    tables: Vec<Sought>,
    is_sql: bool,
    /// The slot of the answer in SQL of another module.
    asked: Option<Slot>,
    /// The list of what is stored, if the call names nothing.
    list: Option<ReadList>,
}

/// A list that is read: its key and slot, and then its entries, each of which has a place among the tables.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct ReadList {
    key: String,
    slot: Slot,
    entries: Option<Vec<Listed>>,
}

/// A stored result that is looked for.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Sought {
    handle: String,
    #[serde(skip)]
    call: Call,
    place: Place,
    /// The keys that may have the content, the likeliest last.
    keys: Vec<String>,
    /// The tools that returned it, if a ticket names them, and how many were asked for.
    returned_by: Option<Vec<String>>,
    denied: usize,
    slot: Slot,
    failure: Option<String>,
}

/// How far it was found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
enum Place {
    Ticket(String),
    Allowed,
    Contents,
    Content(String),
    Found(String),
    Nowhere,
    Forbidden,
}

impl ReadState {
    /// `call` has its time. `authorizes`: whether the host asks who may read a result.
    ///
    /// # Errors
    /// A call that cannot be read.
    pub fn new(
        reads: ReadFor,
        authorizes: bool,
        call: Call,
        slots: &mut Slots<'_>,
        shaper: &Shaper,
    ) -> Result<Self, Error> {
        let purpose = reads.purpose();
        let call = purpose.call(call);
        let found = shaper.lookup(purpose, authorizes, &call)?;
        let key = if reads == ReadFor::Part && read_back::is_list_asked_for(&call.without_empty()) {
            shaper.list_key(&call)?
        } else {
            None
        };
        if let Some(key) = key {
            let list = Some(ReadList { key, slot: slots.room(1), entries: None });
            return Ok(Self { reads, authorizes, call, tables: Vec::new(), is_sql: false, asked: None, list });
        }
        let is_sql = found.tables.is_some();
        let tables = match found.tables {
            Some(handles) => handles
                .into_iter()
                .map(|handle| {
                    let of_table = call.of_table(&handle);
                    let found = shaper.lookup(purpose, authorizes, &of_table)?;
                    Ok(Sought::new(handle, of_table, found, slots.room(1)))
                })
                .collect::<Result<_, Error>>()?,
            None => vec![Sought::new(String::new(), call.clone(), found, slots.room(1))],
        };
        Ok(Self { reads, authorizes, call, tables, is_sql, asked: None, list: None })
    }

    /// The state with its call, which is not written with it.
    #[must_use]
    pub fn of(mut self, call: Call) -> Self {
        let call = self.reads.purpose().call(call);
        for table in &mut self.tables {
            table.call = if self.is_sql || self.list.is_some() { call.of_table(&table.handle) } else { call.clone() };
        }
        Self { call, ..self }
    }

    /// The slots that the next step reads.
    pub fn reads(&self) -> Vec<Slot> {
        if let Some(ReadList { slot, entries: None, .. }) = self.list {
            return vec![slot];
        }
        let tables = self.tables.iter().filter(|table| !matches!(table.place, Place::Nowhere | Place::Forbidden));
        self.asked.map_or_else(|| tables.map(|table| table.slot).collect(), |answers| vec![answers])
    }

    /// Whether it lists what is stored, instead of opening it.
    pub fn is_list(&self) -> bool {
        self.list.is_some()
    }

    /// Whether a short text may take long to answer.
    pub fn is_sql(&self) -> bool {
        self.is_sql
    }

    /// The call that reads.
    pub fn call(&self) -> &Call {
        &self.call
    }

    /// The next step: at first nothing was heard, later the answers to all effects of the last turn, in their order.
    ///
    /// # Errors
    /// A call that cannot be answered.
    pub fn step(&mut self, heard: Vec<Heard>, slots: &mut Slots<'_>, shaper: &Shaper) -> Result<Next<Read>, Error> {
        if let Some(at) = self.asked {
            let answers = (heard.first() == Some(&Heard::There)).then(|| slots.text(at));
            let shaped = match answers {
                Some(answers) => shaper.show_answers(answers, &self.call)?,
                None => shaper.read_sql(Vec::new(), &self.call)?,
            };
            return Ok(Next::Done(Read::Part(Box::new(shaped))));
        }
        let purpose = self.reads.purpose();
        let mut heard = heard;
        if let Some(list) = &mut self.list
            && list.entries.is_none()
        {
            let Some(answer) = heard.pop() else {
                return Ok(Next::Wait(vec![Effect::Get { key: list.key.clone(), to: list.slot }]));
            };
            if let Heard::Failed(reason) = answer {
                let call = self.call.clone().with_found(Vec::new(), false, Some(reason));
                return Ok(Next::Done(Read::Part(Box::new(shaper.read_result(None, &call)?))));
            }
            let known = (answer == Heard::There).then(|| slots.take(list.slot).into_owned());
            let entries = shaper.listed(&list.key, known.as_deref(), &self.call)?;
            for Listed { handle, .. } in &entries {
                let of_entry = self.call.of_table(handle);
                let found = shaper.lookup(purpose, self.authorizes, &of_entry)?;
                self.tables.push(Sought::new(handle.clone(), of_entry, found, slots.room(1)));
            }
            list.entries = Some(entries);
        }
        // Each that is still looked for has one effect in a turn.
        let mut heard = heard.into_iter();
        let mut effects = Vec::new();
        for table in &mut self.tables {
            if table.is_looked_for()
                && let Some(heard) = heard.next()
            {
                table.hear(heard, (purpose, self.authorizes), slots, shaper)?;
                // A list has no contents: that there is one, and that the caller may read it, is enough.
                if let (Some(_), Place::Content(key)) = (&self.list, &table.place) {
                    table.place = Place::Found(key.clone());
                }
            }
            effects.extend(table.effect());
        }
        if effects.is_empty() { self.answer(slots, shaper) } else { Ok(Next::Wait(effects)) }
    }

    fn answer(&mut self, slots: &mut Slots<'_>, shaper: &Shaper) -> Result<Next<Read>, Error> {
        if self.is_sql {
            return self.answer_sql(slots, shaper);
        }
        if let Some(ReadList { entries: Some(entries), .. }) = &self.list {
            let is_there = |(one, table): (_, &Sought)| matches!(table.place, Place::Found(_)).then_some(one);
            let listed: Vec<&Listed> = entries.iter().zip(&self.tables).filter_map(is_there).collect();
            return Ok(Next::Done(Read::Part(Box::new(shaper.show_listed(&listed, &self.call)?))));
        }
        let Some(found) = self.tables.first() else { return Ok(Next::Done(Read::NoPage)) };
        let (call, stored) = (found.call(), found.stored(slots));
        // Without a content, the page of a caller who may not read it is the refusal.
        let of_page = stored.or((found.place == Place::Forbidden).then_some(("", "")));
        let refused = |read: Result<Read, Error>| read.unwrap_or_else(Read::Refused);
        Ok(Next::Done(match &self.reads {
            ReadFor::Part => Read::Part(Box::new(shaper.read_result(stored, &call)?)),
            ReadFor::Page => {
                let page = of_page.map(|(key, content)| shaper.shape_snapshot_result(key, content, &call));
                page.transpose()?.flatten().map_or(Read::NoPage, |page| Read::Page(Box::new(page)))
            }
            ReadFor::TextPage => {
                let page = of_page.map(|(key, content)| shaper.shape_snapshot(key, content, &call));
                page.transpose()?.flatten().map_or(Read::NoPage, |page| Read::Part(Box::new(page)))
            }
            ReadFor::Summary => Read::Summary(Box::new(shaper.to_summarize(stored, &call)?)),
            ReadFor::Resource => refused(shaper.resource(stored, &call).map(Read::Resource)),
            ReadFor::Value { pointer } => refused(shaper.stored_whole(stored, pointer, &call).map(Read::Value)),
        }))
    }

    fn answer_sql(&mut self, slots: &mut Slots<'_>, shaper: &Shaper) -> Result<Next<Read>, Error> {
        let calls: Vec<Call> = self.tables.iter().map(Sought::call).collect();
        let tables = self.tables.iter().zip(&calls);
        if !HAS_SQL && let Ok(question) = shaper.sql_question(&self.call) {
            let source = |(table, call): (&Sought, &Call)| {
                let checked = shaper.check_stored(&table.handle, table.stored(slots), call);
                let content = checked.map(|()| (table.key().to_owned(), table.slot));
                AskedSource { handle: table.handle.clone(), content }
            };
            let sources = tables.map(source).collect();
            let to = slots.room(1);
            self.asked = Some(to);
            return Ok(Next::Wait(vec![Effect::Ask { question, sources, to }]));
        }
        let mut found = Vec::new();
        for (table, call) in tables {
            let stored = match table.place {
                // SQLite keeps it, without another copy.
                Place::Found(ref key) => Some((key.as_str(), slots.take(table.slot).into())),
                _ => None,
            };
            found.push(FoundTable { handle: &table.handle, stored, call });
        }
        Ok(Next::Done(Read::Part(Box::new(shaper.read_sql(found, &self.call)?))))
    }
}

impl Sought {
    fn new(handle: String, call: Call, found: Lookup, slot: Slot) -> Self {
        let keys: Vec<String> = found.keys.into_iter().rev().collect();
        let mut sought =
            Self { handle, call, place: Place::Contents, keys, returned_by: None, denied: 0, slot, failure: None };
        match found.ticket {
            Some(ticket) => sought.place = Place::Ticket(ticket),
            None => sought.look_on(),
        }
        sought
    }

    fn is_looked_for(&self) -> bool {
        !matches!(self.place, Place::Found(_) | Place::Nowhere | Place::Forbidden)
    }

    /// Goes on to the next key that may have the content.
    fn look_on(&mut self) {
        self.place = self.keys.pop().map_or(Place::Nowhere, Place::Content);
    }

    fn effect(&self) -> Option<Effect> {
        match &self.place {
            Place::Ticket(key) | Place::Content(key) => Some(Effect::Get { key: key.clone(), to: self.slot }),
            Place::Allowed => {
                let tool = self.returned_by.as_ref().and_then(|tools| tools.get(self.denied));
                Some(Effect::Allow { tool: tool.cloned().unwrap_or_default() })
            }
            _ => None,
        }
    }

    fn hear(
        &mut self,
        heard: Heard,
        (purpose, authorizes): (Purpose, bool),
        slots: &mut Slots<'_>,
        shaper: &Shaper,
    ) -> Result<(), Error> {
        match (mem::replace(&mut self.place, Place::Contents), heard) {
            // One tool that the caller may call is enough.
            (Place::Allowed, Heard::There) => self.look_on(),
            (Place::Allowed, _) => {
                self.denied += 1;
                let are_all = self.returned_by.as_ref().is_none_or(|tools| self.denied >= tools.len());
                self.place = if are_all { Place::Forbidden } else { Place::Allowed };
            }
            (_, Heard::Failed(reason)) => {
                self.failure = Some(reason);
                self.place = Place::Nowhere;
            }
            (Place::Ticket(_), Heard::There) => {
                let ticket = slots.take(self.slot);
                match shaper.open(purpose, &ticket, &self.call)? {
                    Some(Opened { key, tools }) => {
                        self.keys.push(key);
                        self.returned_by = Some(tools);
                        if authorizes { self.place = Place::Allowed } else { self.look_on() }
                    }
                    None => self.look_on(),
                }
            }
            (Place::Content(key), Heard::There) => self.place = Place::Found(key),
            _ => self.look_on(),
        }
        Ok(())
    }

    fn key(&self) -> &str {
        if let Place::Found(key) = &self.place { key } else { "" }
    }

    fn stored<'s>(&'s self, slots: &'s Slots<'_>) -> Option<(&'s str, &'s str)> {
        matches!(self.place, Place::Found(_)).then(|| (self.key(), slots.text(self.slot)))
    }

    /// The call with what was found.
    fn call(&self) -> Call {
        let returned_by = self.returned_by.clone().unwrap_or_default();
        self.call.clone().with_found(returned_by, self.place == Place::Forbidden, self.failure.clone())
    }
}

impl ReadFor {
    fn purpose(&self) -> Purpose {
        match self {
            Self::Page | Self::TextPage => Purpose::Snapshot,
            Self::Summary => Purpose::Summarize,
            Self::Part | Self::Resource | Self::Value { .. } => Purpose::Read,
        }
    }
}
