//! All numbers of the pictures, as tables.

use super::html::text;
use crate::survey::definition::PARTS;
use crate::survey::measured::{Measured, MeasuredResult};
use crate::survey::numbers::grouped;
use toolshape::host::{Host, sort_by_key};

pub(super) fn section(measured: &Measured) -> String {
    let mut out = "<section>\n<h2>All numbers</h2>\n".to_owned();
    for server in &measured.servers {
        let mut head = vec!["Tool", "All"];
        head.extend(PARTS.iter().map(|(name, _)| *name));
        head.push("Behind toolshape");
        let mut tools: Vec<_> = server.tools.iter().collect();
        sort_by_key(&mut tools, |tool| std::cmp::Reverse(tool.before.all));
        let rows = tools.iter().map(|tool| {
            let parts = tool.before.parts.into_iter();
            let numbers = std::iter::once(tool.before.all).chain(parts).chain([tool.after.all]);
            (text(&tool.name), numbers.map(grouped).collect())
        });
        table(&format!("Definitions of {}", text(&server.name)), &head, rows, &mut out);
        if !server.results.is_empty() {
            let head = [
                "Result of", "Content", "Structured", "Bytes", "Behind toolshape", "Not shown whole by",
                "Even behind toolshape",
            ];
            table(&format!("Results of {}", text(&server.name)), &head, server.results.iter().map(result), &mut out);
        }
        for note in &server.notes {
            out += &format!("<p>{}</p>\n", text(note));
        }
    }
    let hosts = Host::limited().map(|host| {
        let limits = host.limit.units().into_iter().filter(|(most, _)| *most != usize::MAX);
        let limits: Vec<String> = limits.map(|(most, unit)| format!("{} {unit}", grouped(most))).collect();
        (host.title.to_owned(), vec![limits.join(" or "), host.then.to_string(), host.source.to_owned()])
    });
    table("Limits of hosts, November 2026", &["Host", "Limit of a result", "A larger one", "By its"], hosts, &mut out);
    out + "</section>\n"
}

fn result(result: &MeasuredResult) -> (String, Vec<String>) {
    let names = |over: &[crate::channels::Over]| over.iter().map(|over| over.host.title).collect::<Vec<_>>().join(", ");
    let structured = result.before.structured.map_or(String::new(), |size| grouped(size.tokens));
    let numbers = vec![
        grouped(result.before.content.tokens),
        structured,
        grouped(result.before.most().bytes),
        grouped(result.after.most().tokens),
        names(&result.over),
        names(&result.over_after),
    ];
    (text(&result.tool), numbers)
}

/// A table that is closed at first; the first cell of a row is its name, which is escaped already.
fn table(caption: &str, head: &[&str], rows: impl Iterator<Item = (String, Vec<String>)>, out: &mut String) {
    let head: String = head.iter().map(|name| format!("<th scope=\"col\">{name}</th>")).collect();
    *out += &format!(
        "<details>\n<summary>{caption}</summary>\n<div class=\"wide\" tabindex=\"0\" role=\"region\" aria-label=\"{caption}\">\
         <table>\n<thead><tr>{head}</tr></thead>\n<tbody>\n"
    );
    for (name, cells) in rows {
        let cells: String = cells.iter().map(|cell| format!("<td>{cell}</td>")).collect();
        *out += &format!("<tr><th scope=\"row\">{name}</th>{cells}</tr>\n");
    }
    *out += "</tbody>\n</table></div>\n</details>\n";
}
