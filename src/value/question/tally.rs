//! What one aggregate has come to so far, for each group.

use std::ops::ControlFlow;

use toolshape_json::{Fields, Interned, InternedPairs, Sum, TooFar};

use crate::base::field_path::FieldPath;
use crate::base::work::{Going, Work};
use crate::value::json_path::{Filter, Known, Tester};
use crate::value::json_text::JsonText;

use super::aggregate::{Aggregate, Function, Measured};
use super::keyed::{Keyed, Rank, Reach};
use super::long_list::LongList;
use super::one_spelling::one_spelling;
use super::rows::NamedFields;
use super::sorted::order_within;

/// The digits of a mean, at most; those before the point are all kept.
const MEAN_DIGITS: usize = 17;
/// Bytes that are held of a value that was not met before, and of a pair of a group and such a value.
pub(super) const VALUE_BYTES: usize = 64;
const PAIR_BYTES: usize = 40;
/// Bytes that are held of a number for a median, with its place in their order, and of its group.
const NUMBER_BYTES: usize = 24 + 8;
const GROUP_BYTES: usize = 4;

/// What is nothing: null, a field that a row lacks, an empty text.
const NOTHING: [&str; 3] = ["null", "missing", "empty"];
/// The JSON text of an empty text.
const EMPTY: &str = "\"\"";

/// How often a field had something else than what is asked for: no number, or nothing.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Others {
    counts: [u64; Rank::COUNT],
    /// Empty texts, which are among the texts as well.
    empty: u64,
}

impl Others {
    /// Notes this many rows with a value.
    pub(super) fn note(&mut self, json: &str, rank: Rank, rows: u64) {
        self.counts[rank as usize] += rows;
        if json == EMPTY {
            self.empty += rows;
        }
    }

    /// Of them those that are nothing, each with its count.
    pub fn nothing(&self) -> impl Iterator<Item = (&'static str, u64)> {
        self.kinds().take_while(|(kind, _)| NOTHING.contains(kind))
    }

    /// The kinds that there were, each with its count; those that are nothing first.
    pub fn kinds(&self) -> impl Iterator<Item = (&'static str, u64)> {
        let of = |ranks: &[Rank]| ranks.iter().map(|&rank| self.counts[rank as usize]).sum::<u64>();
        let [null, missing, empty] = NOTHING;
        let kinds = [
            (null, of(&[Rank::Null])),
            (missing, of(&[Rank::Missing])),
            (empty, self.empty),
            ("string", of(&[Rank::Text]) - self.empty),
            ("boolean", of(&[Rank::False, Rank::True])),
            ("array", of(&[Rank::Array])),
            ("object", of(&[Rank::Object])),
        ];
        kinds.into_iter().filter(|(_, count)| *count > 0)
    }
}

/// The least or greatest number so far, and the least or greatest text.
type Best<'t> = (Option<Keyed<'t>>, Option<Keyed<'t>>);

/// An aggregate of all groups.
pub(super) struct Tally<'q, 't> {
    pub aggregate: &'q Aggregate,
    of: Of<'q, 't>,
    others: Others,
}

enum Of<'q, 't> {
    Rows,
    Passing {
        filter: &'q Filter,
        /// The numbers of the fields that it looks at.
        numbers: Vec<usize>,
        counts: Vec<u64>,
    },
    Field {
        field: usize,
        path: &'q FieldPath,
        came_to: CameTo<'t>,
    },
}

enum CameTo<'t> {
    Count(Vec<u64>),
    /// The sum of the numbers and how many there are.
    Sum {
        numbers: Vec<(Sum, u64)>,
        is_mean: bool,
    },
    /// The numbers, and the group of each if there are several. Once all are known they have an order, in which each group
    /// has the place of its first.
    Median {
        numbers: LongList<Keyed<'t>>,
        groups: Option<LongList<u32>>,
        order: Vec<u32>,
        starts: Vec<usize>,
    },
    Best {
        best: Vec<Best<'t>>,
        is_max: bool,
        has_numbers: bool,
    },
    Distinct {
        values: Interned<'t>,
        pairs: Option<InternedPairs>,
        counts: Vec<u64>,
    },
}

/// Why a tally cannot go on.
pub(super) enum TallyError<'q> {
    Stopped,
    TooFar(&'q FieldPath),
}

