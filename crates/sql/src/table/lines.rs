//! The lines of a text as rows, with what the structure of the text says about each.

use std::borrow::Cow;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU8, Ordering};

use memchr::memchr_iter;
use toolshape_text::prose::log_lines::Preludes;
use toolshape_text::prose::outline::Headings;
use toolshape_text::prose::severity::{Grades, LogLevel};
use toolshape_text::prose::template::Templates;
use toolshape_text::prose::{log_lines, outline, prelude, terminal, trace};
use toolshape_text::rows::head::Head;
use toolshape_text::values::column::{Reading, Value};

use super::Cell;
use super::column::{Column, ColumnKind};
use super::diff_lines::DiffLines;
use super::log_line;
use super::sections::Sections;

/// Lines by which a text is recognized.
const LOOKED_AT: usize = 2000;
/// Lines above a line among which the entry is that it belongs to.
const MOST_ABOVE: usize = 50;

/// Where the lines are, and what is known about them.
pub struct Lines {
    /// Where each line begins, and where the text ends.
    starts: Vec<u32>,
    facts: Vec<Fact>,
    // What takes the reading of the whole text is found when a column asks for it first.
    sections: OnceLock<Sections>,
    diff: OnceLock<DiffLines>,
    templates: OnceLock<LineTemplates>,
    /// How many entries begin with a time or the name of a program: other lines go on with theirs.
    preludes: Preludes,
    grades: Grades,
    /// The level of each line that was asked for, as a number from 2 on; 1 is none.
    levels: OnceLock<Box<[AtomicU8]>>,
}

/// What a column says about a line.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Fact {
    Line,
    Text,
    Section,
    SectionLevel,
    Path,
    Time,
    LogLevel,
    Message,
    Template,
    File,
    Hunk,
    Kind,
}

/// The template of each line, by number.
struct LineTemplates {
    of_line: Vec<u32>,
    texts: Vec<String>,
}

impl Lines {
    pub fn of(text: &str) -> (Self, Vec<Column>) {
        let mut starts = vec![0];
        starts.extend(memchr_iter(b'\n', text.as_bytes()).map(|at| at as u32 + 1));
        // After the last line break there is no line.
        if starts.last().is_some_and(|&start| start as usize != text.len()) {
            starts.push(text.len() as u32);
        }
        // What a text is shows at its start.
        let shown = terminal::shown(Head::of(text).text);
        let head = Head::of(&shown);
        let start: Vec<&str> = head.lines().map(|(_, line)| line).take(LOOKED_AT).collect();
        let is_log = log_lines::is_log(&start);
        let outline = outline::of(&shown, head.text, &start);
        let mut facts = vec![(Fact::Line, "line", ColumnKind::Integer), (Fact::Text, "text", ColumnKind::Text)];
        match outline {
            Some(outline) if outline.headings == Headings::Diff => {
                facts.extend([
                    (Fact::File, "file", ColumnKind::Text),
                    (Fact::Hunk, "hunk", ColumnKind::Text),
                    (Fact::Kind, "kind", ColumnKind::Text),
                ]);
            }
            Some(outline) if outline.headings.names_content() => {
                facts.push((Fact::Section, "section", ColumnKind::Text));
                if !is_log {
                    facts.push((Fact::SectionLevel, "level", ColumnKind::Integer));
                }
                facts.push((Fact::Path, "path", ColumnKind::Json));
            }
            _ => {}
        }
        if is_log {
            facts.extend([
                (Fact::Time, "time", ColumnKind::Time),
                (Fact::LogLevel, "level", ColumnKind::Text),
                (Fact::Message, "message", ColumnKind::Text),
                (Fact::Template, "template", ColumnKind::Text),
            ]);
        }
        let columns = facts.iter().map(|(_, name, kind)| Column::new(name, *kind)).collect();
        let facts = facts.into_iter().map(|(fact, _, _)| fact).collect();
        let lines = Self {
            starts,
            facts,
            preludes: if is_log { Preludes::of(&start) } else { Preludes::Few },
            grades: Grades::of(start.iter().copied().filter(|line| is_log && !line.trim_start().is_empty())),
            sections: OnceLock::new(),
            diff: OnceLock::new(),
            templates: OnceLock::new(),
            levels: OnceLock::new(),
        };
        (lines, columns)
    }

    pub fn len(&self) -> usize {
        self.starts.len() - 1
    }

    pub fn longest(&self) -> usize {
        self.starts.windows(2).map(|pair| (pair[1] - pair[0]) as usize).max().unwrap_or(0)
    }

