//! Names that may be meant by one that does not exist.

/// The least similarity of a close name, from 0 to 1.
const LEAST: f64 = 0.72;
const MOST_CLOSE: usize = 5;
/// More names than this are not listed.
const MOST_NAMES: usize = 24;

/// The known names that are close to `wanted`, the closest first.
pub fn close(wanted: &str, known: &[String]) -> Vec<String> {
    let wanted = wanted.to_lowercase();
    let likeness = |name: &String| {
        let name = name.to_lowercase();
        if name.contains(&wanted) || wanted.contains(&name) { 0.9 } else { strsim::jaro_winkler(&name, &wanted) }
    };
    let mut close: Vec<(f64, &String)> =
        known.iter().map(|name| (likeness(name), name)).filter(|(likeness, _)| *likeness >= LEAST).collect();
    close.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.cmp(b.1)));
    close.into_iter().take(MOST_CLOSE).map(|(_, name)| name.clone()).collect()
}

/// The known names: those that are close to `wanted`, then the others in their order.
pub fn names(wanted: &str, known: &[String]) -> Vec<String> {
    let mut names = close(wanted, known);
    let others: Vec<&String> = known.iter().filter(|name| !names.contains(name)).collect();
    names.extend(others.into_iter().cloned());
    names.truncate(MOST_NAMES);
    names
}
