//! What is hidden of a reading, hidden in the text that was read: so all other readings of what is left have lost it too, and keep the rest.

use std::iter::Peekable;
use std::ops::Range;
use std::str::SplitInclusive;

use memchr::memmem::{self, Finder};

use toolshape_text::redaction::divided::{Unseen, next, run};
use toolshape_text::redaction::is_of_token;
use toolshape_text::replaced::Replaced;

use crate::value::as_read::Redact;

/// The letters before a place that say which one it is, and those that are enough by themselves.
const CONTEXT: [usize; 3] = [32, 8, 0];
const ENOUGH: usize = 4;
/// How often a place may be sought without being found.
const MOST_MISSES: usize = 64;

/// How many bytes of a text are read at once.
const PIECE: usize = 1 << 14;
/// A shorter text is found without preparation.
const SHORT: usize = 32;

/// The text without what `wanted` hides of `seen`, a reading of the text; `None` if a place in the text is not found. `mark` is what stands
/// for what is hidden; empty if that is unknown. `redact` returned `wanted`.
pub(crate) fn hidden(
    text: &str,
    unseen: Unseen,
    (seen, wanted): (&str, &str),
    mark: &str,
    redact: &mut Redact<'_>,
) -> Option<String> {
    let (mut gaps, mut changes) = (Gaps::of(seen, wanted, mark), Changes::of(seen, wanted));
    let mut next = || if mark.is_empty() { changes.next() } else { gaps.next() };
    let mut letters = Letters::of(text, unseen);
    let mut replaced = Replaced::of(text, mark);
    let (mut at, mut kept, mut misses) = (0, 0, 0);
    while let Some(part) = next() {
        let (part, with) = part.ok()?;
        let hidden = &seen[part.clone()];
        let wanted = squeezed(hidden, unseen);
        if wanted.is_empty() {
            return None;
        }
        let context = last_letters(&seen[kept..part.start], unseen);
        let place = CONTEXT.into_iter().find_map(|most| {
            let before = last(&context, most);
            if most == 0 && wanted.len() < ENOUGH || misses == MOST_MISSES {
                return None;
            }
            let found = letters.find(at, [before, &wanted].concat().as_bytes());
            misses += usize::from(found.is_none());
            found.map(|found| found + before.len())
        })?;
        (at, kept) = (place + wanted.len(), part.end);
        let mut places = letters.original(place..at);
        let last = places.len().checked_sub(1)?;
        if places[last].end <= replaced.end() {
            continue;
        }
        if places[0].start < replaced.end() {
            return None;
        }
        // A break ends a value, unless it is within a word that is too long for its line, which is secret as one.
        let rest = &text[places[last].end..];
        let rest = &rest[..run(rest, is_of_token)];
        let mut is_one = || {
            let further = Reader { text: rest, unseen, at: 0, letters: 0 }.map(|(letter, _)| letter);
            let word = hidden.chars().chain(further).collect::<String>();
            redact(&word).is_some_and(|left| left == mark)
        };
        if rest.contains("<br") && (mark.is_empty() || is_one()) {
            places[last].end += rest.len();
        }
        // Between the letters is what is not seen: without it a tag would lose the one that ends it.
        let mut with = Some(with);
        for place in places {
            replaced.add(place, with.take().unwrap_or(mark));
        }
    }
    replaced.whole()
}

/// A part of what is seen, and what is wanted in its place.
type Part<'w> = (Range<usize>, &'w str);

/// What is wanted is not what is seen with some parts replaced.
struct Other;

/// The parts of what is seen that are marks in what is wanted.
struct Gaps<'s, 'w> {
    seen: &'s str,
    mark: &'w str,
    kept: Peekable<Pieces<'w>>,
    /// Where what is kept ends, once its start was compared.
    at: Option<usize>,
}

impl<'s, 'w> Gaps<'s, 'w> {
    fn of(seen: &'s str, wanted: &'w str, mark: &'w str) -> Self {
        Self { seen, mark, kept: pieces(wanted, mark).peekable(), at: None }
    }

