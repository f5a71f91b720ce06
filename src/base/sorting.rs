//! Sorting, compiled once: the standard sort is compiled for each type and each order, 4 KB each time. Without this file
//! the tarball of the npm package is 11 KB larger.

use std::cmp::Ordering;
use std::mem;

/// Sorts by a key; equal items keep their order.
pub fn sort_by_key<T, K: Ord>(items: &mut Vec<T>, key: impl Fn(&T) -> K) {
    let keys: Vec<K> = items.iter().map(key).collect();
    put_in_order(items, order_of(items.len(), &|a, b| keys[a].cmp(&keys[b])));
}

/// Sorts by an order; items that are equal in it keep theirs.
pub(crate) fn sort_by<T>(items: &mut Vec<T>, compare: impl Fn(&T, &T) -> Ordering) {
    let order = order_of(items.len(), &|a, b| compare(&items[a], &items[b]));
    put_in_order(items, order);
}

fn put_in_order<T>(items: &mut Vec<T>, order: Vec<usize>) {
    let mut unsorted: Vec<Option<T>> = mem::take(items).into_iter().map(Some).collect();
    items.extend(order.into_iter().filter_map(|at| unsorted[at].take()));
}

/// The indices of `len` items, sorted by `compare`, which gets two indices; equal items keep their order.
pub(crate) fn order_of(len: usize, compare: &dyn Fn(usize, usize) -> Ordering) -> Vec<usize> {
    small_order_of(len, compare).into_iter().map(|at| at as usize).collect()
}

/// The same in half of the memory, for items that are many: 8 bytes for each while they are sorted.
pub(crate) fn small_order_of(len: usize, compare: &dyn Fn(usize, usize) -> Ordering) -> Vec<u32> {
    let mut order: Vec<u32> = (0..len as u32).collect();
    order.sort_by(|&a, &b| compare(a as usize, b as usize));
    order
}
