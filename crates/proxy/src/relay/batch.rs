//! A batch (revision 2025-03-26): messages in one line. Each is treated as if it had come alone; those that stay in the line
//! keep their order and their bytes.

use std::collections::BTreeSet;
use std::ops::Range;

use toolshape::host::{JsonText, Source};

use super::edits::{Edits, place};
use super::message::Message;
use super::store::{StoreTurn, StoreWait};
use super::{Effect, Relay};

/// A batch of the server in which results wait for the store.
pub(super) struct ServerBatch {
    line: String,
    /// The replacements of changed messages.
    changed: Vec<(Range<usize>, String)>,
    /// The dropped messages.
    gone: BTreeSet<usize>,
    /// How many results still wait.
    waiting: usize,
}

impl Relay {
    /// What to do with a batch of the client. A request that is answered from the store leaves the line; if the store has
    /// nothing for it, it goes to the server alone.
    pub(super) fn batch_of_client(
        &mut self,
        line: &str,
        list: &JsonText<'_>,
        messages: &[Message<'_>],
        now: u64,
    ) -> Vec<Effect> {
        let (mut effects, mut edits, mut gone) = (Vec::new(), Edits::of(line), BTreeSet::new());
        for message in messages {
            let mut stays = false;
            for effect in self.of_client(message, now) {
                match effect {
                    Effect::Pass => stays = true,
                    Effect::ToServer(text) => {
                        edits.replace(message.line, text);
                        stays = true;
                    }
                    other => effects.push(other),
                }
            }
            if !stays {
                gone.insert(place(line, message.line).start);
            }
        }
        if !gone.is_empty() && gone.len() == list.len() {
            return effects;
        }
        edits.remove_items(list, |item| gone.contains(&place(line, item).start));
        effects.push(if edits.is_empty() { Effect::Pass } else { Effect::ToServer(edits.apply()) });
        effects
    }

    /// What to do with a batch of the server: it is sent when all of its results are stored.
    pub(super) fn batch_of_server(
        &mut self,
        line: &str,
        list: &JsonText<'_>,
        messages: &[Message<'_>],
        now: u64,
    ) -> Vec<Effect> {
        self.numbers += 1;
        let number = self.numbers;
        let (mut effects, mut changed, mut gone, mut waiting) = (Vec::new(), Vec::new(), BTreeSet::new(), 0);
        for message in messages {
            let place = place(line, message.line);
            let of_message = self.of_server(message, now);
            // A message of which only a line for the log is left was dropped.
            if !of_message.is_empty() && of_message.iter().all(|effect| matches!(effect, Effect::Log(_))) {
                gone.insert(place.start);
            }
            for effect in of_message {
                match effect {
                    Effect::Pass => {}
                    Effect::ToClient(text) => changed.push((place.clone(), text)),
                    other => {
                        if let Effect::Store(one, _) = &other
                            && let Some(StoreTurn { wait: StoreWait::Write(kept), .. }) = self.waiting.get_mut(one)
                        {
                            kept.of_batch = Some((number, place.clone()));
                            waiting += 1;
                        }
                        effects.push(other);
                    }
                }
            }
        }
        if !gone.is_empty() && gone.len() == list.len() {
            return effects;
        }
        if waiting == 0 && changed.is_empty() && gone.is_empty() {
            effects.push(Effect::Pass);
            return effects;
        }
        let batch = ServerBatch { line: line.to_owned(), changed, gone, waiting };
        match waiting {
            0 => effects.push(Effect::ToClient(batch.whole())),
            _ => _ = self.batches.insert(number, batch),
        }
        effects
    }

    /// A result of a batch is stored; `changed` is its message, if it is another now. The batch, if that was the last one.
    pub(super) fn stored_in_batch(
        &mut self,
        number: u64,
        place: Range<usize>,
        changed: Option<String>,
    ) -> Option<Effect> {
        let batch = self.batches.get_mut(&number)?;
        batch.changed.extend(changed.map(|text| (place, text)));
        self.settled_in_batch(number)
    }

    /// A result of a batch that the client has cancelled. The batch, if that was the last one.
    pub(super) fn dropped_in_batch(&mut self, number: u64, place: Range<usize>) -> Option<Effect> {
        self.batches.get_mut(&number)?.gone.insert(place.start);
        self.settled_in_batch(number)
    }

    fn settled_in_batch(&mut self, number: u64) -> Option<Effect> {
        let batch = self.batches.get_mut(&number)?;
        batch.waiting -= 1;
        if batch.waiting > 0 {
            return None;
        }
        self.batches.remove(&number).map(|batch| Effect::ToClient(batch.whole()))
    }
}

impl ServerBatch {
    /// The line as the client gets it.
    fn whole(self) -> String {
        let mut edits = Edits::of(&self.line);
        for (place, text) in self.changed {
            edits.replace(&self.line[place], text);
        }
        if let (false, Ok(list)) = (self.gone.is_empty(), JsonText::parse(&self.line)) {
            edits.remove_items(&list, |item| self.gone.contains(&place(&self.line, item).start));
        }
        edits.apply()
    }
}
