//! Results on their way to the caller: shaped, redacted, and stored before they are sent.

use std::mem;

use serde::{Deserialize, Serialize};

use super::redact::{RedactNext, Redacting};
use super::{Effect, Heard, Slot, Slots};
use crate::api::keeping::{Input, Origin};
use crate::api::shaper::Shaper;
use crate::base::error::{Error, ErrorCode};
use crate::request::call::Call;
use crate::request::content_id::Form;
use crate::request::redacts::Redacts;
use crate::value::redaction::Redaction;

/// The state of results that are kept together, so that what they say about the store is true: all are shaped again if one was
/// redacted or could not be stored. A result is redacted once, all of it, so that whatever is made of it later is redacted too.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct KeepState {
    results: Vec<Kept>,
    redacts: Redacts,
    phase: Phase,
    #[serde(skip)]
    faults: Vec<Error>,
}

/// One result in progress.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
struct Kept {
    input: Input,
    is_redacted: bool,
    /// What it is shaped from in place of its value: what `redact` left, or the content to store.
    contents: Vec<Slot>,
    /// What is to be stored, from the last time it was shaped.
    to_store: Option<ToStore>,
    /// The key under which its content is stored, with a ticket that names its tool.
    stored: Option<String>,
}

impl Kept {
    fn key(&self) -> Option<&String> {
        self.to_store.as_ref().map(|one| &one.key)
    }
}

/// What is to be stored of a result: the keys of its content and of its ticket, its owner, and the slot of the content.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToStore {
    pub key: String,
    pub ticket: String,
    pub owner: Option<String>,
    pub content: Slot,
    /// What it is, in a few words.
    #[serde(default)]
    pub about: String,
    /// The images that the result leaves out.
    pub images: Option<Box<Self>>,
}

/// All that `redact` is to see of a result.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "camelCase")]
pub struct Whole {
    /// The slots of texts, and whether each is JSON.
    pub contents: Vec<(Slot, bool)>,
    /// Whether the value cannot be read again, so that the result is shaped from these texts.
    pub is_consumed: bool,
    /// Whether the host has no `redact` that is to see them.
    pub is_final: bool,
}

impl Whole {
    /// The same without what is declared as secret; the result is shaped from it if that is anything.
    #[must_use]
    pub fn without(mut self, redaction: &Redaction, slots: &mut Slots<'_>) -> Self {
        for (slot, is_json) in &mut self.contents {
            let text = slots.text(*slot);
            if let Some(left) = if *is_json { redaction.of_json(text) } else { redaction.of_text(text) } {
                *slot = slots.add(left);
                self.is_consumed = true;
            }
        }
        self
    }
}

/// What comes next.
#[derive(Clone, Debug, PartialEq)]
pub enum KeepNext {
    /// Shape all results together, each from its input, and from the texts in these slots unless that is its own value. Step with
    /// what is to be stored of each.
    Shape(Vec<(Input, Vec<Slot>)>),
    /// Find all of these results that `redact` is to see. Step with it.
    Whole(Vec<usize>),
    /// Carry out these effects, at least one. Step with what was heard of each.
    Wait(Vec<Effect>),
    /// Send the results as they were last shaped.
    Done,
}

/// What was heard of the last turn.
#[derive(Clone, Debug)]
pub enum KeepHeard {
    /// There was none.
    Nothing,
    Shaped(Vec<Option<ToStore>>),
    /// An error is that of a value that cannot be read.
    Whole(Vec<Result<Whole, Error>>),
    Effects(Vec<Heard>),
}

/// What was asked last.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
enum Phase {
    #[default]
    Begin,
    Shape,
    Whole(Vec<usize>),
    Redact(Vec<Seen>),
    /// To store contents, and to read what the store has of their tickets and of lists.
    Contents(Vec<usize>, Vec<Stored>, Vec<List>),
    /// To store tickets and lists. Why the contents of results could not be stored.
    Tickets(Vec<usize>, Vec<Stored>, Vec<(usize, String)>),
}

/// A list of what was stored for a caller: its key, its owner and its slot.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct List {
    key: String,
    owner: Option<String>,
    slot: Slot,
}

/// A result that is redacted.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Seen {
    at: usize,
    /// Whether the result is shaped from what is left.
    is_replaced: bool,
    state: Redacting,
    is_open: bool,
    failure: Option<String>,
}

