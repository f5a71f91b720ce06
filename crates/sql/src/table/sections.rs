//! The section of each line: the innermost heading above it, its level, and the headings around it.

use toolshape_text::prose::outline::Section;

use crate::answer::SqlValue;

/// The sections of a text by their first lines.
#[derive(Default)]
pub struct Sections(Vec<LineSection>);

struct LineSection {
    line: usize,
    end: usize,
    level: i64,
    title: String,
    /// The titles from the outermost section to this one, as a JSON list.
    path: String,
    parent: Option<usize>,
}

/// Bytes of all paths together: deeply nested long titles would take the square of the text.
const MOST_PATH_BYTES: usize = 16 << 20;

impl Sections {
    pub fn of(sections: &[Section<'_>]) -> Self {
        let mut found: Vec<LineSection> = Vec::with_capacity(sections.len());
        let mut open: Vec<usize> = Vec::new();
        let mut bytes = 0;
        for section in sections {
            while open
                .pop_if(|&mut last| found[last].end <= section.line || found[last].level >= section.level as i64)
                .is_some()
            {}
            let parent = open.last().copied();
            let mut title = String::new();
            SqlValue::Text(section.title.to_string()).write_json(&mut title);
            let path = match parent.filter(|_| bytes < MOST_PATH_BYTES) {
                Some(parent) => format!("{},{title}]", found[parent].path.trim_end_matches(']')),
                None => format!("[{title}]"),
            };
            bytes += path.len();
            open.push(found.len());
            found.push(LineSection {
                line: section.line,
                end: section.end,
                level: section.level as i64,
                title: section.title.to_string(),
                path,
                parent,
            });
        }
        Self(found)
    }

    fn at(&self, line: usize) -> Option<&LineSection> {
        let mut at = self.0.partition_point(|section| section.line <= line).checked_sub(1)?;
        while self.0[at].end <= line {
            at = self.0[at].parent?;
        }
        Some(&self.0[at])
    }

    pub fn title(&self, line: usize) -> Option<&str> {
        self.at(line).map(|section| section.title.as_str())
    }

    pub fn level(&self, line: usize) -> Option<i64> {
        self.at(line).map(|section| section.level)
    }

    pub fn path(&self, line: usize) -> Option<&str> {
        self.at(line).map(|section| section.path.as_str())
    }
}
