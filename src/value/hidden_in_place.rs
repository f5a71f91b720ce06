//! What is hidden of a reading, hidden in the text that was read: so all other readings of what is left have lost it too, and keep the rest.

use std::ops::Range;

use memchr::memmem;

use crate::value::divided::{Unseen, next};

/// The letters before a place that say which one it is, and those that are enough by themselves.
const CONTEXT: [usize; 3] = [32, 8, 0];
const ENOUGH: usize = 4;
/// How often a place may be sought without being found.
const MOST_MISSES: usize = 64;

/// The text without what `wanted` hides of `seen`, a reading of the text; `None` if a place in the text is not found. `mark` is what stands
/// for what is hidden; empty if that is unknown.
pub(crate) fn hidden(text: &str, unseen: Unseen, seen: &str, wanted: &str, mark: &str) -> Option<String> {
    let parts = if mark.is_empty() { changes(seen, wanted)? } else { gaps(seen, wanted, mark)? };
    if parts.is_empty() {
        return None;
    }
    let letters = Letters::of(text, unseen);
    let (mut out, mut copied) = (String::new(), 0);
    let (mut at, mut kept, mut misses) = (0, 0, 0);
    for (part, with) in parts {
        let wanted = squeezed(&seen[part.clone()], unseen);
        if wanted.is_empty() {
            return None;
        }
        let context = last_letters(&seen[kept..part.start], unseen);
        let place = CONTEXT.into_iter().find_map(|most| {
            let before = last(&context, most);
            if most == 0 && wanted.len() < ENOUGH || misses == MOST_MISSES {
                return None;
            }
            let found = memmem::find(&letters.text.as_bytes()[at..], [before, &wanted].concat().as_bytes());
            misses += usize::from(found.is_none());
            found.map(|found| at + found + before.len())
        })?;
        (at, kept) = (place + wanted.len(), part.end);
        let places = letters.original(place..at);
        out += &text[copied..places[0].start];
        out += with;
        // Between the letters is what is not seen: without it a tag would lose the one that ends it.
        for pair in places.windows(2).filter(|pair| pair[0].end < pair[1].start) {
            out += &text[pair[0].end..pair[1].start];
            out += mark;
        }
        copied = places[places.len() - 1].end;
    }
    Some(out + &text[copied..])
}

/// The parts of `seen` that are marks in `wanted`.
fn gaps<'w>(seen: &str, wanted: &'w str, mark: &'w str) -> Option<Vec<(Range<usize>, &'w str)>> {
    let mut kept = wanted.split(mark).peekable();
    let mut at = kept.next().filter(|piece| seen.starts_with(piece))?.len();
    let mut gaps = Vec::new();
    while let Some(piece) = kept.next() {
        let end = match kept.peek() {
            Some(_) => at + seen[at..].find(piece)?,
            None => seen[at..].ends_with(piece).then(|| seen.len() - piece.len())?,
        };
        if &seen[at..end] != mark {
            gaps.push((at..end, mark));
        }
        at = end + piece.len();
    }
    Some(gaps)
}

/// The parts of `seen` that differ, and what they are in `wanted`, if that has as many lines, and in these as many words.
fn changes<'w>(seen: &str, wanted: &'w str) -> Option<Vec<(Range<usize>, &'w str)>> {
    let mut changes = Vec::new();
    let (mut of_seen, mut of_wanted) = (seen.split_inclusive([' ', '\n']), wanted.split_inclusive([' ', '\n']));
    let mut at = 0;
    loop {
        match (of_seen.next(), of_wanted.next()) {
            (None, None) => return Some(changes),
            (Some(word), Some(new)) => {
                let (start, end) = ends_in_common(word, new);
                if word != new {
                    changes.push((at + start..at + word.len() - end, &new[start..new.len() - end]));
                }
                at += word.len();
            }
            _ => return None,
        }
    }
}

/// The bytes at the start and at the end of two texts that are the same.
fn ends_in_common(one: &str, other: &str) -> (usize, usize) {
    let same = |(one, other): &(char, char)| one == other;
    let bytes = |(letter, _): (char, char)| letter.len_utf8();
    let start: usize = one.chars().zip(other.chars()).take_while(same).map(bytes).sum();
    let (one, other) = (&one[start..], &other[start..]);
    (start, one.chars().rev().zip(other.chars().rev()).take_while(same).map(bytes).sum())
}