impl<'q, 't> Tally<'q, 't> {
    pub fn new(aggregate: &'q Aggregate, named: &mut NamedFields<'q>, is_grouped: bool, seed: u64) -> Self {
        let of = match &aggregate.measured {
            Measured::Rows => Of::Rows,
            Measured::Passing(filter) => {
                let numbers = filter.paths.iter().map(|path| named.mention(path)).collect();
                Of::Passing { filter, numbers, counts: Vec::new() }
            }
            Measured::Field(function, path) => {
                let came_to = match function {
                    Function::Count => CameTo::Count(Vec::new()),
                    Function::Sum | Function::Mean => {
                        CameTo::Sum { numbers: Vec::new(), is_mean: *function == Function::Mean }
                    }
                    Function::Median => {
                        let groups = is_grouped.then(LongList::new);
                        CameTo::Median { numbers: LongList::new(), groups, order: Vec::new(), starts: Vec::new() }
                    }
                    Function::Min | Function::Max => {
                        CameTo::Best { best: Vec::new(), is_max: *function == Function::Max, has_numbers: false }
                    }
                    Function::Distinct => CameTo::Distinct {
                        values: Interned::new(seed, one_spelling),
                        pairs: is_grouped.then(|| InternedPairs::new(seed)),
                        counts: Vec::new(),
                    },
                };
                Of::Field { field: named.number(path), path, came_to }
            }
        };
        Self { aggregate, of, others: Others::default() }
    }

    /// Makes room for one more group.
    pub fn add_group(&mut self, work: &Work) -> Going {
        let bytes = match &mut self.of {
            Of::Rows => 0,
            Of::Passing { counts, .. }
            | Of::Field { came_to: CameTo::Count(counts) | CameTo::Distinct { counts, .. }, .. } => {
                counts.push(0);
                size_of::<u64>()
            }
            Of::Field { came_to: CameTo::Sum { numbers, .. }, .. } => {
                numbers.push((Sum::default(), 0));
                size_of::<(Sum, u64)>()
            }
            Of::Field { came_to: CameTo::Median { .. }, .. } => size_of::<usize>(),
            Of::Field { came_to: CameTo::Best { best, .. }, .. } => {
                best.push((None, None));
                size_of::<Best<'_>>()
            }
        };
        work.hold(bytes)
    }

    /// Takes the row whose fields were read last, and which begins at `start`, into a group.
    pub fn add(
        &mut self,
        group: usize,
        start: usize,
        text: &JsonText<'t>,
        fields: &Fields,
        tester: &Tester<'_, 't>,
        work: &Work,
    ) -> ControlFlow<TallyError<'q>> {
        let going = match &mut self.of {
            Of::Rows => ControlFlow::Continue(()),
            Of::Passing { filter, numbers, counts } => match tester.passes(filter, start, Known { fields, numbers }) {
                ControlFlow::Continue(passes) => {
                    counts[group] += u64::from(passes);
                    ControlFlow::Continue(())
                }
                ControlFlow::Break(()) => ControlFlow::Break(()),
            },
            Of::Field { field, path, came_to } => {
                let (from, to) = fields.place(*field).unwrap_or_default();
                let json = &text.span()[from..to];
                let json = if came_to.is_of_values() { json } else { text.counted_as(json) };
                let rank = Rank::of(json);
                match came_to.add(group, json, rank, work) {
                    Ok(Taken::Yes) if json == EMPTY || rank >= Rank::Null => {
                        self.others.note(json, rank, 1);
                        ControlFlow::Continue(())
                    }
                    Ok(Taken::Yes) => ControlFlow::Continue(()),
                    Ok(Taken::NotNumbers) => {
                        self.others.note(json, rank, 1);
                        ControlFlow::Continue(())
                    }
                    Ok(Taken::Stopped) => ControlFlow::Break(()),
                    Err(TooFar) => return ControlFlow::Break(TallyError::TooFar(path)),
                }
            }
        };
        going.map_break(|()| TallyError::Stopped)
    }

    /// Ends the tally of this many groups, once all rows were taken.
    pub fn end(&mut self, groups: usize, work: &Work) -> Going {
        if let Of::Field { came_to: CameTo::Median { numbers, groups: of, order, starts }, .. } = &mut self.of {
            let group = |number: usize| of.as_ref().map_or(0, |of| of.get(number));
            *order = order_within(numbers.len(), 1, work, &|a, b, reach| {
                group(a).cmp(&group(b)).then_with(|| numbers.get(a).compare(&numbers.get(b), false, reach))
            })?;
            let first = |of: usize| order.partition_point(|&number| (group(number as usize) as usize) < of);
            starts.extend((0..=groups).map(first));
        }
        ControlFlow::Continue(())
    }

    /// What a group of this many rows came to, as JSON.
    pub fn cell(&self, group: usize, rows: u64) -> String {
        match &self.of {
            Of::Rows => rows.to_string(),
            Of::Passing { counts, .. } => counts[group].to_string(),
            Of::Field { came_to, .. } => came_to.cell(group).unwrap_or_else(|| "null".to_owned()),
        }
    }

    /// The field that is measured, what it had that is not what is asked for, and whether that is numbers. Counts, different
    /// values, and least and greatest texts are not of numbers.
    pub fn others(&self) -> Option<(&'q str, &Others, bool)> {
        match &self.of {
            Of::Rows | Of::Passing { .. } => None,
            Of::Field { path, came_to, .. } => {
                let of_numbers = !matches!(
                    came_to,
                    CameTo::Count(_) | CameTo::Distinct { .. } | CameTo::Best { has_numbers: false, .. }
                );
                Some((path.written(), &self.others, of_numbers))
            }
        }
    }
}

