//! JSON in fewer tokens, without loss: valid JSON, in which lists of objects are tables.
//!
//! ```json
//! {"_form":"…","columns":["id",{"state":"open"},"user.login"],"rows":[[1,"ann"],[2,"bo",{"state":"closed"}]]}
//! ```
//!
//! The member `_form` says which rules are used ([`rules`]). [`expand`] gives the minified original back, byte for byte: what is
//! written is read again before it is used, and what does not come back stays as it is.

mod address;
mod expand;
mod merge;
mod rules;
mod shape;
mod table;
#[cfg(test)]
mod tests;
mod tree;
mod write;

use std::cmp::Ordering;

use toolshape_json::{minify, skip_string};

use crate::base::error::Error;
use crate::base::json_string::quoted;
use crate::render::dense::rules::Rules;
use crate::render::dense::tree::{ROOT, Tree};
use crate::render::dense::write::Written;
use crate::request::context::Fit;
use crate::request::policy::Format;
use crate::value::json_text::JsonText;
use crate::value::source::{Kind, Source};
use crate::value::token_count::Measure;

/// It saves at least this many tokens, and one part in [`SAVED`] of them.
const LEAST_SAVED: usize = 40;
const SAVED: f64 = 0.12;
/// More rows are at least 1/n more.
const MORE_ROWS: usize = 8;
/// The form has at least one token for that many of plain JSON.
pub(crate) const MOST_TIMES_SMALLER: usize = 10;
/// How often rows are tried with another number of them.
const MOST_TRIALS: usize = 6;
/// In a longer text, what `_form` says of a rule is always worth it.
const SHORT: usize = 1 << 16;
pub(crate) const FORM: &str = "_form";
/// The key of a list that is not a table, where it is the whole.
const LIST: &str = "_list";
const LIST_MEMBER: &str = "\"_list\":";

/// Whether a text in the form saves enough for a reader to be given it.
pub(crate) fn is_worth(format: Format, tokens: usize, plain: usize) -> bool {
    match format {
        Format::Columns => tokens < plain,
        Format::Auto => tokens + LEAST_SAVED.max((plain as f64 * SAVED).ceil() as usize) <= plain,
        Format::Json | Format::Text => false,
    }
}

/// Whether that many rows in the form are better than others in plain JSON: the rows and their tokens.
pub(crate) fn is_better(format: Format, dense: (usize, usize), plain: (usize, usize)) -> bool {
    match dense.0.cmp(&plain.0) {
        Ordering::Greater => format == Format::Columns || dense.0 * MORE_ROWS >= plain.0 * (MORE_ROWS + 1),
        Ordering::Equal => is_worth(format, dense.1, plain.1),
        Ordering::Less => false,
    }
}

/// How many of the first rows of several fit, by what a number of them takes in the form and what their frame takes; 0 if they cannot be
/// written so. As plain JSON `plain` rows fit.
///
/// # Errors
/// Those of `tokens_of`.
pub(crate) fn rows_within(
    budget: usize,
    count: usize,
    plain: usize,
    frame: usize,
    tokens_of: impl Fn(usize) -> Result<Option<usize>, Error>,
) -> Result<usize, Error> {
    // Twice as many is a good guess.
    let (mut rows, mut least, mut most) = ((plain * 2).clamp(4, count.max(4)).min(count), 0, count + 1);
    for _ in 0..MOST_TRIALS {
        if rows < 2 {
            break;
        }
        let Some(tokens) = tokens_of(rows)? else { return Ok(0) };
        match tokens <= budget {
            true => least = rows,
            false => most = rows,
        }
        if most - least <= 1 {
            break;
        }
        // Each row takes about the same.
        let expected = rows * budget.saturating_sub(frame) / tokens.saturating_sub(frame).max(1);
        rows = expected.clamp(least + 1, most - 1);
    }
    Ok(least)
}

/// A minified text in the form with the fewest tokens; `None` if it cannot be written so.
pub(crate) fn smallest(json: &str, measure: Measure) -> Option<Fit> {
    if json.len() > expand::MOST_BYTES {
        return None;
    }
    let tree = Tree::of_objects(json);
    let is_object = tree.node(ROOT).kind() == Kind::Object;
    if is_object && tree.children(ROOT).any(|at| matches!(tree.node(at).key, FORM | LIST)) {
        return None;
    }
    best_of(json, measure, |rules| {
        let Written { members, rules } = write::write(&tree, rules);
        (rules != Rules::NONE).then(|| (format!("{{{},{members}}}", form(rules)), rules))
    })
}

/// Lists with one cell for each column, after the facts about them.
pub(crate) struct Cells<'c> {
    /// An object up to what closes it.
    pub facts: &'c str,
    /// The literals of the columns' names.
    pub names: &'c [&'c str],
    pub rows: &'c [String],
}

impl Cells<'_> {
    /// Each value in a cell, and all that there is to know is the names of these.
    pub fn plain(&self) -> String {
        self.write(Rules::NONE).map_or_else(String::new, |(text, _)| text)
    }

    /// The tokens in the form, roughly; `None` if they cannot be written so.
    pub fn tokens(&self, measure: Measure) -> Option<usize> {
        roughly(measure, |rules| self.write(rules))
    }

    /// The text in the form with the fewest tokens; `None` if they cannot be written so.
    pub fn smallest(&self, measure: Measure) -> Option<Fit> {
        best_of(&self.plain(), measure, |rules| self.write(rules))
    }

    fn write(&self, rules: Rules) -> Option<(String, Rules)> {
        let list = format!("[{}]", self.rows.join(","));
        let Written { members, rules: used } = write::write_cells(&Tree::of(&list), self.names, rules)?;
        let form = if rules == Rules::NONE { String::new() } else { format!("{},", form(used)) };
        Some((format!("{},{form}{members}}}", self.facts), used))
    }
}

