//! Estimates the weight of a value from a sample: tokens for receipts and envelopes, characters to compare its members.
//!
//! It reads a few stretches of text at places that are evenly spread over the value by estimated length
//! ([`length_estimate`]), at any depth, and scales their tokens up by those lengths (multistage sampling with
//! probability proportional to size: W. G. Cochran, Sampling Techniques, 1977, ch. 11). The amount read does not grow
//! with the value. Which parts are read depends only on the value, so every face gives the same figure.

use toolshape_json::lengths::{Length, spread};

use crate::base::error::Error;
use crate::base::json_string;
use crate::value::length_estimate;
use crate::value::source::{AT_ONCE_BYTES, Entry, Kind, Source};
use crate::value::token_count::Measure;

/// Places in the whole value from which text is read.
const PLACES: usize = 8;
/// The lengths of this many members of one container are estimated without visiting them.
const NEAR: usize = 512;
/// The same for a longer array.
const FAR: usize = 32;
/// Values that are visited in a container for all places; for some of them, their share.
const ROOM: usize = 1024;
/// The length of one stretch, in characters: several small members, a larger one, or a part of a string. A long one at few places
/// takes fewer steps than short ones at many, and says more.
const STRETCH: usize = 2048;
/// A member has more bytes than this only if its length was estimated wrongly, and is then entered.
const STRETCH_BYTES: usize = 8 * STRETCH;
/// A word of up to this many bytes is not cut, because half a word counts too many tokens.
const WORD_BYTES: usize = 16;
/// A container inside more others is counted as a whole, which ends the recursion.
const MOST_LEVELS: usize = 64;

/// The estimated tokens of a value's JSON text.
pub(crate) fn tokens<S: Source>(value: &S, measure: Measure) -> Result<usize, Error> {
    Ok(Weighing { measure }.value("", value, &evenly(PLACES), 0)? as usize)
}

/// The estimated characters of a value's JSON text, to compare it with others; no text is read.
pub(crate) fn chars<S: Source>(value: &S) -> Result<usize, Error> {
    Ok(length_estimate::of(value, 64).chars as usize)
}

/// A member that was visited.
struct SampledMember {
    index: usize,
    length: Length,
    /// How many characters of the container it represents.
    share: f64,
}

struct Weighing {
    measure: Measure,
}

impl Weighing {
    /// The tokens of a value with the text before it, estimated from some places in it.
    fn value<S: Source>(&self, before: &str, value: &S, places: &[f64], level: usize) -> Result<f64, Error> {
        match value.kind() {
            Kind::String => self.text(before, value, level == 0),
            Kind::Array | Kind::Object if value.len() > 0 && level < MOST_LEVELS => {
                // Brackets share a token with the text around them, and so does the first member's comma.
                Ok(self.measure.count(before) as f64 - 1.0 + self.members(value, places, level)?)
            }
            _ => Ok(self.measure.count(&(before.to_owned() + &value.json()?)) as f64),
        }
    }

    fn members<S: Source>(&self, value: &S, places: &[f64], level: usize) -> Result<f64, Error> {
        let members = look(value, (ROOM * places.len() / PLACES).max(32))?;
        let is_all = members.len() == value.len();
        let shares: Vec<f64> = members.iter().map(|member| member.share).collect();
        let mut densities = 0.0;
        // The small members after each are read with it.
        let run = |nth: usize| if is_all { run(&members[nth..]) } else { 1 };
        let drawn: Vec<_> = along(&shares, places).into_iter().map(|(nth, within)| (nth, run(nth), within)).collect();
        let is_drawn = |at: usize| {
            drawn.iter().any(|(nth, run, _)| (members[*nth].index..members[*nth].index + run).contains(&at))
        };
        let entries: Vec<(usize, Entry<S>)> = numbered_entries(value, &is_drawn)?;
        for (nth, run, within) in &drawn {
            let tokens_a_char = self.density(value, &entries, &members[*nth..nth + run], within, level);
            densities += tokens_a_char * within.len() as f64;
        }
        Ok(shares.iter().sum::<f64>() * densities / places.len() as f64)
    }

