//! A result on its way to the caller: shaped, redacted, and stored before it is sent.

use std::mem;
use std::ops::Range;

use super::redact::{RedactNext, Redacting};
use super::shapeable::Shapeable;
use super::{Effect, Heard, Next, Slot, Slots};
use crate::api::keeping::{Action, Answer, Input, Keeping};
use crate::api::shaper::Shaper;
use crate::base::error::{Error, ErrorCode};
use crate::outcome::to_store::Keep;
use crate::request::call::Call;
use crate::request::redacts::Redacts;

/// The state of a result that is kept.
#[derive(Clone, Debug)]
pub struct KeepState<M> {
    call: Call,
    has_store: bool,
    keeping: Keeping,
    /// What `redact` returned, or else the content to store.
    contents: Range<Slot>,
    made: Option<M>,
    to_store: Vec<ToStore>,
    phase: Phase,
    faults: Vec<Error>,
}

/// A content, and the slot of its text and later of its ticket.
#[derive(Clone, Debug)]
struct ToStore {
    keep: Keep,
    content: Slot,
    ticket: Slot,
}

/// What was asked last.
#[derive(Clone, Debug)]
enum Phase {
    Nothing,
    Redacting(Redacting),
    /// To store the contents, and to read what the store has of their tickets.
    Contents,
    Tickets,
}

impl<M> KeepState<M> {
    /// A result of this call, which has its time, of a host with or without a store.
    pub fn new(call: Call, has_store: bool, redacts: Redacts) -> Self {
        let keeping = Keeping::new(1, redacts);
        let (made, to_store, phase) = (None, Vec::new(), Phase::Nothing);
        Self { call, has_store, keeping, contents: 0..0, made, to_store, phase, faults: Vec::new() }
    }

    /// What `redact` did wrong, for the author.
    pub fn take_faults(&mut self) -> Vec<Error> {
        mem::take(&mut self.faults)
    }

    /// The next step: at first nothing was heard, later the answers to all effects of the last turn, in their order. `value`
    /// is the same in each step.
    ///
    /// # Errors
    /// Those of the core for a mistake of the author, and for a value that cannot be read; never because of the store.
    pub fn step<V: Shapeable<Made = M>>(
        &mut self,
        heard: &[Heard],
        value: &V,
        slots: &mut Slots,
        shaper: &Shaper,
    ) -> Result<Next<M>, Error> {
        let failure = heard.iter().find_map(|heard| match heard {
            Heard::Failed(reason) => Some(reason.clone()),
            Heard::There | Heard::Absent => None,
        });
        let answer = match (mem::replace(&mut self.phase, Phase::Nothing), failure) {
            (Phase::Nothing, _) => return self.follow(&[], value, slots, shaper),
            (Phase::Redacting(_) | Phase::Tickets, Some(reason)) => Answer::Failed(reason),
            (Phase::Redacting(mut redacting), None) => match redacting.step(slots) {
                Ok(RedactNext::Ask(effect)) => {
                    self.phase = Phase::Redacting(redacting);
                    return Ok(Next::Wait(vec![effect]));
                }
                Ok(RedactNext::Done(contents, answer)) => {
                    if answer != Answer::Nothing {
                        self.contents = contents;
                    }
                    answer
                }
                Err(error) => self.refused(error),
            },
            (Phase::Contents, _) => match heard.iter().step_by(2).find(|heard| **heard != Heard::There) {
                Some(Heard::Failed(reason)) => Answer::Failed(reason.clone()),
                _ => return self.store_tickets(heard, slots, shaper),
            },
            (Phase::Tickets, None) => Answer::Nothing,
        };
        self.follow(&[answer], value, slots, shaper)
    }

