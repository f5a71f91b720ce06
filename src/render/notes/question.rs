//! What is wrong with a question about rows.

use toolshape_json::MOST_DIGITS;

use crate::base::text_cuts;

/// What an aggregate may be.
const AGGREGATES: &str = "count, count:FIELD (not null), count:?@.FIELD > 5 (rows that pass a filter), sum:FIELD, \
    mean:FIELD, median:FIELD, min:FIELD, max:FIELD, distinct:FIELD (different values)";

/// Names of others for what is here called by one name.
const OTHER_NAMES: [(&str, &str); 14] = [
    ("avg", "mean"),
    ("average", "mean"),
    ("total", "sum"),
    ("minimum", "min"),
    ("maximum", "max"),
    ("smallest", "min"),
    ("largest", "max"),
    ("lowest", "min"),
    ("highest", "max"),
    ("unique", "distinct"),
    ("nunique", "distinct"),
    ("count_distinct", "distinct"),
    ("countdistinct", "distinct"),
    ("size", "count"),
];

/// The message for an argument with too many items.
pub(crate) fn too_many(name: &str, given: usize, most: usize) -> String {
    format!("{name} has {given} items; it takes at most {most}")
}

/// The message for a field with too many steps.
pub(crate) fn too_deep(name: &str, most: usize) -> String {
    format!("{name} has a field of more than {most} steps")
}

/// The message for a sort key that is only a sign.
pub(crate) fn sign_alone(written: &str) -> String {
    format!("sort has {}; write a field after the sign, as \"-price\"", shown(written))
}

/// The message for a field of a group that is spelled as an aggregate.
pub(crate) fn group_is_aggregate(written: &str) -> String {
    let pointer = written.replace('~', "~0").replace('/', "~1");
    format!(
        "group has {}, which is an aggregate; move it to aggregate, or for a field of that name write {}",
        shown(written),
        shown(&format!("/{pointer}"))
    )
}

/// The message for an aggregate other than `count` that is given a filter.
pub(crate) fn only_count_filters(written: &str) -> String {
    let filter = written.split_once(':').map_or("", |(_, filter)| filter.trim());
    format!(
        "aggregate has {}; only count takes a filter. To aggregate some rows, set jsonPath to {}",
        shown(written),
        shown(&format!("$[{filter}]"))
    )
}

/// The message for what is not an aggregate: what to write instead.
pub(crate) fn no_aggregate(written: &str) -> String {
    let instead = match instead(written) {
        Some(instead) => format!("write {}; ", shown(&instead)),
        None => String::new(),
    };
    format!("aggregate has {}; {instead}it takes {AGGREGATES}", shown(written))
}

/// What is probably meant by something that is not an aggregate, such as `avg(price)`.
fn instead(written: &str) -> Option<String> {
    let end = written.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).unwrap_or(written.len());
    let (name, rest) = written.split_at(end);
    let field = rest.trim_start_matches([':', '(', '=', ' ']).trim_end_matches([')', ' ']);
    let lower = name.to_ascii_lowercase();
    let known = ["count", "sum", "mean", "median", "min", "max", "distinct"].into_iter().find(|known| *known == lower);
    let other = OTHER_NAMES.iter().find(|(other, _)| *other == lower).map(|(_, known)| *known);
    let name = known.or(other)?;
    match field {
        "" | "*" if name == "count" => Some("count".to_owned()),
        "" => Some(format!("{name}:FIELD")),
        field => Some(format!("{name}:{field}")),
    }
}

/// The message for a question about a value that has no rows.
pub(crate) fn no_rows(argument: &str) -> String {
    format!("{argument} requires rows, and this is not a list: set pointer to a list in it, or select rows by jsonPath")
}

/// The message where too many matches would have to be sorted.
pub(crate) const TOO_MANY_TO_SORT: &str =
    "jsonPath finds too many values to sort them; select fewer, set pointer to a list, or group them";

/// The message for a name that no column of groups has.
pub(crate) fn no_column(argument: &str, written: &str) -> String {
    format!("{argument} has {}; of groups it takes their fields, count and their aggregates", shown(written))
}

/// The message for a number that has too many digits for an exact sum.
pub(crate) fn too_far(field: &str) -> String {
    format!(
        "{} has a number with more than {MOST_DIGITS} digits before or after the point, which cannot be added up; \
        leave it out by jsonPath, as $[?@.price < 1e300]",
        shown(field)
    )
}

/// The message for a field that is in a list of each row; `list` is the first key of its path.
pub(crate) fn in_list(field: &str, list: &str) -> String {
    format!(
        "{} is inside a list of each row: to ask about the items of that list, make them the rows by jsonPath, as {}",
        shown(field),
        shown(&format!("$[*]['{list}'][*]"))
    )
}

fn shown(written: &str) -> String {
    format!("{:?}", text_cuts::clipped(written, text_cuts::SHOWN_CHARS))
}