/// The rows of a list, or the entries of a map, in their frame: an object in which the list, or the map, is open.
pub(crate) struct Framed<'f> {
    pub before: &'f str,
    pub rows: &'f [&'f str],
    pub after: &'f str,
}

impl Framed<'_> {
    /// The tokens in the form, roughly; `None` if the rows cannot be written so.
    pub fn tokens(&self, measure: Measure) -> Option<usize> {
        let list = self.list();
        let tree = Tree::of_objects(&list);
        roughly(measure, |rules| self.write(&tree, rules))
    }

    /// The text in the form with the fewest tokens; `None` if the rows cannot be written so.
    pub fn smallest(&self, measure: Measure) -> Option<Fit> {
        let list = self.list();
        let tree = Tree::of_objects(&list);
        let plain = format!("{}{}{}", self.before, self.rows.join(","), self.after);
        best_of(&plain, measure, |rules| self.write(&tree, rules))
    }

    fn list(&self) -> String {
        format!("{}{}{}", &self.before[self.before.len() - 1..], self.rows.join(","), &self.after[..1])
    }

    fn write(&self, tree: &Tree<'_>, rules: Rules) -> Option<(String, Rules)> {
        let Written { members, rules } = write::write(tree, rules);
        let list = match members.strip_prefix(LIST_MEMBER) {
            Some(list) => list.to_owned(),
            None if members.starts_with("\"columns\":") => format!("{{{members}}}"),
            // The paths in a map begin in the map.
            None => return None,
        };
        // The sentence comes before the member with the rows: what continues the result is at the start.
        let (facts, member) = self.before[..self.before.len() - 1].split_at(last_member(self.before));
        (rules != Rules::NONE).then(|| (format!("{facts}{},{member}{list}{}", form(rules), &self.after[1..]), rules))
    }
}

/// Where the last member of an object begins that is not complete.
fn last_member(object: &str) -> usize {
    let (bytes, mut at, mut depth, mut start) = (object.as_bytes(), 0, 0, 1);
    while at < bytes.len() {
        match bytes[at] {
            b'"' => {
                at = skip_string(bytes, at);
                continue;
            }
            b'{' | b'[' => depth += 1,
            b'}' | b']' => depth -= 1,
            b',' if depth == 1 => start = at + 1,
            _ => {}
        }
        at += 1;
    }
    start
}

/// The tokens of what is written by all rules. Keys with dots leave no room for paths.
fn roughly(measure: Measure, write: impl Fn(Rules) -> Option<(String, Rules)>) -> Option<usize> {
    let (text, _) = write(Rules::ALL).or_else(|| write(Rules::ALL.without(Rules::PATHS)))?;
    Some(measure.count(&text))
}

/// What is written with the fewest tokens by some of the rules, and represents a text.
fn best_of(json: &str, measure: Measure, write: impl Fn(Rules) -> Option<(String, Rules)>) -> Option<Fit> {
    let try_with = |rules: Rules| {
        let (text, rules) = write(rules)?;
        Some((Fit { tokens: measure.count(&text), text }, rules))
    };
    // Keys with dots leave no room for paths.
    let mut rules = Rules::ALL;
    let mut best = match try_with(rules) {
        Some(best) => best,
        None => {
            rules = rules.without(Rules::PATHS);
            try_with(rules)?
        }
    };
    for rule in Rules::OPTIONAL {
        if json.len() > SHORT || !best.1.has(rule) {
            continue;
        }
        if let Some(other) = try_with(rules.without(rule)).filter(|other| other.0.tokens < best.0.tokens) {
            (best, rules) = (other, rules.without(rule));
        }
    }
    // What looks like the form itself does not come back.
    for rule in [Rules::NONE, Rules::ADDRESSES, Rules::REPEATS] {
        if rule != Rules::NONE {
            rules = rules.without(rule);
            best = try_with(rules)?;
        }
        if expand::expand(&best.0.text, best.1).is_ok_and(|original| original == json) {
            return Some(best.0);
        }
    }
    None
}

/// The member that says which rules are used.
fn form(rules: Rules) -> String {
    format!("\"{FORM}\":{}", quoted(&rules.sentence()))
}

/// What a text in the form represents, minified; any other JSON text is minified.
///
/// # Errors
/// `INVALID_JSON` for what is not JSON, or does not keep to the form that its `_form` describes; `TOO_DEEP`.
pub fn expand(text: &str) -> Result<String, Error> {
    let minified = JsonText::parse(text)?.minified();
    let value = JsonText::parse(&minified)?;
    let [form] = value.named(&[FORM]);
    let sentence = form.map(|form| form.text().map(|text| text.into_owned())).transpose()?;
    let rules =
        sentence.as_deref().map(Rules::of_sentence).filter(|rules| Some(&*rules.sentence()) == sentence.as_deref());
    match rules {
        Some(rules) => expand::expand(&minified, rules),
        None => Ok(minified.into_owned()),
    }
}

/// A checked JSON text in the form, and its tokens; `None` if that does not save enough.
pub fn dense(text: &str, measure: Measure) -> Option<(String, usize)> {
    let json = minify(text);
    let plain = measure.count(&json);
    let Fit { text, tokens } = smallest(&json, measure)?;
    is_worth(Format::Auto, tokens, plain).then_some((text, tokens))
}