    fn follow<V: Shapeable<Made = M>>(
        &mut self,
        answers: &[Answer],
        value: &V,
        slots: &mut Slots,
        shaper: &Shaper,
    ) -> Result<Next<M>, Error> {
        let mut action = self.keeping.next(answers);
        loop {
            let answer = match action {
                Action::Shape(inputs) => self.shape(&inputs[0], value, slots, shaper)?,
                Action::Redact(_) => match value.whole(shaper, &self.call) {
                    Ok(contents) => match Redacting::begin(contents, slots) {
                        Some((redacting, effect)) => {
                            self.phase = Phase::Redacting(redacting);
                            return Ok(Next::Wait(vec![effect]));
                        }
                        None => Answer::Nothing,
                    },
                    // What cannot be read fails as without `redact`.
                    Err(error) => self.refused(error),
                },
                Action::Store(_) if !self.to_store.is_empty() => return Ok(self.store_contents()),
                Action::Store(_) | Action::Done => {
                    let nothing = || Error::new(ErrorCode::Internal, "nothing was shaped", "");
                    return self.made.take().map(Next::Done).ok_or_else(nothing);
                }
            };
            action = self.keeping.next(&[answer]);
        }
    }

    fn refused(&mut self, error: Error) -> Answer {
        let reason = error.message().to_owned();
        self.faults.push(error);
        Answer::Failed(reason)
    }

    fn shape<V: Shapeable<Made = M>>(
        &mut self,
        input: &Input,
        value: &V,
        slots: &mut Slots,
        shaper: &Shaper,
    ) -> Result<Answer, Error> {
        let call = self.call.clone();
        let call = match input {
            Input { redact_failure: Some(reason), .. } => call.with_redact_failure(reason),
            Input { store_failure: Some(reason), .. } => call.with_store_failure(reason),
            _ if self.has_store => call.with_store(),
            _ => call,
        };
        let mut made = value.shape(shaper, input, slots.texts(self.contents.clone()), &call)?;
        self.to_store.clear();
        let key = V::keep(&mut made).map(|keep| {
            let content = keep.content.take().unwrap_or_else(|| value.own_text());
            let images = keep.images.take().map(|images| *images);
            let key = keep.key.clone();
            let stored = [(keep.clone(), content)].into_iter();
            let stored = stored.chain(images.map(|mut images| {
                let content = images.content.take().unwrap_or_default();
                (images, content)
            }));
            self.to_store.extend(stored.map(|(keep, content)| {
                let content = slots.add([content]).start;
                ToStore { keep, content, ticket: slots.room() }
            }));
            key
        });
        if let (true, [first, ..]) = (self.contents.is_empty(), &self.to_store[..]) {
            self.contents = first.content..first.content + 1;
        }
        self.made = Some(made);
        Ok(key.map_or(Answer::Nothing, Answer::Key))
    }

    fn store_contents(&mut self) -> Next<M> {
        self.phase = Phase::Contents;
        let effects = self.to_store.iter().flat_map(|ToStore { keep, content, ticket }| {
            let (key, owner) = (keep.key.clone(), keep.owner.clone());
            [Effect::Set { key, from: *content, owner }, Effect::Get { key: keep.ticket.clone(), to: *ticket }]
        });
        Next::Wait(effects.collect())
    }

    /// A ticket names the tools of all calls that returned the content. One that cannot be read is replaced.
    fn store_tickets(&mut self, heard: &[Heard], slots: &mut Slots, shaper: &Shaper) -> Result<Next<M>, Error> {
        let call = self.call.clone().with_store();
        let mut effects = Vec::new();
        for (at, ToStore { keep, ticket, .. }) in self.to_store.iter().enumerate() {
            let is_known = heard.get(2 * at + 1) == Some(&Heard::There);
            let text = shaper.ticket(&keep.key, is_known.then(|| slots.text(*ticket)), &call)?;
            slots.put(*ticket, text);
            effects.push(Effect::Set { key: keep.ticket.clone(), from: *ticket, owner: keep.owner.clone() });
        }
        self.phase = Phase::Tickets;
        Ok(Next::Wait(effects))
    }
}