/// A content of a result that is stored, and the slot of its ticket.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Stored {
    at: usize,
    content: ToStore,
    ticket: Slot,
}

/// What a step is given: the calls of the results, the texts, and what shapes them.
struct Turn<'a, 't> {
    calls: &'a [Call],
    slots: &'a mut Slots<'t>,
    shaper: &'a Shaper,
}

impl KeepState {
    /// Starts with `count` results.
    pub fn new(count: usize, redacts: Redacts) -> Self {
        Self { results: vec![Kept::default(); count], redacts, phase: Phase::Begin, faults: Vec::new() }
    }

    /// What `redact` did wrong, for the author.
    pub fn take_faults(&mut self) -> Vec<Error> {
        mem::take(&mut self.faults)
    }

    /// The slots that the next step reads.
    pub fn reads(&self) -> Vec<Slot> {
        match &self.phase {
            Phase::Redact(all) => all.iter().filter(|one| one.is_open).flat_map(|one| one.state.reads()).collect(),
            Phase::Contents(_, stored, lists) => {
                let tickets = stored.iter().map(|one| one.ticket);
                tickets.chain(lists.iter().map(|list| list.slot)).collect()
            }
            _ => Vec::new(),
        }
    }

    /// Whether the results may be sent if all effects of this turn are [`There`](Heard::There), without another step.
    pub fn ends(&self) -> bool {
        matches!(&self.phase, Phase::Tickets(_, _, failures) if failures.is_empty())
    }

    /// The next step. `calls` are those of the results, in their order.
    ///
    /// # Errors
    /// Those of the core for a mistake of the author; never because of the store or of `redact`. `INVALID_CALL` if `heard` does not
    /// answer the last turn.
    pub fn step(
        &mut self,
        heard: KeepHeard,
        calls: &[Call],
        slots: &mut Slots<'_>,
        shaper: &Shaper,
    ) -> Result<KeepNext, Error> {
        let turn = &mut Turn { calls, slots, shaper };
        let is_settled = match (mem::take(&mut self.phase), heard) {
            (Phase::Begin, KeepHeard::Nothing) if self.redacts == Redacts::All => {
                return Ok(self.whole((0..self.results.len()).collect()));
            }
            (Phase::Begin, KeepHeard::Nothing) => false,
            (Phase::Shape, KeepHeard::Shaped(to_store)) => {
                self.take_shaped(to_store);
                true
            }
            (Phase::Whole(asked), KeepHeard::Whole(wholes)) => {
                let redactions = asked.into_iter().zip(wholes).map(|(at, whole)| {
                    let failure = whole.as_ref().err().map(|error| error.message().to_owned());
                    let Whole { contents, is_consumed, is_final } =
                        whole.map_err(|error| self.faults.push(error)).unwrap_or_default();
                    if is_consumed {
                        self.results[at].contents = contents.iter().map(|(slot, _)| *slot).collect();
                    }
                    let is_open = failure.is_none() && !is_final;
                    Seen { at, is_replaced: is_consumed, state: Redacting::new(contents), is_open, failure }
                });
                let redactions = redactions.collect();
                return self.redact(redactions, None, turn);
            }
            (Phase::Redact(redactions), KeepHeard::Effects(heard)) => {
                return self.redact(redactions, Some(heard), turn);
            }
            (Phase::Contents(asked, stored, lists), KeepHeard::Effects(heard)) => {
                return self.store_tickets(asked, (stored, &lists), &heard, turn);
            }
            (Phase::Tickets(asked, stored, mut failures), KeepHeard::Effects(heard)) => {
                let failed = stored.into_iter().zip(heard);
                failures.extend(failed.filter_map(|(one, heard)| Some((one.at, failure(&heard)?))));
                self.take_stored(&asked, &failures)
            }
            _ => return Err(no_answer()),
        };
        self.follow(is_settled, turn)
    }

