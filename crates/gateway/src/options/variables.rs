//! Variables of the environment in a configuration, so that it has no secrets: `${NAME}`.

use serde_json::Value;
use toolshape::{Error, ErrorCode};

/// Replaces `${NAME}` in all texts, those that are values.
///
/// # Errors
/// `INVALID_POLICY` for a variable that is not set.
pub fn expand(options: &mut Value, variable: &dyn Fn(&str) -> Option<String>) -> Result<(), Error> {
    match options {
        Value::String(text) => *text = expanded(text, variable)?,
        Value::Array(items) => items.iter_mut().try_for_each(|item| expand(item, variable))?,
        Value::Object(members) => members.values_mut().try_for_each(|member| expand(member, variable))?,
        _ => {}
    }
    Ok(())
}

fn expanded(text: &str, variable: &dyn Fn(&str) -> Option<String>) -> Result<String, Error> {
    let (mut out, mut rest) = (String::new(), text);
    while let Some((before, after)) = rest.split_once("${") {
        out.push_str(before);
        match after.split_once('}') {
            Some((name, after)) if is_name(name) => {
                let unset = || {
                    let message = format!("the configuration has ${{{name}}}, and there is no variable {name}");
                    Error::new(ErrorCode::InvalidPolicy, message, "")
                };
                out.push_str(&variable(name).ok_or_else(unset)?);
                rest = after;
            }
            _ => {
                out.push_str("${");
                rest = after;
            }
        }
    }
    Ok(out + rest)
}

/// POSIX, "Environment Variables".
fn is_name(name: &str) -> bool {
    !name.is_empty()
        && !name.starts_with(|first: char| first.is_ascii_digit())
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn variables_are_replaced_in_values_alone() {
        let variable = |name: &str| (name == "KEY_1").then(|| "${KEY_1}".to_owned());
        let mut options = json!({ "store": "redis://:${KEY_1}@host", "${KEY_1}": [1, "${", "${1}$", "${ KEY_1}"] });
        expand(&mut options, &variable).unwrap();
        // What a variable contains is not read again.
        assert_eq!(options, json!({ "store": "redis://:${KEY_1}@host", "${KEY_1}": [1, "${", "${1}$", "${ KEY_1}"] }));
        let mut options = json!("a${KEY_1}b");
        expand(&mut options, &|_| Some("-".to_owned())).unwrap();
        assert_eq!(options, json!("a-b"));
        let unset = expand(&mut json!({ "headers": { "X": "${ABSENT}" } }), &variable).unwrap_err();
        assert_eq!(unset.message(), "the configuration has ${ABSENT}, and there is no variable ABSENT");
    }
}
