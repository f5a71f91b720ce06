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

use toolshape_json::{minify, skip_string};

use crate::base::error::Error;
use crate::base::json_string::quoted;
use crate::render::dense::rules::Rules;
pub(crate) use crate::render::dense::tree::weight;
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
/// In the form rows are tried that have this many times as many tokens as there is room for.
pub(crate) const ROWS_TRIED: usize = 2;
/// About the tokens of the sentence about the form.
pub(crate) const FORM_TOKENS: usize = 24;
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
    // What as many rows take as plain JSON.
    let as_many = (plain.1 * dense.0).checked_div(plain.0).unwrap_or(usize::MAX);
    dense.0 >= plain.0 && is_worth(format, dense.1, as_many)
}

/// A minified text in the form with the fewest tokens; `None` if it cannot be written so.
pub(crate) fn smallest(json: &str, measure: Measure) -> Option<Fit> {
    if json.len() > expand::MOST_BYTES || json.len() <= "[]".len() {
        return None;
    }
    let tree = Tree::of_objects(json);
    let is_object = tree.node(ROOT).kind() == Kind::Object;
    if is_object && tree.children(ROOT).any(|at| matches!(tree.node(at).key, FORM | LIST)) {
        return None;
    }
    let Written { members, rules, .. } = chosen(json, |rules| Some(write::write(&tree, rules)))?;
    let text = format!("{{{},{members}}}", form(rules));
    is_restored(&text, rules, json).then(|| Fit { tokens: measure.count(&text), text })
}

/// Rows in the form, written once: as many are shown as fit.
pub(crate) struct DenseRows {
    /// What is before the rows, these, and what is after them.
    head: String,
    rows: String,
    tail: &'static str,
    /// Where each row ends.
    ends: Vec<usize>,
    rules: Rules,
    /// About the tokens as plain JSON and in the form.
    plain: i64,
    dense: i64,
    /// About the tokens of the sentence about the form.
    said: i64,
}

/// What is around rows: up to the sentence about the form, from there to the rows, and after them.
pub(crate) struct Around {
    pub facts: String,
    pub member: String,
    pub after: String,
}

impl Around {
    /// The frame of a list or a map, which is open before the rows.
    pub fn of_frame(before: &str, after: &str) -> Self {
        // The sentence comes before the member with the rows: what continues the result is at the start.
        let (facts, member) = before[..before.len() - 1].split_at(last_member(before));
        Self { facts: facts.to_owned(), member: member.to_owned(), after: after[1..].to_owned() }
    }
}

impl DenseRows {
    /// The rows of a list, or the entries of a map; `None` if they cannot be written so.
    pub fn of_objects(list: &str) -> Option<Self> {
        let tree = Tree::of_objects(list);
        let mut written = chosen(list, |rules| Some(write::write(&tree, rules)))?;
        if let Some(bare) = written.members.strip_prefix(LIST_MEMBER) {
            let ends = written.ends.iter().map(|end| end - LIST_MEMBER.len()).collect();
            written = Written { members: bare.to_owned(), ends, ..written };
            return Some(Self::of(written, "", "]", &tree));
        }
        // The paths in a map begin in the map.
        let is_table = written.members.starts_with("\"columns\":");
        let tail = if list.starts_with('{') { "}}" } else { "]}" };
        is_table.then(|| Self::of(written, "{", tail, &tree))
    }

    /// Lists with one cell for each name; `None` if they cannot be written so.
    pub fn of_cells(list: &str, names: &[&str]) -> Option<Self> {
        let tree = Tree::of(list);
        let written = chosen(list, |rules| write::write_cells(&tree, names, rules))?;
        Some(Self::of(written, "", "]}", &tree))
    }