    /// A line as a terminal shows it, without its line break.
    fn line<'t>(&self, text: &'t str, row: usize) -> Cow<'t, str> {
        let line = &text[self.starts[row] as usize..self.starts[row + 1] as usize];
        let line = line.strip_suffix('\n').unwrap_or(line);
        terminal::shown(line.strip_suffix('\r').unwrap_or(line))
    }

    pub fn cell<'t>(&'t self, text: &'t str, row: usize, column: usize) -> Cell<'t> {
        let line = || self.line(text, row);
        match self.facts[column] {
            Fact::Line => Cell::Integer(row as i64 + 1),
            Fact::Text => Cell::Text(line()),
            Fact::Section => of_text(self.sections(text).title(row)),
            Fact::SectionLevel => self.sections(text).level(row).map_or(Cell::Null, Cell::Integer),
            Fact::Path => of_text(self.sections(text).path(row)),
            Fact::Time => match part(line(), log_line::time) {
                Cell::Text(time) => match Reading::Instant.value(time) {
                    Value::Text(time) => Cell::Text(time),
                    _ => Cell::Null,
                },
                cell => cell,
            },
            Fact::Message => part(line(), log_line::message),
            Fact::LogLevel => of_text(self.level(text, row)),
            Fact::Template => of_text(self.templates(text).of(row)),
            Fact::File => of_text(self.diff(text).file(row)),
            Fact::Hunk => of_text(self.diff(text).hunk(row)),
            Fact::Kind => of_text(Some(self.diff(text).kind(row, &line()))),
        }
    }

    /// Whether a column asks for what takes the reading of the whole text, and it was not read yet.
    pub fn is_unread(&self, column: usize) -> bool {
        match self.facts[column] {
            Fact::Section | Fact::SectionLevel | Fact::Path => self.sections.get().is_none(),
            Fact::File | Fact::Hunk | Fact::Kind => self.diff.get().is_none(),
            Fact::Template => self.templates.get().is_none(),
            Fact::Line | Fact::Text | Fact::Time | Fact::LogLevel | Fact::Message => false,
        }
    }

    /// How many times as long as reading a line finding what a column says of it takes.
    pub fn cost(&self, column: usize) -> usize {
        match self.facts[column] {
            Fact::Time => 4,
            Fact::Message => 2,
            // Found once.
            Fact::LogLevel => 1,
            _ => 0,
        }
    }

    fn sections(&self, text: &str) -> &Sections {
        self.sections.get_or_init(|| {
            let shown = terminal::shown(text);
            let head = Head::of(&shown);
            let start: Vec<&str> = head.lines().map(|(_, line)| line).take(LOOKED_AT).collect();
            let outline = outline::of(&shown, head.text, &start);
            outline.map_or_else(Sections::default, |outline| Sections::of(&outline.sections))
        })
    }

    fn diff(&self, text: &str) -> &DiffLines {
        self.diff.get_or_init(|| DiffLines::of(&terminal::shown(text)))
    }

    /// The level of a line, which is found once.
    fn level(&self, text: &str, row: usize) -> Option<&'static str> {
        let known = &self.levels.get_or_init(|| (0..self.len()).map(|_| AtomicU8::new(0)).collect())[row];
        let number = match known.load(Ordering::Relaxed) {
            0 => {
                let line = self.line(text, row);
                // Right below an entry with a time, a trace begins with its error.
                let has_preludes = self.preludes > Preludes::Few;
                let is_of_trace = has_preludes
                    && (1..self.len() - 1).contains(&row)
                    && prelude::end(&line) == 0
                    && prelude::end(&self.line(text, row - 1)) > 0
                    && trace::is_indented_frame(&self.line(text, row + 1));
                let level = log_line::level(&line, has_preludes, self.grades)
                    .filter(|&level| !is_of_trace && !self.is_part(text, row, level));
                let number = level.map_or(1, |level| level as u8 + 2);
                known.store(number, Ordering::Relaxed);
                number
            }
            number => number,
        };
        LogLevel::ALL.get(usize::from(number).checked_sub(2)?).map(|(_, name)| *name)
    }

    /// Whether a line with this level belongs to the entry above it.
    fn is_part(&self, text: &str, row: usize, level: usize) -> bool {
        let of_line = (&*self.line(text, row), LogLevel::ALL[level].0);
        if self.preludes < Preludes::Most || log_lines::begins_entry(of_line.0) {
            return false;
        }
        let above = (row.saturating_sub(MOST_ABOVE)..row).rev().map(|row| self.line(text, row));
        let entry = above.into_iter().find(|line| log_lines::begins_entry(line));
        entry.is_some_and(|entry| self.preludes.is_part(of_line, (&entry, self.grades.level(&entry))))
    }

    /// The templates of all lines, which are found when they are asked for first.
    fn templates(&self, text: &str) -> &LineTemplates {
        self.templates.get_or_init(|| {
            let message = |row: usize| {
                let line = self.line(text, row);
                log_line::message(&line).map_or_else(String::new, |place| line[place].to_owned())
            };
            let level = |row: usize| self.level(text, row).unwrap_or_default();
            let templates = Templates::of((0..self.len()).map(|row| (message(row), level(row))));
            let texts = templates.texts(message);
            let of_line = templates.of_line;
            LineTemplates { of_line, texts }
        })
    }
}

impl LineTemplates {
    fn of(&self, row: usize) -> Option<&str> {
        self.texts.get(self.of_line[row] as usize).map(String::as_str).filter(|text| !text.is_empty())
    }
}

fn of_text(text: Option<&str>) -> Cell<'_> {
    text.map_or(Cell::Null, |text| Cell::Text(Cow::Borrowed(text)))
}

/// A part of a line, which may be a copy.
fn part(line: Cow<'_, str>, place: impl Fn(&str) -> Option<std::ops::Range<usize>>) -> Cell<'_> {
    let Some(place) = place(&line) else { return Cell::Null };
    Cell::Text(match line {
        Cow::Borrowed(line) => Cow::Borrowed(&line[place]),
        Cow::Owned(line) => Cow::Owned(line[place].to_owned()),
    })
}