    /// What is left to do for the results in their current shape, or without one that may stay all of them again.
    fn follow(&mut self, is_settled: bool, turn: &mut Turn<'_, '_>) -> Result<KeepNext, Error> {
        if !is_settled {
            self.phase = Phase::Shape;
            return Ok(KeepNext::Shape(
                self.results.iter().map(|one| (one.input.clone(), one.contents.clone())).collect(),
            ));
        }
        let results = self.results.iter().enumerate();
        let open: Vec<(usize, &Kept)> =
            results.filter(|(_, one)| one.key().is_some() && one.key() != one.stored.as_ref()).collect();
        let to_redact = open.iter().filter(|(_, one)| self.redacts != Redacts::Nothing && !one.is_redacted);
        let to_redact: Vec<usize> = to_redact.map(|(at, _)| *at).collect();
        if !to_redact.is_empty() {
            return Ok(self.whole(to_redact));
        }
        // Equal contents are stored once.
        let is_first = |nth: usize, one: &Kept| open[..nth].iter().all(|(_, other)| other.key() != one.key());
        let to_store = open.iter().enumerate().filter(|(nth, (_, one))| is_first(*nth, one)).map(|(_, (at, _))| *at);
        let to_store: Vec<usize> = to_store.collect();
        if to_store.is_empty() { Ok(KeepNext::Done) } else { self.store_contents(to_store, turn) }
    }

    fn whole(&mut self, at: Vec<usize>) -> KeepNext {
        self.phase = Phase::Whole(at.clone());
        KeepNext::Whole(at)
    }

    fn take_shaped(&mut self, to_store: Vec<Option<ToStore>>) {
        for (one, to_store) in self.results.iter_mut().zip(to_store.into_iter().chain(std::iter::repeat(None))) {
            if let Some(to_store) = to_store.as_ref().filter(|_| one.contents.is_empty()) {
                one.contents.push(to_store.content);
            }
            one.to_store = to_store;
            // From now on it is shaped from this content: the value may give other data when it is read again.
            let form = one.key().and_then(|key| Form::of_key(key));
            if let (Origin::Own, Some((form, _))) = (one.input.origin, form) {
                one.input.origin = Origin::of(form == Form::Json);
            }
        }
    }

    /// Whether all is stored of these results, and of those with the same content.
    fn take_stored(&mut self, asked: &[usize], failures: &[(usize, String)]) -> bool {
        for at in asked {
            let failure = failures.iter().find(|(failed, _)| failed == at).map(|(_, reason)| reason);
            let key = self.results[*at].key().cloned();
            for one in self.results.iter_mut().filter(|one| one.key() == key.as_ref()) {
                match failure {
                    Some(reason) => one.input.store_failure = Some(reason.clone()),
                    None => one.stored.clone_from(&key),
                }
            }
        }
        failures.is_empty()
    }

    fn redact(
        &mut self,
        mut redactions: Vec<Seen>,
        heard: Option<Vec<Heard>>,
        turn: &mut Turn<'_, '_>,
    ) -> Result<KeepNext, Error> {
        let mut heard = heard.map(Vec::into_iter);
        let mut effects = Vec::new();
        for one in redactions.iter_mut().filter(|one| one.is_open) {
            let next = match heard.as_mut().map(|heard| heard.next().ok_or_else(no_answer)).transpose()? {
                Some(Heard::Failed(reason)) => {
                    (one.is_open, one.failure) = (false, Some(reason));
                    continue;
                }
                Some(Heard::Absent) => Ok(one.state.end()),
                Some(Heard::There) | None => one.state.step(turn.slots),
            };
            match next {
                Ok(RedactNext::Ask(effect)) => effects.push(effect),
                Ok(RedactNext::Done(left, is_changed)) => {
                    one.is_open = false;
                    one.is_replaced |= is_changed;
                    if one.is_replaced {
                        self.results[one.at].contents = left;
                    }
                }
                Err(error) => {
                    (one.is_open, one.failure) = (false, Some(error.message().to_owned()));
                    self.faults.push(error);
                }
            }
        }
        if !effects.is_empty() {
            self.phase = Phase::Redact(redactions);
            return Ok(KeepNext::Wait(effects));
        }
        let mut is_settled = self.redacts == Redacts::Stored;
        for Seen { at, is_replaced, state, failure, .. } in redactions {
            is_settled &= failure.is_none() && !is_replaced;
            let one = &mut self.results[at];
            one.is_redacted = true;
            if is_replaced && failure.is_none() {
                one.input.is_redacted = true;
                one.input.origin = Origin::of(state.is_json());
            }
            if failure.is_some() {
                one.input.redact_failure = failure;
            }
        }
        self.follow(is_settled, turn)
    }

