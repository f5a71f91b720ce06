//! About how heavy a value is, told from a sample of it: tokens for receipts and envelopes, characters to
//! compare its parts.
//!
//! What is read are a few stretches of text from places that lie evenly over the whole value as its lengths tell it
//! ([`length`]), each as deep in it as it lies; what they tell is scaled up on the way back by those lengths
//! (sampling with probability proportional to size, in stages: W. G. Cochran, Sampling Techniques, 1977, ch. 11).
//! What is read does not grow with the value. Which parts are read depends on the value alone, so every face tells
//! the same figure.

use crate::base::error::Error;
use crate::base::json_string;
use crate::value::length_estimate;
use crate::value::sampling;
use crate::value::source::Length;
use crate::value::source::{Entry, Kind, Source};
use crate::value::token_count::Measure;

/// Values that are looked at to compare parts.
const COMPARED: usize = 64;
/// Places in the whole value from which text is read.
const PLACES: usize = 24;
/// So many members of one container are seen from outside, before some are looked at.
const NEAR: usize = 512;
/// So many items of a longer array are looked at.
const FAR: usize = 32;
/// Values that are looked at in a container, for all places and at the least; if there are many members, so many for
/// each of some.
const ROOM: usize = 1024;
const LEAST_ROOM: usize = 128;
const MEMBER_ROOM: usize = 20;
const LEAST_DRAWN: usize = 16;
/// So many characters make one stretch: small members together, or some of a string's.
const STRETCH: usize = 144;
/// Characters of a stretch by which it is told how it joins the next: as many as a token has that parts two members.
const SEAM: usize = 3;
/// Characters of a string that is the whole value.
const TEXT_CHARS: usize = 2048;
/// A word that is cut in two counts for more tokens than it has; a longer one is no word.
const WORD_BYTES: usize = 16;
const MOST_LEVELS: usize = 64;
/// Of text that could not be read.
const CHARS_A_TOKEN: f64 = 4.0;

/// About how many tokens a value's JSON text has.
pub(crate) fn tokens<S: Source>(value: &S, measure: Measure) -> Result<usize, Error> {
    Ok(Weighing { measure }.value("", value, &evenly(PLACES), 0)? as usize)
}

/// About how many characters a value's JSON text has, to compare it with others; no text of it is read.
pub(crate) fn chars<S: Source>(value: &S) -> Result<usize, Error> {
    Ok(length_estimate::of(value, COMPARED).chars as usize)
}

/// A member that was looked at.
struct Member {
    index: usize,
    length: Length,
    /// Of how many characters of all members it tells.
    share: f64,
}

struct Weighing {
    measure: Measure,
}

impl Weighing {
    /// The tokens of a value with what stands before it, told by the text at some places in it.
    fn value<S: Source>(&self, before: &str, value: &S, places: &[f64], level: usize) -> Result<f64, Error> {
        match value.kind() {
            Kind::String => self.text(before, value, level == 0),
            Kind::Array | Kind::Object if value.len() > 0 && level < MOST_LEVELS => {
                // Its brackets are in one token with what stands before and behind them, and so is the first
                // member's comma.
                Ok(self.measure.count(before) as f64 - 1.0 + self.members(value, places, level)?)
            }
            _ => Ok(self.measure.count(&(before.to_owned() + &value.json()?)) as f64),
        }
    }

    fn members<S: Source>(&self, value: &S, places: &[f64], level: usize) -> Result<f64, Error> {
        let members = look(value, (ROOM * places.len() / PLACES).max(LEAST_ROOM))?;
        let is_all = members.len() == value.len();
        let entries = if value.kind() == Kind::Object { value.entries()? } else { Vec::new() };
        let shares: Vec<f64> = members.iter().map(|member| member.share).collect();
        let mut told = 0.0;
        for (nth, within) in along(&shares, places) {
            // Small ones behind it are read with it.
            let run = if is_all { run(&members[nth..]) } else { 1 };
            let index = members[nth].index;
            let tokens_a_char = self.density(value, &entries, index, &members[nth..nth + run], &within, level);
            told += tokens_a_char * within.len() as f64;
        }
        Ok(shares.iter().sum::<f64>() * told / places.len() as f64)
    }

    /// The tokens a character of some neighbours, which begin at an index. What cannot be read is taken for text like
    /// any: nothing of it may ever be shown, and where it is, whoever shows it tells what is wrong.
    fn density<S: Source>(
        &self,
        value: &S,
        entries: &[Entry<S>],
        index: usize,
        members: &[Member],
        within: &[f64],
        level: usize,
    ) -> f64 {
        let tokens_a_char = || {
            let read: Vec<Entry<S>> = match value.kind() {
                Kind::Object => entries.iter().skip(index).take(members.len()).cloned().collect(),
                _ => value.items(index, members.len())?.into_iter().map(|item| (String::new(), item)).collect(),
            };
            let Length { chars, is_all } = members[0].length;
            if is_all && chars <= STRETCH as f64 {
                return Ok(self.stretch(&read)? / members.iter().map(|member| member.length.chars).sum::<f64>());
            }
            let Some((key, member)) = read.first() else { return Ok(0.0) };
            Ok(self.value(&before(key), member, within, level + 1)? / chars)
        };
        tokens_a_char().unwrap_or_else(|_: Error| 1.0 / CHARS_A_TOKEN)
    }