/// The letters that a reader sees of a text, without white space, and where each is in it.
struct Letters {
    text: String,
    /// From where on the letters are one behind another in the text: the place in the letters, and the one in the text. What is spelled is a
    /// run of its own, which ends with the next one.
    runs: Vec<(usize, usize)>,
    /// Where each run ends in the text.
    ends: Vec<usize>,
}

impl Letters {
    fn of(text: &str, unseen: Unseen) -> Self {
        let mut letters = Self { text: String::new(), runs: Vec::new(), ends: Vec::new() };
        let mut at = 0;
        while let Some((seen, bytes)) = next(&text[at..], unseen) {
            if let Some(letter) = seen.filter(|letter| is_letter(*letter, unseen)) {
                let is_plain = text[at..at + bytes].starts_with(letter) && bytes == letter.len_utf8();
                let is_run = |(end, (here, there)): (&usize, &(usize, usize))| {
                    *end == at && end - there == letters.text.len() - here
                };
                match letters.ends.last().zip(letters.runs.last()).is_some_and(is_run) && is_plain {
                    true => *letters.ends.last_mut().expect("there is a run") = at + bytes,
                    false => {
                        letters.runs.push((letters.text.len(), at));
                        letters.ends.push(at + bytes);
                    }
                }
                letters.text.push(letter);
            }
            at += bytes;
        }
        letters
    }

    /// Where letters are in the text: at least one place.
    fn original(&self, part: Range<usize>) -> Vec<Range<usize>> {
        let run = |at: usize| self.runs.partition_point(|(here, _)| *here <= at) - 1;
        let of_run = |run: usize| {
            let (here, there) = self.runs[run];
            let next = self.runs.get(run + 1).map_or(self.text.len(), |(next, _)| *next);
            let start = there + part.start.saturating_sub(here);
            // What is spelled is longer than its letter.
            let end = if next <= part.end { self.ends[run] } else { there + (part.end - here) };
            start..end
        };
        (run(part.start)..=run(part.end - 1)).map(of_run).collect()
    }
}

/// Whether a letter says where it is: white space and marks come and go.
fn is_letter(letter: char, unseen: Unseen) -> bool {
    !(letter.is_whitespace() || unseen.has_links && matches!(letter, '[' | '*' | '`'))
}

fn squeezed(text: &str, unseen: Unseen) -> String {
    text.chars().filter(|letter| is_letter(*letter, unseen)).collect()
}

/// As many letters at the end as say where it is.
fn last_letters(text: &str, unseen: Unseen) -> String {
    let near: Vec<char> = text.chars().rev().filter(|letter| is_letter(*letter, unseen)).take(CONTEXT[0]).collect();
    near.into_iter().rev().collect()
}

fn last(text: &str, most: usize) -> &str {
    let start = text.len().saturating_sub(most);
    &text[(start..).find(|at| text.is_char_boundary(*at)).unwrap_or(text.len())..]
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAGE: Unseen = Unseen { is_escaped: true, has_tags: true, has_blocks: true, has_links: true };

    #[test]
    fn what_is_hidden_of_a_reading_goes_from_the_text() {
        for (text, seen, wanted, left) in [
            ("<p>k <b>s</b>k-1</p>", "k sk-1", "k …", "<p>k <b>…</b>…</p>"),
            ("a&#107;b-&#107;-c", "akb-k-c", "akb-…-c", "a&#107;b-…-c"),
            ("1 <i>pin</i>: 1 1", "1 pin: 1 1", "1 pin: … 1", "1 <i>pin</i>: … 1"),
            ("<p>s\x1b[1mk-12 <td>s<i>k-34", "sk-12 | sk-34", "… | …", "<p>…\x1b[1m… <td>…<i>…"),
        ] {
            assert_eq!(hidden(text, PAGE, seen, wanted, "…").as_deref(), Some(left), "{text}");
            // What a function hides has no known mark: it is there once.
            let once = hidden(text, PAGE, seen, wanted, "").unwrap();
            assert_eq!((once.replace('…', ""), once.contains('…')), (left.replace('…', ""), true), "{text}");
        }
    }

    #[test]
    fn what_has_no_place_in_the_text_is_not_hidden() {
        for (seen, wanted) in [("not there", "not …"), ("a b", "x…y"), ("ab", "a…b")] {
            assert_eq!(hidden("<p>ab", PAGE, seen, wanted, "…"), None, "{seen}");
        }
        assert_eq!(hidden("a b", PAGE, "a b", "a", ""), None);
    }
}