    fn of(written: Written, open: &str, tail: &'static str, tree: &Tree<'_>) -> Self {
        let Written { members, rules, saved, ends } = written;
        let start = ends[0];
        let (head, rows) = members.split_at(start);
        let plain = i64::from(tree.node(ROOT).weight);
        Self {
            head: format!("{open}{head}"),
            rows: rows.to_owned(),
            tail,
            ends: ends[1..].iter().map(|end| end - start).collect(),
            rules,
            plain,
            dense: plain - saved.all,
            said: rules.cost(),
        }
    }

    /// How many times as many tokens they have in the form, roughly; more rows need no other words about it.
    pub fn times(&self) -> f64 {
        (self.dense + self.said).max(1) as f64 / self.plain.max(1) as f64
    }

    pub fn times_of_more(&self) -> f64 {
        self.dense.max(1) as f64 / self.plain.max(1) as f64
    }

    /// The first rows, as many as fit, with what is around this many; each row is counted once. `None` if fewer than two fit.
    ///
    /// # Errors
    /// Those of `around`.
    pub fn within(
        &self,
        budget: usize,
        measure: Measure,
        around: impl Fn(usize) -> Result<Around, Error>,
    ) -> Result<Option<(usize, Fit)>, Error> {
        let form = form(self.rules);
        let before = |around: &Around| format!("{}{form},{}{}", around.facts, around.member, self.head);
        let mut counter = measure.counter();
        counter.push(&before(&around(self.ends.len())?));
        let mut parts = Vec::new();
        let mut start = 0;
        for &end in &self.ends {
            let part = measure.part(self.rows[start..end].to_owned());
            counter.push_part(&part);
            parts.push(part);
            start = end;
            if counter.total() > budget {
                break;
            }
        }
        while parts.len() > 1 {
            let around = around(parts.len())?;
            let before = before(&around);
            let after = format!("{}{}", self.tail, around.after);
            let mut counter = measure.counter();
            counter.push(&before);
            parts.iter().for_each(|part| counter.push_part(part));
            counter.push(&after);
            let tokens = counter.total();
            if tokens <= budget {
                let text = format!("{before}{}{after}", &self.rows[..self.ends[parts.len() - 1]]);
                return Ok(Some((parts.len(), Fit { text, tokens })));
            }
            parts.pop();
        }
        Ok(None)
    }

    /// Whether a text with some of the rows represents another one.
    pub fn represents(&self, text: &str, json: &str) -> bool {
        is_restored(text, self.rules, json)
    }
}

/// Lists with one cell for each name, after the facts about them, as plain JSON.
pub(crate) fn plain_cells(facts: &str, names: &[&str], rows: &[String]) -> String {
    let list = format!("[{}]", rows.join(","));
    let written = write::write_cells(&Tree::of(&list), names, Rules::NONE);
    written.map_or_else(String::new, |written| format!("{facts},{}}}", written.members))
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

/// What is written by the rules that save more than the sentence about them takes: most texts are written once, the others twice.
fn chosen(json: &str, write: impl Fn(Rules) -> Option<Written>) -> Option<Written> {
    // What looks like the form itself would not come back.
    let unsafe_ones =
        [("${", Rules::ADDRESSES), ("\"=\"", Rules::REPEATS)].into_iter().filter(|(sign, _)| json.contains(sign));
    let rules = unsafe_ones.fold(Rules::ALL, |rules, (_, rule)| rules.without(rule));
    let try_with = |rules: Rules| Some((rules, write(rules).filter(|written| written.rules != Rules::NONE)?));
    // Keys with dots leave no room for paths.
    let (rules, written) = try_with(rules).or_else(|| try_with(rules.without(Rules::PATHS)))?;
    let poor = written.saved.not_worth(written.rules);
    if poor == Rules::NONE { Some(written) } else { Some(try_with(rules.without(poor))?.1) }
}

/// Whether a text in the form, which is written by some rules, represents another one.
fn is_restored(text: &str, rules: Rules, json: &str) -> bool {
    expand::expand(text, rules).is_ok_and(|original| original == json)
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
