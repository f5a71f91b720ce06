//! The values at several paths of a row, found in one pass.

use toolshape_json::{next_member, skip_string, skip_value};

use crate::base::json_string::Quoted;

/// For each path the value there, in checked JSON without white space; paths are of keys and lead through objects alone.
pub(crate) fn values_at<'j>(json: &'j str, paths: &[&[String]]) -> Vec<Option<&'j str>> {
    let mut found = vec![None; paths.len()];
    let all: Vec<(usize, &[String])> = paths.iter().copied().enumerate().filter(|(_, keys)| !keys.is_empty()).collect();
    if json.starts_with('{') {
        object(json, 0, &all, &mut found);
    }
    found
}

/// Looks through the object at a place and returns its end.
fn object<'j>(json: &'j str, start: usize, paths: &[(usize, &[String])], found: &mut [Option<&'j str>]) -> usize {
    let bytes = json.as_bytes();
    let mut at = start + 1;
    while bytes[at] != b'}' {
        let key_end = skip_string(bytes, at);
        let (key, value) = (Quoted::new(&json[at..key_end]), key_end + 1);
        let here = paths.iter().filter(|(_, keys)| key.is(&keys[0])).map(|(path, keys)| (*path, &keys[1..]));
        let (led, inside): (Vec<_>, Vec<_>) = here.partition(|(_, keys)| keys.is_empty());
        let end = match bytes[value] {
            b'{' if !inside.is_empty() => object(json, value, &inside, found),
            _ => skip_value(bytes, value),
        };
        for (path, _) in led {
            found[path].get_or_insert(&json[value..end]);
        }
        at = next_member(bytes, end);
    }
    at + 1
}

#[cfg(test)]
mod tests {
    use super::values_at;

    #[test]
    fn values_are_found_at_any_depth() {
        let json = r#"{"a":{"b":[1,{"b":2}],"c":{"d":"x"}},"e":null,"a\n":1,"f":{},"a":3}"#;
        let path = |keys: &[&str]| keys.iter().map(|key| (*key).to_owned()).collect::<Vec<String>>();
        let paths = [&["a", "c", "d"][..], &["e"], &["a", "b"], &["a\n"], &["f", "g"], &["e", "x"], &["a"]].map(path);
        let found = values_at(json, &paths.each_ref().map(|path| &path[..]));
        let all = r#"{"b":[1,{"b":2}],"c":{"d":"x"}}"#;
        let expected = [Some("\"x\""), Some("null"), Some("[1,{\"b\":2}]"), Some("1"), None, None, Some(all)];
        assert_eq!(found, expected);
    }
}
