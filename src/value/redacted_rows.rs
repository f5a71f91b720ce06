//! Whether the rows in a text show a secret that the redacted text does not hide. They are read some at a time, and as data only where a
//! cell may show more there than in the text.

use toolshape_text::redaction::is_value;
use toolshape_text::redaction::same_rows::are_the_same;
use toolshape_text::rows::grammar::Grammar;
use toolshape_text::rows::row_index::RowIndex;

use crate::base::json_string::{Quoted, quoted};
use crate::value::as_read::{Redact, hides_as_much};
use crate::value::structured_text::{self, Formats, Structure};

/// About how many bytes are read at once.
const AT_ONCE: usize = 1 << 16;

/// Whether data is seen otherwise inside of its strings.
type Inside<'a> = dyn FnMut(&str, &mut Redact<'_>) -> bool + 'a;

/// Whether nothing is hidden of the rows of a text that is not hidden of the text itself, of which `own` is left, and nothing in them is
/// seen otherwise. If not, all of them together may still hide no more.
pub(crate) fn show_no_more(
    text: &str,
    structure: &Structure,
    own: Option<&str>,
    mark: &str,
    redact: &mut Redact<'_>,
    inside: &mut Inside<'_>,
) -> bool {
    let Some(index) = structure.rows().filter(|index| index.len > 0) else { return false };
    let left = own.and_then(|own| Some((own, structured_text::recognize(own, Formats::All)?)));
    let left = left.as_ref().filter(|(_, left)| left.rows().is_some_and(|left| are_alike(left, index)));
    if own.is_some() && left.is_none() {
        return false;
    }
    match index.grammar {
        // A line that is an object is redacted as data in the text itself, too.
        Grammar::JsonLines => {
            let is_object = |row: &str| row.trim_start().starts_with('{');
            !index.is_cut && index.rows(text, 0, index.len).all(|(_, row)| is_object(row) && !inside(row, redact))
        }
        Grammar::YamlDocuments => false,
        Grammar::Delimited(..) | Grammar::Bars => {
            let hides = secret_columns(index, mark, redact);
            let at_once = (AT_ONCE * index.len / text.len().max(1)).max(1);
            (0..index.len).step_by(at_once).all(|start| {
                let left = left.map(|(own, left)| (*own, left));
                let rows_left = left.and_then(|(own, left)| Some((own, left.rows()?)));
                // A cell by itself.
                let shows = &mut |cell: &str| redact(cell).is_some() || inside(&quoted(cell), redact);
                if let Some(hides) = &hides
                    && are_the_same((text, index), rows_left, start..start + at_once, (hides, mark), shows)
                {
                    return true;
                }
                let Some(data) = structure.some_rows(text, start, at_once) else { return false };
                let hides_more = redact(&data).is_some_and(|wanted| {
                    let left = left.and_then(|(own, left)| left.some_rows(own, start, at_once));
                    !left.is_some_and(|left| left == wanted || hides_as_much(&left, &wanted, mark))
                });
                !hides_more && !inside(&data, redact)
            })
        }
    }
}

/// Whether rows have the same names, and there are as many.
fn are_alike(one: &RowIndex, other: &RowIndex) -> bool {
    (one.len, &one.names, one.grammar) == (other.len, &other.names, other.grammar)
}

/// Which columns are hidden, whatever their values are; `None` if that depends on other values of a row.
fn secret_columns(index: &RowIndex, mark: &str, redact: &mut Redact<'_>) -> Option<Vec<bool>> {
    let is_secret = |name: &str| {
        if is_value(&Quoted::new(name).text()) {
            return None;
        }
        let hidden = redact(&format!("[{{{name}:\"\"}}]"));
        match hidden {
            None => Some(false),
            Some(hidden) => (hidden == format!("[{{{name}:\"{mark}\"}}]")).then_some(true),
        }
    };
    index.names.iter().map(|name| &**name).map(is_secret).collect()
}
