//! The sentences that models read, written once, in `vectors/shared/sentences.json`.
//!
//! An expectation contains `⟦name|first hole|second hole⟧` in place of a sentence. Each face puts the sentences back
//! into the text of a file before it parses it, and then compares every byte; so a change of wording changes one line
//! of that file, regardless of how many results show it. The sentences are written by hand, separately from the code
//! that writes them: a run that rewrites expectations fills in only the holes. Numbers that follow from the wording,
//! the tokens and bytes of a result, are not in expectations: each face counts them itself.

use regex_lite::{Captures, Regex};
use serde_json::{Map, Value};

/// All sentences by their names.
pub struct Sentences {
    pub by_name: Map<String, Value>,
    pub hole: Regex,
    placeholder: Regex,
}

impl Sentences {
    /// Reads the text of the file of sentences.
    pub fn read(file: &str) -> Self {
        let contents: Value = serde_json::from_str(file).unwrap_or_else(|error| panic!("sentences: {error}"));
        Self {
            by_name: contents["sentences"].as_object().expect("sentences").clone(),
            hole: Regex::new(r"\{[nwqv]\}").unwrap(),
            placeholder: Regex::new("⟦([^⟧|]*)([^⟧]*)⟧").unwrap(),
        }
    }

    /// A text with each name replaced by its sentence.
    pub fn put_in(&self, text: &str) -> String {
        let put = |found: &Captures<'_>| {
            let sentence = self.by_name.get(&found[1]).and_then(Value::as_str);
            let sentence = sentence.unwrap_or_else(|| panic!("no sentence is named {:?}", &found[1]));
            let mut fillings = found[2].split('|').skip(1);
            let fill = |_: &Captures<'_>| fillings.next().expect("a filling for each hole").to_owned();
            self.hole.replace_all(sentence, fill).into_owned()
        };
        self.placeholder.replace_all(text, put).into_owned()
    }
}