    fn next(&mut self) -> Option<Result<Part<'w>, Other>> {
        if self.at.is_none() {
            let start = self.kept.next()?;
            if !self.seen.starts_with(start) {
                return Some(Err(Other));
            }
            self.at = Some(start.len());
        }
        while let Some(piece) = self.kept.next() {
            let start = self.at?;
            let end = match self.kept.peek() {
                Some(_) => find(&self.seen[start..], piece).map(|found| start + found),
                None => self.seen[start..].ends_with(piece).then(|| self.seen.len() - piece.len()),
            };
            let Some(end) = end else { return Some(Err(Other)) };
            self.at = Some(end + piece.len());
            if &self.seen[start..end] != self.mark {
                return Some(Ok((start..end, self.mark)));
            }
        }
        None
    }
}

/// The parts of what is seen that differ, if what is wanted has as many lines, and in these as many words.
struct Changes<'s, 'w> {
    seen: SplitInclusive<'s, [char; 2]>,
    wanted: SplitInclusive<'w, [char; 2]>,
    at: usize,
}

impl<'s, 'w> Changes<'s, 'w> {
    fn of(seen: &'s str, wanted: &'w str) -> Self {
        Self { seen: seen.split_inclusive([' ', '\n']), wanted: wanted.split_inclusive([' ', '\n']), at: 0 }
    }

    fn next(&mut self) -> Option<Result<Part<'w>, Other>> {
        loop {
            let (word, new) = match (self.seen.next(), self.wanted.next()) {
                (None, None) => return None,
                (Some(word), Some(new)) => (word, new),
                _ => return Some(Err(Other)),
            };
            let at = self.at;
            self.at += word.len();
            if word != new {
                let (start, end) = ends_in_common(word, new);
                return Some(Ok((at + start..self.at - end, &new[start..new.len() - end])));
            }
        }
    }
}

/// What is between marks.
pub(crate) struct Pieces<'t> {
    rest: Option<&'t str>,
    mark: Finder<'t>,
}

pub(crate) fn pieces<'t>(text: &'t str, mark: &'t str) -> Pieces<'t> {
    Pieces { rest: Some(text), mark: Finder::new(mark) }
}

impl<'t> Iterator for Pieces<'t> {
    type Item = &'t str;

    fn next(&mut self) -> Option<&'t str> {
        let rest = self.rest?;
        let end = self.mark.find(rest.as_bytes());
        self.rest = end.map(|end| &rest[end + self.mark.needle().len()..]);
        Some(&rest[..end.unwrap_or(rest.len())])
    }
}

/// Where a text is first found in another.
pub(crate) fn find(text: &str, wanted: &str) -> Option<usize> {
    let (bytes, wanted) = (text.as_bytes(), wanted.as_bytes());
    let Some((first, _)) = wanted.split_first().filter(|_| wanted.len() <= SHORT) else {
        return memmem::find(bytes, wanted);
    };
    memchr::memchr_iter(*first, bytes).find(|at| bytes[*at..].starts_with(wanted))
}

/// The bytes at the start and at the end of two texts that are the same.
fn ends_in_common(one: &str, other: &str) -> (usize, usize) {
    let same = |(one, other): &(char, char)| one == other;
    let bytes = |(letter, _): (char, char)| letter.len_utf8();
    let start: usize = one.chars().zip(other.chars()).take_while(same).map(bytes).sum();
    let (one, other) = (&one[start..], &other[start..]);
    (start, one.chars().rev().zip(other.chars().rev()).take_while(same).map(bytes).sum())
}

/// The letters that a reader sees of a text, without white space: some of them, from where they are asked for.
struct Letters<'t> {
    read: Reader<'t>,
    /// How many letters are forgotten, in bytes, and those behind them.
    forgotten: usize,
    letters: String,
    /// Up to where the letters were that were found last.
    found: Reader<'t>,
}

/// Where in a text its letters are read.
#[derive(Clone, Copy)]
struct Reader<'t> {
    text: &'t str,
    unseen: Unseen,
    at: usize,
    /// The bytes of the letters up to here.
    letters: usize,
}

