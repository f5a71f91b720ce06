//! Whether the first row of a table names its columns, and by which names its cells are called.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use crate::base::json_string;

/// Fewer rows are not evidence of a table.
pub(super) const ROWS: usize = 3;
/// The rows that a table needs where no column differs from its title.
const ALIKE_ROWS: usize = 8;
/// The longest title in characters: a longer text is that of a cell.
const TITLE_CHARS: usize = 64;
/// Characters that are in code, not in titles.
const CODE: [char; 9] = ['{', '}', '<', '>', '=', ';', '\\', '`', '\n'];

/// What is known in addition to the rows.
#[derive(Clone, Copy, Default)]
pub(super) struct Evidence {
    /// Spaces follow the delimiters, as in prose.
    pub is_spaced: bool,
    /// Cells are in quotes, which no other text has between delimiters.
    pub is_quoted: bool,
    /// All rows have as many cells.
    pub is_regular: bool,
    /// The caller says that the text is a table.
    pub is_asked: bool,
}

/// The names of the columns as JSON strings, if the titles are such and the rows are those of a table.
///
/// A title that is empty is named by its column, from 1; one that occurs before, by how often it does.
pub(super) fn names(titles: &[String], rows: &[Vec<String>], evidence: Evidence) -> Option<Vec<Rc<str>>> {
    let is_table = match evidence.is_asked {
        true => !rows.is_empty() && are_names(titles),
        false => rows.len() >= ROWS && !evidence.is_spaced && is_headed(titles, rows, evidence),
    };
    is_table.then(|| distinct(titles))
}

/// Whether the first row is one of titles, and the rows are not another text in which they occur.
fn is_headed(titles: &[String], rows: &[Vec<String>], evidence: Evidence) -> bool {
    let (are_many, differ) = (rows.len() >= ALIKE_ROWS, differ(titles, rows));
    let is_regular = evidence.is_regular && are_many && titles.len() > 2 && differ;
    if (evidence.is_quoted || is_regular) && are_names(titles) && are_unlike_cells(titles) {
        return true;
    }
    let are_alike = || are_many && !recur(titles, rows) && (titles.len() > 2 || are_apart(titles, rows));
    are_titles(titles, rows) && (differ || are_alike())
}

/// Whether titles in quotes, or above many rows, can be other than cells and strings of code: none is a number, a date or has quotes,
/// two are filled, and the last one is.
fn are_unlike_cells(titles: &[String]) -> bool {
    let is_unlike = |title: &String| !is_typed(title) || is_year(title) || is_mostly_letters(title);
    let is_named = |title: &&String| !title.is_empty() && !is_year(title);
    titles.iter().all(|title| is_unlike(title) && !title.contains('"'))
        && titles.iter().filter(is_named).count() > 1
        && titles.last().is_some_and(|title| !title.is_empty())
}

/// Whether titles are short enough for every row to have them, as a row that is shown as an object has: in UTF-8 a character
/// takes up to four bytes.
pub(super) fn are_names(titles: &[String]) -> bool {
    titles.iter().all(|title| title.len() <= 4 * TITLE_CHARS)
}

/// Names that are all different, as JSON strings.
pub(super) fn distinct(titles: &[String]) -> Vec<Rc<str>> {
    // Not collected, which would sort them first: see `base/sorting.rs`.
    let mut known: BTreeSet<String> = BTreeSet::new();
    known.extend(titles.iter().cloned());
    // How often each title was there before, with the names that were made for it.
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    let mut taken: BTreeSet<String> = BTreeSet::new();
    let mut names = Vec::new();
    for (at, title) in titles.iter().enumerate() {
        let is_made = title.is_empty();
        let title = if is_made { format!("column_{}", at + 1) } else { title.clone() };
        let count = counts.entry(title.clone()).or_insert(0);
        *count += 1;
        let mut is_own = *count == 1 && !is_made;
        let mut name = if *count == 1 { title.clone() } else { format!("{title}_{count}") };
        while taken.contains(&name) || !is_own && known.contains(&name) {
            (*count, is_own) = (*count + 1, false);
            name = format!("{title}_{count}");
        }
        names.push(json_string::quoted(&name).into());
        taken.insert(name);
    }
    names
}

