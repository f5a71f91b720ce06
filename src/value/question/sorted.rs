//! Rows in the order of their sort keys.

use std::cmp::Ordering;
use std::ops::ControlFlow;

use crate::base::sorting;
use crate::base::work::{Going, Work};

use super::keyed::{Keyed, Reach};
use super::plain_texts::PlainTexts;
use super::rows::{NamedFields, QuestionError, QuestionRows};
use super::sort_key::SortKey;

/// Bytes that are held of a row: its number in the order, twice while it is sorted; and its place.
const PLACE_BYTES: usize = size_of::<u64>();
/// Bytes that are held of each of its keys on any machine; a list of as many as are not known in advance may hold three times
/// as much while it grows.
const KEY_BYTES: usize = 24;
const GROWING: usize = 3;

/// Rows, and the order in which their keys put them.
pub(crate) struct Sorted {
    /// Where the rows are, in the order of the text, if they are entries of an object.
    pub places: Vec<usize>,
    /// Their indices, sorted; rows with equal keys keep their order.
    pub order: Vec<u32>,
}

/// Sorts rows.
///
/// # Errors
/// A [`QuestionError`].
pub(crate) fn sort<'q>(
    rows: &QuestionRows<'_, '_>,
    sort: &'q [SortKey],
    work: &Work,
) -> Result<Sorted, QuestionError<'q>> {
    let mut named = NamedFields::default();
    let numbers: Vec<usize> = sort.iter().map(|key| named.number(&key.field)).collect();
    let (mut fields, text) = (named.search(), rows.text.span());
    let (mut places, mut keys, mut count) = (Vec::new(), Vec::new(), 0);
    let known = rows.known();
    if work.hold(known * (PLACE_BYTES + KEY_BYTES * numbers.len())).is_break() {
        return Err(QuestionError::Stopped);
    }
    keys.reserve_exact(known * numbers.len());
    let all = rows.visit(work, &mut |steps, place| {
        let end = fields.read(text, steps, place.value);
        work.step(end - place.member + fields.compared())?;
        if count >= known {
            work.hold(PLACE_BYTES + GROWING * KEY_BYTES * numbers.len())?;
        }
        count += 1;
        if place.member < place.value {
            work.hold(GROWING * PLACE_BYTES)?;
            places.push(place.member);
        }
        keys.extend(numbers.iter().map(|&field| {
            let (start, end) = fields.place(field).unwrap_or_default();
            Keyed::new(rows.text.counted_as(&text[start..end]))
        }));
        ControlFlow::Continue(end)
    });
    if all.is_break() {
        return Err(QuestionError::Stopped);
    }
    if let Some(unknown) = named.unknown(&fields).filter(|_| count > 0) {
        return Err(QuestionError::Unknown(unknown));
    }
    let order = order_by(&keys, sort, count, work)?;
    Ok(Sorted { places, order })
}

/// The indices of this many rows, sorted by their keys, which are those of one row after another.
pub(super) fn order_by(
    keys: &[Keyed<'_>],
    sort: &[SortKey],
    rows: usize,
    work: &Work,
) -> Result<Vec<u32>, QuestionError<'static>> {
    let ControlFlow::Continue(plain) = PlainTexts::of(keys, work) else { return Err(QuestionError::Stopped) };
    let keys = plain.in_place_of(keys);
    let of = |row: usize| &keys[row * sort.len()..(row + 1) * sort.len()];
    let order = order_within(rows, sort.len(), work, &|a, b, reach| {
        let pairs = of(a).iter().zip(of(b)).zip(sort);
        pairs.fold(Ordering::Equal, |order, ((a, b), key)| order.then_with(|| a.compare(b, key.is_descending, reach)))
    });
    match order {
        ControlFlow::Continue(order) => Ok(order),
        ControlFlow::Break(()) => Err(QuestionError::Stopped),
    }
}

/// The indices of this many items, sorted by an order in which two are compared by this many values; stops if that takes too much
/// work.
pub(super) fn order_within(
    items: usize,
    values: usize,
    work: &Work,
    compare: &dyn Fn(usize, usize, &Reach) -> Ordering,
) -> Going<Vec<u32>> {
    /// What a comparison takes, in addition to the bytes that are looked at.
    const COMPARED: usize = 3;
    /// So far two values are looked at in any case.
    const LEAST_REACH: usize = 32;
    let comparisons = items.saturating_mul(items.max(1).ilog2() as usize + 1);
    work.spend(comparisons.saturating_mul(COMPARED))?;
    let reach = Reach::new((work.left() / comparisons.saturating_mul(values).max(1)).max(LEAST_REACH));
    let order = sorting::small_order_of(items, &|a, b| compare(a, b, &reach));
    if reach.is_exceeded() {
        return work.stop();
    }
    work.spend(reach.spent())?;
    ControlFlow::Continue(order)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_with_escapes_are_read_once() {
        /// Units for each byte; each comparison that reads escapes again makes it 17.
        const MOST: u64 = 10;
        // Alike to their last characters.
        let text = |at: usize| format!("\"{}{:05}\"", r"\u0041".repeat(100), at * 7919 % 4096);
        let texts: Vec<String> = (0..4096).map(text).collect();
        let keys: Vec<Keyed<'_>> = texts.iter().map(|text| Keyed::new(text)).collect();
        let bytes = texts.iter().map(String::len).sum();
        let work = Work::over(bytes);
        let order = order_by(&keys, &[SortKey::parse("text").unwrap()], texts.len(), &work);
        assert!(order.is_ok_and(|order| order.windows(2).all(|two| texts[two[0] as usize] <= texts[two[1] as usize])));
        assert!(work.spent() < MOST * bytes as u64, "{} {bytes}", work.spent());
    }
}
