//! Known names that are similar to an unknown one.

use std::borrow::Cow;

use crate::base::sorting::sort_by;
use crate::base::text_cuts;

/// Characters of two names that are compared: time grows with the product of both lengths.
const COMPARED_CHARS: usize = 100;
/// At most this many names are compared; of more, those that are made of the most similar characters.
const COMPARED_NAMES: usize = 200;
/// A longer name is not suggested: copying it costs more than asking for its neighbours.
pub(crate) const MAX_BYTES: usize = 512;

/// The names sorted by their distance to `wanted` (optimal string alignment), then alphabetically: at most 200.
pub(crate) fn closest_first<'n>(names: impl IntoIterator<Item = Cow<'n, str>>, wanted: &str) -> Vec<String> {
    let wanted = start(wanted);
    let letters = Letters::of(wanted);
    let mut likely: Vec<(usize, Cow<'n, str>)> = Vec::new();
    for name in names {
        if name.len() > MAX_BYTES {
            continue;
        }
        likely.push((letters.distance(&Letters::of(start(&name))), name));
        if likely.len() == 2 * COMPARED_NAMES {
            keep_first(&mut likely);
        }
    }
    keep_first(&mut likely);
    let distance = |name: &str| strsim::osa_distance(start(name), wanted);
    let mut names: Vec<(usize, String)> =
        likely.into_iter().map(|(_, name)| (distance(&name), name.into_owned())).collect();
    sort_by(&mut names, Ord::cmp);
    names.into_iter().map(|(_, name)| name).collect()
}

/// The part of a name that is compared.
pub(crate) fn start(name: &str) -> &str {
    &name[..text_cuts::offset(name, COMPARED_CHARS)]
}

fn keep_first(likely: &mut Vec<(usize, Cow<'_, str>)>) {
    sort_by(likely, |a, b| a.0.cmp(&b.0));
    likely.truncate(COMPARED_NAMES);
}

/// How often each kind of character is in a name.
struct Letters([u8; 32]);

impl Letters {
    fn of(name: &str) -> Self {
        let mut counts = [0; 32];
        name.chars().for_each(|character| counts[character as usize % 32] += 1);
        Self(counts)
    }

    /// At most twice the distance of the names.
    fn distance(&self, other: &Self) -> usize {
        self.0.iter().zip(other.0).map(|(a, b)| usize::from(a.abs_diff(b))).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn closest(names: &[String], wanted: &str) -> Vec<String> {
        closest_first(names.iter().map(|name| Cow::Borrowed(name.as_str())), wanted)
    }

    #[test]
    fn the_most_similar_of_many_names_comes_first() {
        let mut names: Vec<String> = (0..3_000).map(|at| format!("field{at:04}")).collect();
        names.push("totalPrice".to_owned());
        let found = closest(&names, "totlaPrice");
        assert_eq!((found[0].as_str(), found.len()), ("totalPrice", COMPARED_NAMES));
    }

    #[test]
    fn long_names_are_cut_before_they_are_compared_and_longer_ones_left_out() {
        let names = ["a".repeat(MAX_BYTES), "a".repeat(MAX_BYTES + 1), "b".to_owned()];
        assert_eq!(closest(&names, &"a".repeat(1_000_000)), [names[0].clone(), names[2].clone()]);
    }
}