    /// The tokens per character of some neighbours from `index` on. An unreadable member counts as average text;
    /// rendering reports its error if it is shown.
    fn density<S: Source>(
        &self,
        value: &S,
        entries: &[(usize, Entry<S>)],
        members: &[SampledMember],
        within: &[f64],
        level: usize,
    ) -> f64 {
        let index = members[0].index;
        let tokens_a_char = || {
            let items: Vec<(usize, Entry<S>)>;
            let read = match value.kind() {
                Kind::Object => {
                    let first = entries.partition_point(|(at, _)| *at < index);
                    &entries[first..entries.len().min(first + members.len())]
                }
                _ => {
                    let found = value.items(index, members.len())?;
                    items = (index..).zip(found.into_iter().map(|item| (String::new(), item))).collect();
                    &items[..]
                }
            };
            let chars = members[0].length.chars;
            if chars <= STRETCH as f64
                && let Some(tokens) = self.stretch(read)?
            {
                return Ok(tokens / members.iter().map(|member| member.length.chars).sum::<f64>());
            }
            let Some((_, (key, member))) = read.first() else { return Ok(0.0) };
            let mut before = String::new();
            add_before(key, &mut before);
            let in_text = member.in_text(AT_ONCE_BYTES);
            Ok(self.value(&before, in_text.as_ref().unwrap_or(member), within, level + 1)? / chars)
        };
        tokens_a_char().unwrap_or_else(|_: Error| 1.0 / 4.0)
    }

    /// The tokens of small members, each with its separator; `None` if one of them is not small.
    fn stretch<S: Source>(&self, members: &[(usize, Entry<S>)]) -> Result<Option<f64>, Error> {
        let mut text = String::new();
        for (_, (key, member)) in members {
            add_before(key, &mut text);
            let Some(json) = member.json_up_to(STRETCH_BYTES)? else { return Ok(None) };
            text += &json;
        }
        // At the seam to the next stretch are as many characters as a token between two members has.
        let seam: String = text.chars().take(3).collect();
        text += &seam;
        Ok(Some(self.measure.count(&text).saturating_sub(self.measure.count(&seam)) as f64))
    }

    /// The tokens of a string with the text before it. A long string is sampled: at both ends if it is the whole value,
    /// otherwise in the middle, because the strings of a list often begin and end alike.
    fn text<S: Source>(&self, before: &str, value: &S, is_whole: bool) -> Result<f64, Error> {
        let chars = value.chars();
        if chars <= STRETCH {
            return Ok(self.measure.count(&(before.to_owned() + &value.json()?)) as f64);
        }
        let text = match is_whole {
            true => value.slice(0, STRETCH / 2)? + &value.slice(chars - STRETCH / 2, STRETCH / 2)?,
            false => whole_words(&value.slice((chars - STRETCH) / 3, STRETCH)?).to_owned(),
        };
        let around = self.measure.count(&format!("{before}\"\"")) as f64;
        Ok(around + self.measure.count(&text) as f64 * chars as f64 / json_string::chars(&text) as f64)
    }
}

/// The entries of an object whose index is wanted, with their indices.
fn numbered_entries<S: Source>(value: &S, is_wanted: &dyn Fn(usize) -> bool) -> Result<Vec<(usize, Entry<S>)>, Error> {
    let mut indices = Vec::new();
    let entries = value.entries_where(&mut |at, _| {
        let is_it = is_wanted(at);
        indices.extend(is_it.then_some(at));
        is_it
    })?;
    Ok(indices.into_iter().zip(entries).collect())
}

/// Writes what is before a member that is not the first.
fn add_before(key: &str, to: &mut String) {
    to.push(',');
    if !key.is_empty() {
        to.push_str(key);
        to.push(':');
    }
}

/// Visits members: all of them; of many, some that are drawn with probability proportional to their rough length; of
/// very many items, some that are evenly spread.
fn look<S: Source>(value: &S, room: usize) -> Result<Vec<SampledMember>, Error> {
    let count = value.len();
    // Each that is drawn may visit 20 values.
    let most = (room / 20).max(8);
    let mut indices = match value.kind() {
        Kind::Array if count > NEAR => spread(count, FAR),
        _ => spread(count, NEAR),
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
    Ok(members.map(|((index, length), factor)| SampledMember { index, share: length.chars * factor, length }).collect())
}

/// `count` places from 0 to 1, evenly spread.
fn evenly(count: usize) -> Vec<f64> {
    (0..count).map(|nth| (nth as f64 + 0.5) / count as f64).collect()
}

/// Assigns places on a line from 0 to 1, in ascending order, to the parts of the line: each part with the places in it,
/// scaled to the part.
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

/// How many neighbours from the first on make one stretch.
fn run(members: &[SampledMember]) -> usize {
    let (mut run, mut chars) = (0, 0.0);
    for SampledMember { length, .. } in members {
        chars += length.chars;
        if run > 0 && (!length.is_all || chars > STRETCH as f64) {
            break;
        }
        run += 1;
    }
    run
}

/// The text without the incomplete words at its ends.
fn whole_words(text: &str) -> &str {
    let start = text.find(' ').filter(|&at| at <= WORD_BYTES).unwrap_or(0);
    let end = text.rfind(' ').filter(|&at| at > start && at + WORD_BYTES >= text.len()).unwrap_or(text.len());
    &text[start..end]
}
