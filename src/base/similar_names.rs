//! Known names that are similar to an unknown one.

use crate::base::sorting::sort_by;
use crate::base::text_cuts;

/// Characters of two names that are compared: time and memory grow with the product of both lengths.
const COMPARED_CHARS: usize = 100;

/// The names sorted by their Damerau-Levenshtein distance to `wanted`, then alphabetically.
pub(crate) fn closest_first(names: impl IntoIterator<Item = String>, wanted: &str) -> Vec<String> {
    let distance = |name: &str| strsim::damerau_levenshtein(start(name), start(wanted));
    let mut names: Vec<(usize, String)> = names.into_iter().map(|name| (distance(&name), name)).collect();
    sort_by(&mut names, Ord::cmp);
    names.into_iter().map(|(_, name)| name).collect()
}

/// The part of a name that is compared.
pub(crate) fn start(name: &str) -> &str {
    &name[..text_cuts::offset(name, COMPARED_CHARS)]
}