/// Whether a row can be one of titles: each is short and begins like a name, and some column is filled.
fn are_titles(titles: &[String], rows: &[Vec<String>]) -> bool {
    let is_empty = |at: usize| rows.iter().all(|row| row.get(at).is_none_or(String::is_empty));
    let are_short = titles.iter().enumerate().all(|(at, title)| {
        // The first column of a table with an index often has none. Behind the last delimiters there is no column; a list whose
        // lines end in commas is no table.
        if title.is_empty() {
            return at == 0 || at > 1 && (at..titles.len()).all(|at| titles[at].is_empty() && is_empty(at));
        }
        let is_short = title.chars().count() <= TITLE_CHARS && title.split_whitespace().count() <= 6;
        is_short
            && (begins_like_a_name(title) || at > 0 && is_mostly_letters(title))
            && !title.contains(CODE)
            && !title.ends_with(['.', ':', ',', '!', '?'])
    });
    are_short && titles.iter().any(|title| !is_year(title)) && !(0..titles.len()).all(is_empty)
}

/// Whether two titles are unlike the cells below them: in some column most cells have one form, and none that of the title, or
/// cells recur. They are names, and so have no digits.
fn are_apart(titles: &[String], rows: &[Vec<String>]) -> bool {
    let is_apart = |(at, title): (usize, &String)| {
        let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
        let mut forms: BTreeMap<String, usize> = BTreeMap::new();
        for cell in rows.iter().filter_map(|row| row.get(at)) {
            *counts.entry(cell).or_insert(0) += 1;
            *forms.entry(form(cell)).or_insert(0) += 1;
        }
        let singles = counts.values().filter(|&&count| count == 1).count();
        let most = forms.values().max().copied().unwrap_or(0);
        singles * 8 <= rows.len() || most * 4 >= rows.len() * 3 && !forms.contains_key(&form(title))
    };
    !titles.iter().any(|title| title.contains(char::is_numeric)) && titles.iter().enumerate().any(is_apart)
}

/// The form of a cell: runs of capitals, other letters and digits as `A`, `a` and `9`, words of one form once.
fn form(cell: &str) -> String {
    let of_word = |word: &str| {
        let mut form = String::new();
        for character in word.chars() {
            let class = match character {
                _ if character.is_uppercase() => 'A',
                _ if character.is_alphabetic() => 'a',
                _ if character.is_numeric() => '9',
                other => other,
            };
            if !form.ends_with(class) {
                form.push(class);
            }
        }
        form
    };
    let mut forms: Vec<String> = cell.split_whitespace().map(of_word).collect();
    forms.dedup();
    forms.join(" ")
}

/// Whether a title is in a row below it, as in a log whose lines have the same parts.
fn recur(titles: &[String], rows: &[Vec<String>]) -> bool {
    titles.iter().enumerate().any(|(at, title)| rows.iter().any(|row| row.get(at) == Some(title)))
}

fn begins_like_a_name(title: &str) -> bool {
    title.starts_with(|first: char| first.is_alphabetic() || matches!(first, '_' | '#' | '%' | '$' | '@' | '*'))
        || is_year(title)
}

/// Titles such as `0-60 mph` begin with a digit, but so do dates.
fn is_mostly_letters(title: &str) -> bool {
    let letters = title.chars().filter(|c| c.is_alphabetic()).count();
    letters > title.chars().filter(|c| c.is_numeric()).count()
}

/// Tables have columns that are named by years.
fn is_year(title: &str) -> bool {
    title.len() == 4 && title.bytes().all(|byte| byte.is_ascii_digit()) && matches!(&title[..2], "18" | "19" | "20")
}

/// Whether a column has other cells than its title: numbers, dates, truth values.
fn differ(titles: &[String], rows: &[Vec<String>]) -> bool {
    (0..titles.len()).any(|at| {
        let cells: Vec<&str> = rows.iter().filter_map(|row| Some(row.get(at)?.trim())).collect();
        let filled = cells.iter().filter(|cell| !cell.is_empty()).count();
        let typed = cells.iter().filter(|cell| is_typed(cell)).count();
        filled >= 2 && typed * 10 >= filled * 9 && !is_typed(&titles[at])
    })
}

/// Whether a cell is a number, or begins like a date, or is a truth value.
fn is_typed(cell: &str) -> bool {
    let digits = cell.trim_start_matches(['-', '+', '$', '€', '£']);
    digits.starts_with(|first: char| first.is_ascii_digit())
        || digits.starts_with('.') && digits.len() > 1
        || matches!(cell, "true" | "false" | "True" | "False" | "TRUE" | "FALSE")
}