    /// The tokens of small members, each with what parts it from the one before.
    fn stretch<S: Source>(&self, members: &[Entry<S>]) -> Result<f64, Error> {
        let mut text = String::new();
        for (key, member) in members {
            text += &before(key);
            text += &member.json()?;
        }
        let seam: String = text.chars().take(SEAM).collect();
        text += &seam;
        Ok(self.measure.count(&text).saturating_sub(self.measure.count(&seam)) as f64)
    }

    /// The tokens of a string with what stands before it. Of a long one some are read: the ends of one that is the
    /// whole value, and words from the midst of one in it, since those often begin and end alike.
    fn text<S: Source>(&self, before: &str, value: &S, is_whole: bool) -> Result<f64, Error> {
        let chars = value.chars();
        let most = if is_whole { TEXT_CHARS } else { STRETCH };
        if chars <= most {
            return Ok(self.measure.count(&(before.to_owned() + &value.json()?)) as f64);
        }
        let text = match is_whole {
            true => value.slice(0, most / 2)? + &value.slice(chars - most / 2, most / 2)?,
            false => whole_words(&value.slice((chars - most) / 3, most)?).to_owned(),
        };
        let around = self.measure.count(&format!("{before}\"\"")) as f64;
        Ok(around + self.measure.count(&text) as f64 * chars as f64 / json_string::chars(&text) as f64)
    }
}

/// What stands before a member that is not the first.
fn before(key: &str) -> String {
    if key.is_empty() { ",".to_owned() } else { format!(",{key}:") }
}

/// Looks at members: at all of them or, of many, at some that are drawn by what is seen from outside, the larger
/// more likely; of very many items at some that are spread evenly.
fn look<S: Source>(value: &S, room: usize) -> Result<Vec<Member>, Error> {
    let count = value.len();
    let most = (room / MEMBER_ROOM).max(LEAST_DRAWN);
    let mut indices = match value.kind() {
        Kind::Array if count > NEAR => sampling::spread(count, FAR),
        _ => sampling::spread(count, NEAR),
    };
    let mut factors = vec![count as f64 / indices.len() as f64; indices.len()];
    if indices.len() > most {
        let rough: Vec<f64> =
            length_estimate::of_members(value, &indices, 0)?.iter().map(|length| length.chars).collect();
        let each = factors[0] * rough.iter().sum::<f64>() / most as f64;
        let drawn = along(&rough, &evenly(most));
        factors = drawn.iter().map(|(nth, times)| times.len() as f64 * each / rough[*nth]).collect();
        indices = drawn.iter().map(|(nth, _)| indices[*nth]).collect();
    }
    let lengths = length_estimate::of_members(value, &indices, room)?;
    let members = indices.into_iter().zip(lengths).zip(factors);
    Ok(members.map(|((index, length), factor)| Member { index, share: length.chars * factor, length }).collect())
}

/// So many places from 0 to 1, evenly spread.
fn evenly(count: usize) -> Vec<f64> {
    (0..count).map(|nth| (nth as f64 + 0.5) / count as f64).collect()
}

/// The parts of a line from 0 to 1 that some places on it, which rise, fall into, and where in the part each does.
fn along(parts: &[f64], places: &[f64]) -> Vec<(usize, Vec<f64>)> {
    let all: f64 = parts.iter().sum();
    let (mut found, mut start, mut left) = (Vec::new(), 0.0, places);
    for (nth, part) in parts.iter().enumerate() {
        let end = start + part / all;
        let inside = if nth + 1 == parts.len() { left.len() } else { left.partition_point(|&place| place < end) };
        let (here, rest) = left.split_at(inside);
        if !here.is_empty() {
            found.push((nth, here.iter().map(|place| ((place - start) / (end - start)).clamp(0.0, 1.0)).collect()));
        }
        (start, left) = (end, rest);
    }
    found
}

/// How many members from the first on, all of them neighbours, make one stretch.
fn run(members: &[Member]) -> usize {
    let (mut run, mut chars) = (0, 0.0);
    for Member { length, .. } in members {
        chars += length.chars;
        if run > 0 && (!length.is_all || chars > STRETCH as f64) {
            break;
        }
        run += 1;
    }
    run
}

/// A stretch of text without what is cut off of a word at its ends.
fn whole_words(text: &str) -> &str {
    let start = text.find(' ').filter(|&at| at <= WORD_BYTES).unwrap_or(0);
    let end = text.rfind(' ').filter(|&at| at > start && at + WORD_BYTES >= text.len()).unwrap_or(text.len());
    &text[start..end]
}
