//! About how heavy a value is, told from a sample of it: tokens for receipts and envelopes, characters to
//! compare its parts.
//!
//! The sample goes as deep as the value does, and takes more where members differ more, so that the figure is
//! mostly within a tenth; the most that is read does not grow with the value. Which parts are read depends on
//! the value alone, so every face tells the same figure.

mod drawn;

use crate::error::Error;
use crate::literal;
use crate::measure::Measure;
use crate::source::{Entry, Kind, Source};
use drawn::{Drawn, Member, Members};

/// Members of arrays and objects that are read to estimate tokens, and to compare parts.
const MOST_READ: usize = 1024;
const MOST_COMPARED: usize = 64;
/// Characters of a string that are read: of one that is the whole value, and of one in it.
const TEXT_CHARS: usize = 2048;
const STRING_CHARS: usize = 144;
/// A word that is cut in two counts for more tokens than it has; a longer one is no word.
const WORD_BYTES: usize = 16;
/// What is taken for the length of a number or a word, where no text is read.
const UNREAD_CHARS: usize = 8;
/// So many keys of an object cost as much as a member that is read.
const KEYS_A_MEMBER: usize = 16;
/// What a member that has members of its own should have to be read with; at the least, and among like ones.
const LEAST_ROOM: usize = 4;
const FAIR_ROOM: usize = 24;
/// So many members are read whatever they are like; of more, some.
const FEW: usize = 40;
/// Of many members so many are drawn at first, and at least before they are taken for alike.
const FIRST_DRAWN: usize = 8;
const LEAST_DRAWN: usize = 24;
const MOST_DRAWN: usize = 2048;
/// Arrays of more items are not looked through for the larger of them.
const NEAR: usize = 512;
/// The relative standard error at which enough members were drawn; of parts among others, more.
const TOLERANCE: f64 = 0.12;
const MOST_TOLERANCE: f64 = 0.5;
const MOST_LEVELS: usize = 64;

/// About how many tokens a value's JSON text has.
pub(crate) fn tokens<S: Source>(value: &S, measure: Measure) -> Result<usize, Error> {
    let mut sample = Sample { runs: Some(Vec::new()), ..Sample::default() };
    sample.weigh(value, Room { members: MOST_READ, tolerance: TOLERANCE, level: 0 })?;
    let runs = sample.runs.unwrap_or_default();
    Ok(runs.iter().map(|run| measure.count(&run.text) as f64 * run.factor).sum::<f64>() as usize)
}

/// About how many characters a value's JSON text has, to compare it with others; no text of it is read.
pub(crate) fn chars<S: Source>(value: &S) -> Result<usize, Error> {
    let room = Room { members: MOST_COMPARED, tolerance: MOST_TOLERANCE, level: 1 };
    Ok(Sample::default().weigh(value, room)? as usize)
}

/// What the weighing of a value may cost, and how exact it is to be.
#[derive(Clone, Copy)]
struct Room {
    members: usize,
    tolerance: f64,
    level: usize,
}

impl Room {
    fn below(self, members: usize, tolerance: f64) -> Self {
        Self { members, tolerance: tolerance.min(MOST_TOLERANCE), level: self.level + 1 }
    }
}

/// A stretch of the sample, and of how many like it the value consists.
struct Run {
    text: String,
    factor: f64,
    /// Whether what is read next belongs to it.
    is_open: bool,
}

#[derive(Default)]
struct Sample {
    /// What was read, if it is to be counted.
    runs: Option<Vec<Run>>,
    /// Members that were read.
    read: usize,
    /// From how many containers members were drawn.
    draws: u32,
}

impl Sample {
    /// About how many characters a value's JSON text has.
    fn weigh<S: Source>(&mut self, value: &S, room: Room) -> Result<f64, Error> {
        let (brackets, entries) = match value.kind() {
            Kind::String => return self.text(value, room.level == 0),
            Kind::Array if value.len() > NEAR => (["[", "]"], None),
            Kind::Array => {
                let items = value.items(0, NEAR)?;
                (["[", "]"], Some(items.into_iter().map(|item| (String::new(), item)).collect()))
            }
            Kind::Object => (["{", "}"], Some(value.entries()?)),
            _ if self.runs.is_none() => return Ok(UNREAD_CHARS as f64),
            _ => {
                let json = value.json()?;
                self.push(&json);
                return Ok(json.len() as f64);
            }
        };
        self.push(brackets[0]);
        let chars = match entries {
            _ if room.level == MOST_LEVELS => 0.0,
            None => self.some(&Members::Far(value), room)?,
            Some(entries) => self.members(entries, room)?,
        };
        self.push(brackets[1]);
        Ok(chars + 2.0)
    }

    /// Members that are at hand: those without members of their own, then the others.
    fn members<S: Source>(&mut self, entries: Vec<Entry<S>>, room: Room) -> Result<f64, Error> {
        let before = self.read;
        self.read += entries.len() / KEYS_A_MEMBER;
        let is_deep = |(_, member): &Entry<S>| matches!(member.kind(), Kind::Array | Kind::Object);
        let (mut deep, light): (Vec<_>, Vec<_>) = entries.into_iter().partition(is_deep);
        let mut chars = match light.len() <= FEW.max(room.members / LEAST_ROOM) {
            true => self.all(&light, room)?,
            false => self.some(&Members::near(light), room)?,
        };
        if deep.is_empty() {
            return Ok(chars);
        }
        if chars > 0.0 {
            self.push(",");
        }
        let left = Room { members: room.members.saturating_sub(self.read - before), ..room };
        chars += match deep.len() <= FEW && deep.len() * LEAST_ROOM <= left.members {
            true => {
                // What small ones leave of the room is for the larger.
                if deep.len() > 1 {
                    deep.sort_by_cached_key(|(_, member)| member.len());
                }
                self.all(&deep, left)?
            }
            false => self.some(&Members::near(deep), left)?,
        };
        Ok(chars)
    }