impl Iterator for Reader<'_> {
    type Item = (char, Range<usize>);

    /// The next letter, and where it is written.
    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let (seen, bytes) = next(&self.text[self.at..], self.unseen)?;
            let place = self.at..self.at + bytes;
            self.at = place.end;
            if let Some(letter) = seen.filter(|letter| is_letter(*letter, self.unseen)) {
                self.letters += letter.len_utf8();
                return Some((letter, place));
            }
        }
    }
}

impl<'t> Letters<'t> {
    fn of(text: &'t str, unseen: Unseen) -> Self {
        let start = Reader { text, unseen, at: 0, letters: 0 };
        Self { read: start, forgotten: 0, letters: String::new(), found: start }
    }

    /// Where letters are first found from a place on. What is before it is forgotten.
    fn find(&mut self, from: usize, wanted: &[u8]) -> Option<usize> {
        let finder = Finder::new(wanted);
        let mut searched = from;
        loop {
            let found = finder.find(&self.letters.as_bytes()[searched - self.forgotten..]);
            if let Some(found) = found {
                return Some(searched + found);
            }
            searched = searched.max((self.read.letters + 1).saturating_sub(wanted.len()));
            if !self.read_more(from) {
                return None;
            }
        }
    }

    /// Reads some more of the text, and forgets the letters before a place.
    fn read_more(&mut self, needed_from: usize) -> bool {
        if self.read.at == self.read.text.len() {
            return false;
        }
        self.letters.drain(..needed_from - self.forgotten);
        self.forgotten = needed_from;
        // A long search is not repeated for each piece.
        let until = self.read.at + PIECE.max(self.letters.len());
        while self.read.at < until
            && let Some((letter, _)) = self.read.next()
        {
            self.letters.push(letter);
        }
        true
    }

    /// Where letters that were found are in the text, behind those that were found before: at least one place.
    fn original(&mut self, part: Range<usize>) -> Vec<Range<usize>> {
        let mut places: Vec<Range<usize>> = Vec::new();
        while self.found.letters < part.end
            && let Some((_, place)) = self.found.next()
        {
            match places.last_mut() {
                _ if self.found.letters <= part.start => {}
                Some(last) if last.end == place.start => last.end = place.end,
                _ => places.push(place),
            }
        }
        places
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

    const PAGE: Unseen =
        Unseen { is_escaped: true, has_tags: true, has_blocks: true, has_links: true, is_close: false };

    #[test]
    fn what_is_hidden_of_a_reading_goes_from_the_text() {
        let none: &mut Redact<'_> = &mut |_| None;
        for (text, seen, wanted, left) in [
            ("<p>k <b>s</b>k-1</p>", "k sk-1", "k …", "<p>k <b>…</b>…</p>"),
            ("a&#107;b-&#107;-c", "akb-k-c", "akb-…-c", "a&#107;b-…-c"),
            ("1 <i>pin</i>: 1 1", "1 pin: 1 1", "1 pin: … 1", "1 <i>pin</i>: … 1"),
            ("<p>s\x1b[1mk-12 <td>s<i>k-34", "sk-12 | sk-34", "… | …", "<p>…\x1b[1m… <td>…<i>…"),
        ] {
            assert_eq!(hidden(text, PAGE, (seen, wanted), "…", none).as_deref(), Some(left), "{text}");
            // What a function hides has no known mark: it is there once.
            let once = hidden(text, PAGE, (seen, wanted), "", none).unwrap();
            assert_eq!((once.replace('…', ""), once.contains('…')), (left.replace('…', ""), true), "{text}");
        }
    }

    #[test]
    fn what_has_no_place_in_the_text_is_not_hidden() {
        let none: &mut Redact<'_> = &mut |_| None;
        for (seen, wanted) in [("not there", "not …"), ("a b", "x…y"), ("ab", "a…b")] {
            assert_eq!(hidden("<p>ab", PAGE, (seen, wanted), "…", none), None, "{seen}");
        }
        assert_eq!(hidden("a b", PAGE, ("a b", "a"), "", none), None);
    }
}
