//! Variables in a host's configuration, filled in from the environment as hosts do.

use std::collections::BTreeMap;

use crate::survey::configuration::ConfiguredServer;
use toolshape::{Error, ErrorCode};

impl ConfiguredServer {
    /// The server with `${NAME}`, `${NAME:-default}` and `${env:NAME}` replaced by what `of` says of these names.
    ///
    /// # Errors
    /// `INVALID_CALL` if a variable is not there, or is one that only a host knows, such as `${input:token}`.
    ///
    /// ```
    /// let server = toolshape_proxy::ConfiguredServer::started_by(&["run".to_owned(), "${PORT:-80}".to_owned()]);
    /// assert_eq!(server.filled(|_| None)?.command[1], "80");
    /// # Ok::<(), toolshape::Error>(())
    /// ```
    pub fn filled(&self, of: impl Fn(&str) -> Option<String>) -> Result<Self, Error> {
        let one = |text: &String| fill(text, &of);
        let all = |values: &BTreeMap<String, String>| {
            values.iter().map(|(name, value)| Ok((name.clone(), fill(value, &of)?))).collect::<Result<_, Error>>()
        };
        Ok(Self {
            command: self.command.iter().map(one).collect::<Result<_, _>>()?,
            environment: all(&self.environment)?,
            folder: self.folder.as_ref().map(one).transpose()?,
            url: self.url.as_ref().map(one).transpose()?,
            headers: all(&self.headers)?,
            ..self.clone()
        })
    }
}

fn fill(text: &str, of: impl Fn(&str) -> Option<String>) -> Result<String, Error> {
    let (mut out, mut rest) = (String::new(), text);
    while let Some((before, inside, after)) = parts(rest) {
        let (name, default) = inside.split_once(":-").map_or((inside, None), |(name, value)| (name, Some(value)));
        let name = name.strip_prefix("env:").unwrap_or(name);
        let Some(value) = of(name).or(default.map(str::to_owned)) else {
            return Err(Error::new(ErrorCode::InvalidCall, format!("nothing says what ${{{inside}}} is"), ""));
        };
        out += before;
        out += &value;
        rest = after;
    }
    Ok(out + rest)
}

/// What is before, in and after the first variable of a text.
fn parts(text: &str) -> Option<(&str, &str, &str)> {
    let (before, rest) = text.split_once("${")?;
    let (inside, after) = rest.split_once('}')?;
    Some((before, inside, after))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variables_are_filled_in_or_named() {
        let of = |name: &str| (name == "KEY").then(|| "a ${b}".to_owned());
        for (text, wanted) in [
            ("plain", "plain"),
            ("--key=${KEY}!", "--key=a ${b}!"),
            ("${env:KEY}${KEY}", "a ${b}a ${b}"),
            ("${NONE:-other}", "other"),
            ("${open", "${open"),
        ] {
            assert_eq!(fill(text, of).unwrap(), wanted);
        }
        for text in ["${NONE}", "${input:token}", "x ${workspaceFolder}/y"] {
            assert!(fill(text, of).unwrap_err().message().contains("${"), "{text}");
        }
        let mut server = ConfiguredServer::started_by(&["run".to_owned(), "${KEY}".to_owned()]);
        server.environment.insert("TOKEN".to_owned(), "${KEY}".to_owned());
        server.headers.insert("Authorization".to_owned(), "Bearer ${env:KEY}".to_owned());
        let filled = server.filled(of).unwrap();
        assert_eq!((&*filled.command[1], &*filled.environment["TOKEN"]), ("a ${b}", "a ${b}"));
        assert_eq!(filled.headers["Authorization"], "Bearer a ${b}");
    }
}
