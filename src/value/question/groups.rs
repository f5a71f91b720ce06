//! Rows in groups of equal fields, and what each group comes to. Without fields, all rows are one group.

use std::ops::ControlFlow;

use toolshape_json::{Interned, InternedPairs};

use crate::base::field_path::FieldPath;
use crate::base::sorting;
use crate::base::work::{Going, Work};
use crate::value::json_path::Tester;
use crate::value::json_text::JsonText;

use super::aggregate::Aggregate;
use super::keyed::{Keyed, Rank};
use super::one_spelling::one_spelling;
use super::rows::{NamedFields, QuestionError, QuestionRows};
use super::sort_key::SortKey;
use super::sorted::order_by;
use super::tally::{self, Others, Tally, VALUE_BYTES};

/// Bytes that are held of a group for each of its fields.
const KEY_BYTES: usize = 40;
/// The name of the number of rows.
const COUNT: &str = "count";

/// The groups of some rows.
pub(crate) struct Groups<'q, 't> {
    fields: &'q [FieldPath],
    tallies: Vec<Tally<'q, 't>>,
    /// The values of each field; the empty text is a field that is missing.
    values: Vec<Interned<'t>>,
    /// Of each group the number of each field's value.
    keys: Vec<u32>,
    /// How many rows each group has.
    counts: Vec<u64>,
    /// Fields that filters look at and no row has.
    unmet: Vec<&'q str>,
}

/// What is asked for, and what the pass over the rows keeps.
struct Pass<'q, 't> {
    groups: Groups<'q, 't>,
    numbers: Vec<usize>,
    /// For each field after the first, the groups by the fields up to it.
    pairs: Vec<InternedPairs>,
}

impl<'q, 't> Groups<'q, 't> {
    /// Reads all rows. `seed` depends on the whole text, so that none can be made whose values are slow to tell apart.
    ///
    /// # Errors
    /// A [`QuestionError`].
    pub fn read(
        rows: &QuestionRows<'_, 't>,
        fields: &'q [FieldPath],
        aggregates: &'q [Aggregate],
        seed: u64,
        work: &Work,
    ) -> Result<Self, QuestionError<'q>> {
        let mut named = NamedFields::default();
        let numbers = fields.iter().map(|field| named.number(field)).collect();
        let tallies =
            aggregates.iter().map(|aggregate| Tally::new(aggregate, &mut named, !fields.is_empty(), seed)).collect();
        let values = fields.iter().map(|_| Interned::new(seed, one_spelling)).collect();
        let groups = Self { fields, tallies, values, keys: Vec::new(), counts: Vec::new(), unmet: Vec::new() };
        let pairs = fields.iter().skip(1).map(|_| InternedPairs::new(seed)).collect();
        let mut pass = Pass { groups, numbers, pairs };
        if fields.is_empty() && pass.add_group(work).is_break() {
            return Err(QuestionError::Stopped);
        }
        let (mut found, text) = (named.search(), rows.text.span());
        let tester = Tester::new(rows.text, work);
        let (mut fault, mut has_rows) = (tally::TallyError::Stopped, false);
        let all = rows.visit(work, &mut |steps, place| {
            has_rows = true;
            let end = found.read(text, steps, place.value);
            work.step(end - place.member + found.compared())?;
            let group = pass.group(text, &found, work)?;
            pass.groups.counts[group] += 1;
            for tally in &mut pass.groups.tallies {
                if let ControlFlow::Break(why) = tally.add(group, place.value, rows.text, &found, &tester, work) {
                    fault = why;
                    return ControlFlow::Break(());
                }
            }
            ControlFlow::Continue(end)
        });
        if all.is_break() {
            return Err(match fault {
                tally::TallyError::Stopped => QuestionError::Stopped,
                tally::TallyError::TooFar(field) => QuestionError::TooFar(field),
            });
        }
        if let Some(unknown) = named.unknown(&found).filter(|_| has_rows) {
            return Err(QuestionError::Unknown(unknown));
        }
        let mut groups = pass.groups;
        if has_rows {
            groups.unmet = named.mentioned_in_vain(&found);
        }
        let count = groups.counts.len();
        match groups.tallies.iter_mut().try_for_each(|tally| tally.end(count, work)) {
            ControlFlow::Continue(()) => Ok(groups),
            ControlFlow::Break(()) => Err(QuestionError::Stopped),
        }
    }

    pub fn len(&self) -> usize {
        self.counts.len()
    }

    /// The names of a group's columns: its fields, the number of its rows, and its aggregates. Without fields, the aggregates
    /// alone.
    pub fn columns(&self) -> Vec<&'q str> {
        let count = (!self.fields.is_empty()).then_some(COUNT);
        let own = self.own_tallies().map(|tally| tally.aggregate.written.as_str());
        self.fields.iter().map(FieldPath::written).chain(count).chain(own).collect()
    }

    /// The tallies beside the number of rows that every group shows.
    fn own_tallies(&self) -> impl Iterator<Item = &Tally<'q, 't>> {
        self.tallies.iter().filter(|tally| self.fields.is_empty() || tally.aggregate.written != COUNT)
    }

    /// The JSON text of a column of a group; `None` for a field that its rows lack.
    pub fn cell(&self, group: usize, column: usize) -> Option<String> {
        let fields = self.fields.len();
        if column < fields {
            let json = self.values[column].spelled(self.keys[group * fields + column]);
            return (!json.is_empty()).then(|| json.to_owned());
        }
        let rows = self.counts[group];
        match column - fields {
            0 if fields > 0 => Some(rows.to_string()),
            tally => Some(self.own_tallies().nth(tally - usize::from(fields > 0))?.cell(group, rows)),
        }
    }

    /// Fields that filters look at and no row has, so that they may be misspelled.
    pub fn unmet(&self) -> &[&'q str] {
        &self.unmet
    }

    /// The fields of which numbers are asked, and what else they had; each field once.
    pub fn not_numbers(&self) -> Vec<(&'q str, Vec<Kind>)> {
        let others = self.tallies.iter().filter_map(Tally::others).filter(|(.., of_numbers)| *of_numbers);
        once(others.map(|(field, others, _)| (field, others.kinds().collect())))
    }

    /// The other fields, and how often they had nothing; each field once.
    pub fn no_values(&self) -> Vec<(&'q str, Vec<Kind>)> {
        let others = self.tallies.iter().filter_map(Tally::others);
        let of_tallies = others.map(|(field, others, _)| (field, others.nothing().collect()));
        let of_keys =
            (0..self.fields.len()).map(|at| (self.fields[at].written(), self.no_keys(at).nothing().collect()));
        let numbers = self.not_numbers();
        let mut all = once(of_keys.chain(of_tallies));
        all.retain(|(field, _)| numbers.iter().all(|(known, _)| known != field));
        all
    }

    /// How many rows have which values of a field of the groups that are nothing.
    fn no_keys(&self, field: usize) -> Others {
        let mut others = Others::default();
        for (keys, &rows) in self.keys.chunks(self.fields.len()).zip(&self.counts) {
            let json = self.values[field].spelled(keys[field]);
            others.note(json, Rank::of(json), rows);
        }
        others
    }

    /// The groups of `text` in the order of sort keys, each of which is a column; without any, the largest come first. Groups that are
    /// equal in it are as their first rows do.
    ///
    /// # Errors
    /// The number of the sort key that is not a column, or none where it takes too much work.
    pub fn order(&self, text: &JsonText<'_>, sort: &[SortKey], work: &Work) -> Result<Vec<u32>, Option<usize>> {
        if sort.is_empty() {
            return Ok(sorting::small_order_of(self.len(), &|a, b| self.counts[b].cmp(&self.counts[a])));
        }
        let columns = self.columns();
        let mut wanted = Vec::new();
        for (at, key) in sort.iter().enumerate() {
            let column = columns.iter().position(|column| *column == key.field.written());
            wanted.push(column.ok_or(Some(at))?);
        }
        let mut cells = Vec::with_capacity(self.len() * wanted.len());
        for group in 0..self.len() {
            for &column in &wanted {
                let cell = self.cell(group, column).unwrap_or_default();
                if work.hold(cell.len() + 2 * size_of::<Keyed<'_>>()).is_break() {
                    return Err(None);
                }
                cells.push(cell);
            }
        }
        let keys: Vec<Keyed<'_>> = cells.iter().map(|cell| Keyed::new(text.counted_as(cell))).collect();
        order_by(&keys, sort, self.len(), work).map_err(|_| None)
    }
}