    fn store_contents(&mut self, asked: Vec<usize>, turn: &mut Turn<'_, '_>) -> Result<KeepNext, Error> {
        let mut stored = Vec::new();
        for &at in &asked {
            let mut next = self.results[at].to_store.clone();
            while let Some(mut content) = next {
                next = content.images.take().map(|images| *images);
                stored.push(Stored { at, content, ticket: turn.slots.room(1) });
            }
        }
        let effects = stored.iter().flat_map(|Stored { content, ticket, .. }| {
            let (key, owner) = (content.key.clone(), content.owner.clone());
            [
                Effect::Set { key, from: content.content, owner },
                Effect::Get { key: content.ticket.clone(), to: *ticket },
            ]
        });
        let mut effects: Vec<Effect> = effects.collect();
        let mut lists: Vec<List> = Vec::new();
        for one in &stored {
            if let Some(key) = turn.calls.get(one.at).map(|call| turn.shaper.list_key(call)).transpose()?.flatten()
                && lists.iter().all(|list| list.key != key)
            {
                lists.push(List { key, owner: one.content.owner.clone(), slot: turn.slots.room(1) });
            }
        }
        effects.extend(lists.iter().map(|list| Effect::Get { key: list.key.clone(), to: list.slot }));
        self.phase = Phase::Contents(asked, stored, lists);
        Ok(KeepNext::Wait(effects))
    }

    /// A ticket names the tools of all calls that returned the content. One that cannot be read is replaced.
    fn store_tickets(
        &mut self,
        asked: Vec<usize>,
        (mut stored, lists): (Vec<Stored>, &[List]),
        heard: &[Heard],
        turn: &mut Turn<'_, '_>,
    ) -> Result<KeepNext, Error> {
        let heard = |at: usize| heard.get(at).cloned().unwrap_or(Heard::Absent);
        let failed = stored.iter().enumerate().filter_map(|(at, one)| Some((one.at, failure(&heard(2 * at))?)));
        let failures: Vec<(usize, String)> = failed.collect();
        let is_stored = |one: &Stored| failures.iter().all(|(at, _)| *at != one.at);
        let mut effects = Vec::new();
        for (at, one) in stored.iter().enumerate().filter(|(_, one)| is_stored(one)) {
            let known = (heard(2 * at + 1) == Heard::There).then(|| turn.slots.take(one.ticket).into_owned());
            let key = self.results[one.at].key();
            let same = self.results.iter().zip(turn.calls).filter(|(of, _)| of.key() == key);
            let ticket = same.map(|(_, call)| call).try_fold(known, |known, call| {
                turn.shaper.ticket(&one.content.key, known.as_deref(), call).map(Some)
            })?;
            turn.slots.write(one.ticket, ticket.unwrap_or_default());
            let (key, owner) = (one.content.ticket.clone(), one.content.owner.clone());
            effects.push(Effect::Set { key, from: one.ticket, owner });
        }
        if effects.is_empty() {
            let is_settled = self.take_stored(&asked, &failures);
            return self.follow(is_settled, turn);
        }
        let tickets = 2 * stored.len();
        stored.retain(is_stored);
        for (at, list) in lists.iter().enumerate() {
            let known = (heard(tickets + at) == Heard::There).then(|| turn.slots.take(list.slot).into_owned());
            let mut own = Vec::new();
            for one in &stored {
                let Some(call) = turn.calls.get(one.at) else { continue };
                if turn.shaper.list_key(call)?.as_ref() == Some(&list.key) {
                    own.push((call, &one.content));
                }
            }
            let Some(&(call, _)) = own.first() else { continue };
            let text = turn.shaper.listing(&list.key, known.as_deref(), &own, call)?;
            turn.slots.write(list.slot, text);
            effects.push(Effect::Set { key: list.key.clone(), from: list.slot, owner: list.owner.clone() });
        }
        self.phase = Phase::Tickets(asked, stored, failures);
        Ok(KeepNext::Wait(effects))
    }
}

fn no_answer() -> Error {
    Error::new(ErrorCode::InvalidCall, "this does not answer what was asked last", "/heard")
}

fn failure(heard: &Heard) -> Option<String> {
    if let Heard::Failed(reason) = heard { Some(reason.clone()) } else { None }
}
