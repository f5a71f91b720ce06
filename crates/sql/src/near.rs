//! Names that are close to one that does not exist.

/// The least similarity of a name that is suggested, from 0 to 1.
const LEAST: f64 = 0.72;
const MOST_NAMES: usize = 5;
/// If no name is similar and there are at most this many, all are named.
const FEW: usize = 24;

/// The names closest to `wanted`, or all if they are few and none is close.
pub fn names(wanted: &str, known: &[String]) -> Vec<String> {
    let wanted = wanted.to_lowercase();
    let likeness = |name: &String| {
        let name = name.to_lowercase();
        if name.contains(&wanted) || wanted.contains(&name) { 0.9 } else { strsim::jaro_winkler(&name, &wanted) }
    };
    let mut close: Vec<(f64, &String)> =
        known.iter().map(|name| (likeness(name), name)).filter(|(likeness, _)| *likeness >= LEAST).collect();
    close.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.cmp(b.1)));
    close.dedup_by(|a, b| a.1 == b.1);
    match close.is_empty() {
        true if known.len() <= FEW => known.to_vec(),
        _ => close.into_iter().take(MOST_NAMES).map(|(_, name)| name.clone()).collect(),
    }
}
