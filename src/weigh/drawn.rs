//! Members drawn from a container, spread evenly over it, and how all of them follow from those.

use std::ops::Range;

use crate::error::Error;
use crate::source::{Entry, Source};

/// Length of what has no members.
const LEAST_LENGTH: usize = 8;
/// The golden ratio in 32 bits: its multiples are spread evenly.
const GOLDEN: u32 = 0x9E37_79B9;

/// Members of one container of which one may stand for others.
pub(super) enum Members<'v, S> {
    /// At hand; each is taken to have a share of them all by its length as seen from outside. The sums of the
    /// lengths up to and with each.
    Near(Vec<Entry<S>>, Vec<usize>),
    Far(&'v S),
}

impl<S: Source> Members<'_, S> {
    pub fn near(entries: Vec<Entry<S>>) -> Self {
        let sums = entries.iter().scan(0, |sum, (_, member)| {
            *sum += LEAST_LENGTH + member.len();
            Some(*sum)
        });
        let sums = sums.collect();
        Self::Near(entries, sums)
    }

    pub fn count(&self) -> usize {
        match self {
            Self::Near(entries, _) => entries.len(),
            Self::Far(array) => array.len(),
        }
    }

    /// The member at a place on a line from 0 to 1 along which each has its share; its index, and its share.
    pub fn at(&self, place: f64) -> (usize, f64) {
        let Self::Near(_, sums) = self else {
            let count = self.count();
            return (((place * count as f64) as usize).min(count - 1), 1.0 / count as f64);
        };
        let all = sums[sums.len() - 1];
        let reached = ((place * all as f64) as usize).min(all - 1);
        let at = sums.partition_point(|&sum| sum <= reached);
        let before = if at > 0 { sums[at - 1] } else { 0 };
        (at, (sums[at] - before) as f64 / all as f64)
    }

    pub fn get(&self, index: usize) -> Result<Option<Entry<S>>, Error> {
        match self {
            Self::Near(entries, _) => Ok(entries.get(index).cloned()),
            Self::Far(array) => Ok(array.items(index, 1)?.pop().map(|item| (String::new(), item))),
        }
    }
}

/// A member that was drawn.
pub(super) struct Member {
    pub index: usize,
    pub share: f64,
    pub chars: f64,
    /// How often it was drawn.
    pub times: usize,
    /// Which runs tell of it.
    pub runs: Range<usize>,
}

/// Members drawn from a container.
pub(super) struct Drawn {
    pub members: Vec<Member>,
    pub draws: usize,
    /// Where on the line the first draw falls; each time elsewhere, so that not always the first are read.
    start: u32,
}

impl Drawn {
    /// None yet, of the `nth` container that members are drawn from.
    pub fn new(nth: u32) -> Self {
        Self { members: Vec::new(), draws: 0, start: nth.wrapping_mul(GOLDEN) }
    }

    /// The next place on a line from 0 to 1, so that all of them, however many, are spread evenly: numbers with
    /// their bits reversed (J. G. van der Corput, Verteilungsfunktionen, 1935).
    pub fn next_place(&mut self) -> f64 {
        let place = (self.draws as u32).reverse_bits().wrapping_add(self.start);
        self.draws += 1;
        f64::from(place) / 2f64.powi(32)
    }

    /// Whether a member was drawn before, which then counts once more.
    pub fn again(&mut self, index: usize) -> bool {
        let known = self.members.iter_mut().find(|known| known.index == index);
        known.map(|known| known.times += 1).is_some()
    }

    pub fn is_all(&self, count: usize) -> bool {
        self.members.len() == count
    }

    /// Of how many like it all `count` members consist, as a member tells.
    pub fn factor(&self, member: &Member, count: usize) -> f64 {
        match self.is_all(count) {
            true => 1.0,
            false => member.times as f64 / self.draws as f64 / member.share,
        }
    }

    /// The relative standard error of what the members tell of all `count`.
    pub fn error(&self, count: usize) -> f64 {
        let draws = self.draws as f64;
        if draws < 2.0 {
            return f64::INFINITY;
        }
        let mean = self.members.iter().map(|one| one.chars / one.share * one.times as f64).sum::<f64>() / draws;
        let square = |one: &Member| (one.chars / one.share - mean).powi(2) * one.times as f64;
        let unseen = 1.0 - self.members.len() as f64 / count as f64;
        (self.members.iter().map(square).sum::<f64>() * unseen / (draws * (draws - 1.0))).sqrt() / mean
    }
}
