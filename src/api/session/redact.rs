//! The rounds in which `redact` sees contents: as readers see them and as they are, until it changes nothing.

use std::ops::Range;

use super::{Effect, Slot, Slots};
use crate::api::keeping::{Answer, check_redacted};
use crate::api::mcp::Content;
use crate::base::error::Error;

/// Contents that are being redacted.
#[derive(Clone, Debug)]
pub(super) struct Redacting {
    /// The contents, and what `redact` left of them, in the same order.
    whole: Range<Slot>,
    left: Range<Slot>,
    are_json: Vec<bool>,
    round: u64,
    /// The contents of which it is asked, and how many texts of each it is given now.
    open: Vec<(usize, usize)>,
    asked: Range<Slot>,
    to: Slot,
}

/// What comes next.
pub(super) enum RedactNext {
    Ask(Effect),
    /// The slots of what it left, and the answer for [`Keeping`](crate::host::Keeping).
    Done(Range<Slot>, Answer),
}

impl Redacting {
    /// The first effect; none if there is nothing to redact.
    pub fn begin(contents: Vec<Content>, slots: &mut Slots) -> Option<(Self, Effect)> {
        let are_json: Vec<bool> = contents.iter().map(|content| content.is_json).collect();
        let left = slots.add(contents.iter().map(|content| content.text.clone()));
        let whole = slots.add(contents.into_iter().map(|content| content.text));
        let open = (0..are_json.len()).map(|at| (at, 0)).collect();
        let (asked, to) = (left.start..left.start, left.start);
        let mut state = Self { whole, left, are_json, round: 0, open, asked, to };
        match state.step(slots) {
            Ok(RedactNext::Ask(effect)) => Some((state, effect)),
            _ => None,
        }
    }

    /// The next step, after `redact` has answered.
    ///
    /// # Errors
    /// As [`check_redacted`].
    pub fn step(&mut self, slots: &mut Slots) -> Result<RedactNext, Error> {
        let (mut readings, mut open, mut place) = (Vec::new(), Vec::new(), 0);
        for &(at, count) in &self.open {
            let (left, of_content) = (self.left.start + at, place..place + count);
            place += count;
            let within = |start: Slot| start + of_content.start..start + of_content.end;
            let seen = match self.round {
                0 => &[],
                _ => {
                    let seen = slots.texts(within(self.to));
                    if seen == slots.texts(within(self.asked.start)) {
                        continue;
                    }
                    seen
                }
            };
            let (text, next) = check_redacted(self.are_json[at], slots.text(left), self.round, seen)?;
            let text = text.into_owned();
            slots.put(left, text);
            if !next.is_empty() {
                open.push((at, next.len()));
                readings.extend(next);
            }
        }
        if self.round > 0 {
            slots.clear(self.asked.clone());
            slots.clear(self.to..self.to + self.asked.len());
        }
        if open.is_empty() {
            return Ok(self.end(slots));
        }
        (self.round, self.open) = (self.round + 1, open);
        self.asked = slots.add(readings);
        self.to = slots.add(self.asked.clone().map(|_| String::new())).start;
        Ok(RedactNext::Ask(Effect::Redact { from: self.asked.clone(), to: self.to }))
    }

    fn end(&self, slots: &mut Slots) -> RedactNext {
        let is_same = slots.texts(self.whole.clone()) == slots.texts(self.left.clone());
        slots.clear(self.whole.clone());
        let is_json = self.are_json.first() == Some(&true);
        RedactNext::Done(self.left.clone(), if is_same { Answer::Nothing } else { Answer::Redacted { is_json } })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What `redact` leaves of the contents.
    fn redacted(contents: &[(&str, bool)], redact: fn(&str) -> String) -> Result<Option<Vec<String>>, Error> {
        let mut slots = Slots::default();
        let contents = contents.iter().map(|&(text, is_json)| Content { text: text.to_owned(), is_json }).collect();
        let (mut state, mut effect) = Redacting::begin(contents, &mut slots).unwrap();
        loop {
            let Effect::Redact { from, to } = effect else { unreachable!() };
            for (at, from) in from.enumerate() {
                let text = redact(slots.text(from));
                slots.put(to + at, text);
            }
            match state.step(&mut slots)? {
                RedactNext::Ask(next) => effect = next,
                RedactNext::Done(_, Answer::Nothing) => return Ok(None),
                RedactNext::Done(left, _) => return Ok(Some(slots.texts(left).to_vec())),
            }
        }
    }

    #[test]
    fn redact_sees_contents_as_readers_see_them() {
        let redact = |text: &str| text.replace("sk-1", "…");
        let contents =
            [("sk-1 &amp; <i>", false), ("<p>s&#107;-1", false), (r#"["<p>s&#107;-1",1.50]"#, true), ("a", false)];
        let left = redacted(&contents, redact).unwrap().unwrap();
        assert_eq!(left, ["… &amp; <i>", "…", r#"["…",1.50]"#, "a"]);
        for content in contents {
            assert_eq!(redacted(&[content], redact).unwrap().is_none(), content.0 == "a");
        }
    }

    #[test]
    fn what_does_not_end_is_refused() {
        let refused = redacted(&[("", false), ("b", false)], |text| format!("{text}<i>x</i>")).unwrap_err();
        assert_eq!(refused.message(), "redact changes what it returned itself");
    }
}
