//! What a tool's definition costs, part by part.

use serde_json::Value;

use toolshape::host::{Measure, quoted};

/// The parts of a definition, in the order in which they are shown, and the members that each has.
pub(super) const PARTS: [(&str, &[&str]); 5] = [
    ("name", &["name", "title"]),
    ("description", &["description"]),
    ("inputSchema", &["inputSchema"]),
    ("outputSchema", &["outputSchema"]),
    // Annotations, `_meta`, icons, and whatever else a tool has.
    ("other", &[]),
];

/// The tokens of a definition.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Definition {
    /// Of the whole, as one JSON text.
    pub all: usize,
    /// Of each part alone, in the order of [`PARTS`].
    pub parts: [usize; PARTS.len()],
}

impl Definition {
    /// The definition of a tool in the form of `tools/list`.
    pub fn of(tool: &Value, measure: Measure) -> Self {
        let mut texts: [String; PARTS.len()] = Default::default();
        for (name, value) in tool.as_object().into_iter().flatten() {
            let part = PARTS.iter().position(|(_, names)| names.contains(&&**name)).unwrap_or(PARTS.len() - 1);
            if !texts[part].is_empty() {
                texts[part].push(',');
            }
            texts[part] += &format!("{}:{value}", quoted(name));
        }
        Self { all: measure.count(&tool.to_string()), parts: texts.map(|text| measure.count(&text)) }
    }

    pub fn and(self, other: Self) -> Self {
        let mut parts = self.parts;
        parts.iter_mut().zip(other.parts).for_each(|(part, more)| *part += more);
        Self { all: self.all + other.all, parts }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;
    use toolshape::Encoding;
    use toolshape::host::count_tokens;

    #[test]
    fn each_member_counts_in_one_part() {
        let schema = json!({ "type": "object", "properties": { "n": { "type": "integer" } } });
        let tool = json!({
            "name": "list", "title": "List", "description": "Lists what is there", "inputSchema": schema,
            "annotations": { "readOnlyHint": true }, "_meta": { "a": 1 },
        });
        let definition = Definition::of(&tool, Measure { encoding: Encoding::O200kBase });
        let count = |text: &str| count_tokens(text, Encoding::O200kBase);
        assert_eq!(definition.all, count(&tool.to_string()));
        let parts = [
            count(r#""name":"list","title":"List""#),
            count(r#""description":"Lists what is there""#),
            count(&format!("\"inputSchema\":{schema}")),
            0,
            count(r#""annotations":{"readOnlyHint":true},"_meta":{"a":1}"#),
        ];
        assert_eq!(definition.parts, parts);
        assert_eq!(definition.and(definition).all, 2 * definition.all);
    }
}