    fn all<S: Source>(&mut self, entries: &[Entry<S>], room: Room) -> Result<f64, Error> {
        let (before, mut chars) = (self.read, 0.0);
        for (nth, (key, member)) in entries.iter().enumerate() {
            self.push(if nth > 0 { "," } else { "" });
            let share = room.members.saturating_sub(self.read - before) / (entries.len() - nth);
            chars += self.member(key, member, room.below(share, room.tolerance))?;
        }
        Ok(chars)
    }

    /// Some members, more of them the more they differ, each drawn as likely as its share is large.
    fn some<S: Source>(&mut self, members: &Members<'_, S>, room: Room) -> Result<f64, Error> {
        let (before, count) = (self.read, members.count());
        let mut goal = (room.members / FAIR_ROOM).clamp(1, FIRST_DRAWN).min(count);
        self.draws += 1;
        let mut drawn = Drawn::new(self.draws);
        self.close();
        loop {
            while drawn.draws < goal {
                let (index, share) = members.at(drawn.next_place());
                if drawn.again(index) {
                    continue;
                }
                let Some((key, member)) = members.get(index)? else { continue };
                let left = room.members.saturating_sub(self.read - before);
                let below = room.below(left / (goal + 1 - drawn.draws) / 2, room.tolerance * (goal as f64).sqrt());
                // Neighbours that stand for as many others are counted as one text.
                let is_alike = drawn.members.last().is_some_and(|last| last.share == share);
                let runs = if is_alike { self.count_runs().saturating_sub(1) } else { self.close() };
                self.push(if is_alike { "," } else { "" });
                let chars = self.member(&key, &member, below)?;
                drawn.members.push(Member { index, share, chars, times: 1, runs: runs..self.count_runs() });
            }
            let error = drawn.error(count);
            let used = (self.read - before).max(1);
            let affordable = room.members.saturating_sub(used) * drawn.draws / used;
            let is_enough = drawn.is_all(count) || (drawn.draws >= LEAST_DRAWN && error <= room.tolerance);
            if is_enough || affordable == 0 || drawn.draws > MOST_DRAWN {
                break;
            }
            goal = drawn.draws + (drawn.draws / 4 + 1).min(affordable);
        }
        self.close();
        let mut scaled = 0;
        for member in &drawn.members {
            let factor = drawn.factor(member, count);
            for run in self.runs.iter_mut().flat_map(|runs| &mut runs[scaled.max(member.runs.start)..member.runs.end]) {
                run.factor *= factor;
            }
            scaled = member.runs.end;
        }
        Ok(drawn.members.iter().map(|member| member.chars * drawn.factor(member, count)).sum())
    }

    fn member<S: Source>(&mut self, key: &str, member: &S, room: Room) -> Result<f64, Error> {
        self.read += 1;
        if key.is_empty() {
            return Ok(1.0 + self.weigh(member, room)?);
        }
        self.push(key);
        self.push(":");
        Ok(key.len() as f64 + 2.0 + self.weigh(member, room)?)
    }

    /// The characters of a string with its quotes. Of a long one some are read: the ends of one that is the
    /// whole value, and words from the midst of one in it, since those often begin and end alike.
    fn text<S: Source>(&mut self, value: &S, is_whole: bool) -> Result<f64, Error> {
        let chars = value.chars();
        if self.runs.is_some() {
            self.push("\"");
            let most = if is_whole { TEXT_CHARS } else { STRING_CHARS };
            if chars <= most {
                self.push(&value.slice(0, chars)?);
            } else {
                let text = match is_whole {
                    true => value.slice(0, most / 2)? + &value.slice(chars - most / 2, most / 2)?,
                    false => whole_words(&value.slice((chars - most) / 3, most)?).to_owned(),
                };
                let factor = chars as f64 / literal::chars(&text) as f64;
                self.close();
                if let Some(runs) = &mut self.runs {
                    runs.push(Run { text, factor, is_open: false });
                }
            }
            self.push("\"");
        }
        Ok((chars + 2) as f64)
    }

    fn push(&mut self, text: &str) {
        let Some(runs) = &mut self.runs else { return };
        match runs.last_mut() {
            Some(run) if run.is_open => run.text.push_str(text),
            _ => runs.push(Run { text: text.to_owned(), factor: 1.0, is_open: true }),
        }
    }

    fn count_runs(&self) -> usize {
        self.runs.as_ref().map_or(0, Vec::len)
    }

    /// Ends the run that is open; gives the number of runs.
    fn close(&mut self) -> usize {
        let Some(runs) = &mut self.runs else { return 0 };
        if let Some(run) = runs.last_mut() {
            run.is_open = false;
        }
        runs.len()
    }
}

/// A stretch of text without what is cut off of a word at its ends.
fn whole_words(text: &str) -> &str {
    let start = text.find(' ').filter(|&at| at <= WORD_BYTES).unwrap_or(0);
    let end = text.rfind(' ').filter(|&at| at > start && at + WORD_BYTES >= text.len()).unwrap_or(text.len());
    &text[start..end]
}
