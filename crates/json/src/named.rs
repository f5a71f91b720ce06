//! The members of one object that have certain names, found in one pass over it.

use crate::outline::Steps;
use crate::scan::{next_member, plain_end, skip_space, skip_string};

/// Notes in `found` where the values (their starts and ends) of the members with these `names` are in `text`, a checked object; of several with one
/// name the last. `steps` walks from 1 on; `is_text` says whether the text of a literal with escapes is a name.
///
/// ```
/// use toolshape_json::{Steps, named_members};
/// let text = r#"{"id": 1, "x": [2], "id": "3"}"#;
/// let mut found = [None; 2];
/// named_members(text, &mut Steps::new(text.as_bytes()), &["id", "method"], |_, _| false, &mut found);
/// assert_eq!(found.map(|place| place.map(|(from, to)| &text[from..to])), [Some("\"3\""), None]);
/// ```
pub fn named_members(
    text: &str,
    steps: &mut Steps<'_>,
    names: &[&str],
    is_text: fn(&str, &str) -> bool,
    found: &mut [Option<(usize, usize)>],
) {
    let bytes = text.as_bytes();
    let mut at = skip_space(bytes, 1);
    while bytes[at] != b'}' {
        let plain = plain_end(bytes, at + 1);
        let is_plain = bytes[plain] == b'"';
        let key_end = if is_plain { plain + 1 } else { skip_string(bytes, at) };
        let key = &text[at + 1..key_end - 1];
        let start = skip_space(bytes, skip_space(bytes, key_end) + 1);
        let end = steps.skip_value(start);
        let is_it = |name: &&str| if is_plain { **name == *key } else { is_text(key, name) };
        if let Some(place) = names.iter().position(is_it) {
            found[place] = Some((start, end));
        }
        at = next_member(bytes, end);
    }
}
