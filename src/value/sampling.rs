//! Which members of a long list are sampled: evenly spaced, so that the choice depends only on the length.

/// At most `max` indices below `len`, evenly spaced, the first and the last among them.
pub(crate) fn evenly(len: usize, max: usize) -> Vec<usize> {
    match (len, max) {
        (0, _) | (_, 0) => Vec::new(),
        _ if len <= max => (0..len).collect(),
        (_, 1) => vec![0],
        _ => (0..max).map(|i| (i as u128 * (len - 1) as u128 / (max - 1) as u128) as usize).collect(),
    }
}