/// A kind of values, and how many rows have it.
type Kind = (&'static str, u64);

/// Fields that have any kinds, each once.
fn once<'q>(all: impl Iterator<Item = (&'q str, Vec<Kind>)>) -> Vec<(&'q str, Vec<Kind>)> {
    let mut fields: Vec<(&'q str, Vec<Kind>)> = Vec::new();
    for (field, kinds) in all {
        if !kinds.is_empty() && fields.iter().all(|(known, _)| *known != field) {
            fields.push((field, kinds));
        }
    }
    fields
}

impl<'t> Pass<'_, 't> {
    /// The group of the row whose fields were read last.
    fn group(&mut self, text: &'t str, found: &toolshape_json::Fields, work: &Work) -> Going<usize> {
        let mut group = 0;
        for (at, &field) in self.numbers.iter().enumerate() {
            let (start, end) = found.place(field).unwrap_or_default();
            let values = &mut self.groups.values[at];
            let known = values.len();
            let value = values.number(&text[start..end]);
            if values.len() > known {
                work.hold(VALUE_BYTES)?;
            }
            group = match at.checked_sub(1) {
                None => value,
                Some(pair) => self.pairs[pair].number((group, value)).0,
            };
            self.groups.keys.push(value);
        }
        let count = self.numbers.len();
        if group as usize == self.groups.counts.len() {
            self.add_group(work)?;
        } else if count > 0 {
            // They are those of its first row.
            self.groups.keys.truncate(self.groups.keys.len() - count);
        }
        ControlFlow::Continue(group as usize)
    }

    fn add_group(&mut self, work: &Work) -> Going {
        self.groups.counts.push(0);
        work.hold(self.numbers.len() * KEY_BYTES)?;
        self.groups.tallies.iter_mut().try_for_each(|tally| tally.add_group(work))
    }
}