/// Whether a value was taken into account.
enum Taken {
    Yes,
    NotNumbers,
    Stopped,
}

impl<'t> CameTo<'t> {
    /// Whether it counts values, whatever they spell.
    fn is_of_values(&self) -> bool {
        matches!(self, Self::Count(_) | Self::Distinct { .. })
    }

    fn add(&mut self, group: usize, json: &'t str, rank: Rank, work: &Work) -> Result<Taken, TooFar> {
        let is_there = rank < Rank::Null;
        match self {
            Self::Count(counts) => counts[group] += u64::from(is_there),
            Self::Distinct { values, pairs, counts } if is_there => {
                let known = values.len();
                let value = values.number(json);
                let is_new_value = values.len() > known;
                let is_new = pairs.as_mut().map_or(is_new_value, |pairs| pairs.number((group as u32, value)).1);
                counts[group] += u64::from(is_new);
                let held =
                    if is_new_value { VALUE_BYTES } else { 0 } + if is_new && pairs.is_some() { PAIR_BYTES } else { 0 };
                if held > 0 && work.hold(held).is_break() {
                    return Ok(Taken::Stopped);
                }
            }
            Self::Distinct { .. } => {}
            Self::Best { best, is_max, has_numbers } if matches!(rank, Rank::Number | Rank::Text) => {
                let new = Keyed::new(json);
                let (number, text) = &mut best[group];
                let best = if rank == Rank::Number { number } else { text };
                *has_numbers |= rank == Rank::Number;
                if work.spend(best.map_or(0, |best| best.json.len().min(json.len()))).is_break() {
                    return Ok(Taken::Stopped);
                }
                // Of equal values the first stays, and an empty text only where there is no other.
                let is_better = best.is_none_or(|best| match (best.json == EMPTY, json == EMPTY) {
                    (false, false) => new.compare(&best, *is_max, &Reach::new(usize::MAX)).is_lt(),
                    (was_empty, is_empty) => was_empty && !is_empty,
                });
                if is_better {
                    *best = Some(new);
                }
                return Ok(if rank == Rank::Text { Taken::NotNumbers } else { Taken::Yes });
            }
            _ if rank != Rank::Number => return Ok(Taken::NotNumbers),
            Self::Sum { numbers, .. } => {
                let (sum, count) = &mut numbers[group];
                let limbs = sum.limbs();
                sum.add(json)?;
                *count += 1;
                if sum.limbs() > limbs && work.hold(4 * size_of::<u64>() * (sum.limbs() - limbs)).is_break() {
                    return Ok(Taken::Stopped);
                }
            }
            Self::Median { numbers, groups, .. } => {
                let held = NUMBER_BYTES + if groups.is_some() { GROUP_BYTES } else { 0 };
                if work.hold(held).is_break() {
                    return Ok(Taken::Stopped);
                }
                numbers.push(Keyed::new(json));
                if let Some(groups) = groups {
                    groups.push(group as u32);
                }
            }
            Self::Best { .. } => {}
        }
        Ok(Taken::Yes)
    }

    fn cell(&self, group: usize) -> Option<String> {
        match self {
            Self::Count(counts) | Self::Distinct { counts, .. } => Some(counts[group].to_string()),
            Self::Sum { numbers, is_mean } => {
                let (sum, count) = &numbers[group];
                (*count > 0).then(|| if *is_mean { sum.divided(*count, MEAN_DIGITS) } else { sum.spelled() })
            }
            Self::Median { numbers, order, starts, .. } => {
                let order = &order[starts[group]..starts[group + 1]];
                let upper = numbers.get(*order.get(order.len() / 2)? as usize);
                let lower = numbers.get(order[(order.len() - 1) / 2] as usize);
                if lower.json == upper.json {
                    return Some(lower.json.to_owned());
                }
                let mut sum = Sum::default();
                let both = [lower.json, upper.json].into_iter().try_for_each(|number| sum.add(number));
                // Numbers with this many digits have no half that could be written: the lower one is a median as well.
                Some(both.map_or_else(|TooFar| lower.json.to_owned(), |()| sum.divided(2, usize::MAX)))
            }
            Self::Best { best, has_numbers, .. } => {
                let (number, text) = best[group];
                Some(if *has_numbers { number } else { text }?.json.to_owned())
            }
        }
    }
}
