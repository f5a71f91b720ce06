//! Rows in the order of their sort keys.

use std::ops::ControlFlow;

use crate::base::sorting;
use crate::base::work::Work;

use super::keyed::Keyed;
use super::rows::{Fault, Named, Rows};
use super::sort_key::SortKey;

/// Bytes that are held of a row: its place, its number in the order and while that is made, and each of its keys, with what
/// their list holds while it grows.
const ROW_BYTES: usize = 24;
const KEY_BYTES: usize = 56;

/// Rows, and the order in which their keys put them.
pub(crate) struct Sorted {
    /// Where the rows are, in the order of the text, if they are entries of an object.
    pub places: Vec<usize>,
    /// Their indices, sorted; rows with equal keys keep their order.
    pub order: Vec<usize>,
}

/// Sorts rows.
///
/// # Errors
/// A [`Fault`].
pub(crate) fn sort<'q>(rows: &Rows<'_, '_>, sort: &'q [SortKey], work: &Work) -> Result<Sorted, Fault<'q>> {
    let mut named = Named::default();
    let numbers: Vec<usize> = sort.iter().map(|key| named.number(&key.field)).collect();
    let (mut fields, text) = (named.search(), rows.text.span());
    let (mut places, mut keys, mut count) = (Vec::new(), Vec::new(), 0);
    let all = rows.visit(work, &mut |steps, place| {
        let end = fields.read(text, steps, place.value);
        work.step(end - place.member + fields.compared())?;
        work.hold(ROW_BYTES + KEY_BYTES * numbers.len())?;
        count += 1;
        if place.member < place.value {
            places.push(place.member);
        }
        keys.extend(numbers.iter().map(|&field| {
            let (start, end) = fields.place(field).unwrap_or_default();
            Keyed::new(&text[start..end])
        }));
        ControlFlow::Continue(end)
    });
    if all.is_break() {
        return Err(Fault::Stopped);
    }
    if let Some(unknown) = named.unknown(&fields).filter(|_| count > 0) {
        return Err(Fault::Unknown(unknown));
    }
    let order = order_by(&keys, sort, count, work)?;
    Ok(Sorted { places, order })
}

/// The indices of so many rows, sorted by their keys, which are those of one row after another.
pub(super) fn order_by(
    keys: &[Keyed<'_>],
    sort: &[SortKey],
    rows: usize,
    work: &Work,
) -> Result<Vec<usize>, Fault<'static>> {
    /// What a comparison takes, beside the bytes that are looked at.
    const COMPARED: usize = 3;
    let compared = rows.saturating_mul(rows.max(1).ilog2() as usize + 1);
    if work.spend(compared.saturating_mul(COMPARED)).is_break() {
        return Err(Fault::Stopped);
    }
    let of = |row: usize| &keys[row * sort.len()..(row + 1) * sort.len()];
    let order = sorting::order_of(rows, &|a, b| {
        let pairs = of(a).iter().zip(of(b)).zip(sort);
        pairs.fold(std::cmp::Ordering::Equal, |order, ((a, b), key)| {
            order.then_with(|| a.compare(b, key.is_descending, work))
        })
    });
    if work.is_over() { Err(Fault::Stopped) } else { Ok(order) }
}
