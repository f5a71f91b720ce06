//! The rounds in which `redact` sees contents: as readers see them and as they are, until it changes nothing.

use std::ops::Range;

use serde::{Deserialize, Serialize};

use super::{Effect, Slot, Slots};
use crate::api::keeping::check_redacted;
use crate::base::error::Error;

/// Contents that are being redacted.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Redacting {
    /// What `redact` left of each content, and whether it is JSON.
    left: Vec<(Slot, bool)>,
    is_changed: bool,
    round: u64,
    /// The contents of which it is asked, and how many texts of each it is given now.
    open: Vec<(usize, usize)>,
    asked: Range<Slot>,
    to: Slot,
}

/// What comes next.
pub(super) enum RedactNext {
    Ask(Effect),
    /// The slots of what it left, and whether it changed them.
    Done(Vec<Slot>, bool),
}

impl Redacting {
    /// Contents in these slots, and whether each is JSON.
    pub fn new(contents: Vec<(Slot, bool)>) -> Self {
        let open = (0..contents.len()).map(|at| (at, 0)).collect();
        Self { left: contents, is_changed: false, round: 0, open, asked: 0..0, to: 0 }
    }

    /// Whether the first content is JSON.
    pub fn is_json(&self) -> bool {
        self.left.first().is_some_and(|(_, is_json)| *is_json)
    }

    /// The slots that the next step reads.
    pub fn reads(&self) -> impl Iterator<Item = Slot> {
        let left = self.open.iter().filter_map(|(at, _)| Some(self.left.get(*at)?.0));
        left.chain(self.asked.clone()).chain(self.to..self.to + self.asked.len())
    }

    /// The next step: at first, or after `redact` has answered.
    ///
    /// # Errors
    /// As [`check_redacted`].
    pub fn step(&mut self, slots: &mut Slots<'_>) -> Result<RedactNext, Error> {
        let (mut readings, mut open, mut place) = (Vec::new(), Vec::new(), 0);
        for &(at, count) in &self.open {
            let of_content = place..place + count;
            place += count;
            let within = |start: Slot| start + of_content.start..start + of_content.end;
            let (slot, is_json) = self.left[at];
            let seen = slots.texts(within(self.to));
            if self.round > 0 && seen == slots.texts(within(self.asked.start)) {
                continue;
            }
            let own = slots.text(slot);
            let (text, next) = check_redacted(is_json, own, self.round, &seen)?;
            if text != own {
                let text = text.into_owned();
                self.left[at].0 = slots.add(text);
                self.is_changed = true;
            }
            if !next.is_empty() {
                open.push((at, next.len()));
                readings.extend(next);
            }
        }
        slots.clear(self.asked.clone());
        slots.clear(self.to..self.to + self.asked.len());
        if open.is_empty() {
            return Ok(self.end());
        }
        (self.round, self.open) = (self.round + 1, open);
        let first = slots.room(2 * readings.len());
        (self.asked, self.to) = (first..first + readings.len(), first + readings.len());
        self.asked.clone().zip(readings).for_each(|(at, reading)| slots.write(at, reading));
        Ok(RedactNext::Ask(Effect::Redact { from: self.asked.clone(), to: self.to }))
    }

    /// The end, because `redact` changes nothing any more.
    pub fn end(&self) -> RedactNext {
        RedactNext::Done(self.left.iter().map(|(slot, _)| *slot).collect(), self.is_changed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What `redact` leaves of the contents.
    fn redacted(contents: &[(&str, bool)], redact: fn(&str) -> String) -> Result<Option<Vec<String>>, Error> {
        let mut slots = Slots::default();
        let contents = contents.iter().map(|&(text, is_json)| (slots.add(text.to_owned()), is_json)).collect();
        let mut state = Redacting::new(contents);
        loop {
            match state.step(&mut slots)? {
                RedactNext::Ask(Effect::Redact { from, to }) => {
                    for (at, from) in from.enumerate() {
                        let text = redact(slots.text(from));
                        slots.put(to + at, text);
                    }
                }
                RedactNext::Ask(_) => unreachable!(),
                RedactNext::Done(left, is_changed) => return Ok(is_changed.then(|| slots.texts(left))),
            }
        }
    }

    #[test]
    fn redact_sees_contents_as_readers_see_them() {
        let redact = |text: &str| text.replace("sk-1", "…");
        let contents =
            [("sk-1 &amp; <i>", false), ("<p>s&#107;-1", false), (r#"["<p>s&#107;-1",1.50]"#, true), ("a", false)];
        let left = redacted(&contents, redact).unwrap().unwrap();
        assert_eq!(left, ["… &amp; <i>", "<p>…", r#"["<p>…",1.50]"#, "a"]);
        for content in contents {
            assert_eq!(redacted(&[content], redact).unwrap().is_none(), content.0 == "a");
        }
    }

    #[test]
    fn what_does_not_end_is_hidden() {
        let left = redacted(&[("", false), ("b", false)], |text| format!("{text}<i>x</i>")).unwrap();
        assert_eq!(left.unwrap(), ["[redacted]", "[redacted]"]);
    }
}
