//! The definitions of all tools as a share of the window.

use super::html::{share, text};
use crate::survey::measured::{Measured, MeasuredServer};
use crate::survey::numbers::{counted, grouped, percent};

/// The heights of a bar, and from one to the next with its text above.
const BAR: usize = 22;
const STEP: usize = 56;

pub(super) fn section(measured: &Measured) -> String {
    let total = |of: fn(&MeasuredServer) -> usize| measured.servers.iter().map(of).sum::<usize>();
    let (before, after) = (total(MeasuredServer::before), total(MeasuredServer::after));
    let most = measured.window.max(before).max(after);
    let bars = [
        ("as they are", before, MeasuredServer::before as fn(&MeasuredServer) -> usize),
        ("behind toolshape", after, MeasuredServer::after),
    ];
    let mut picture = String::new();
    for (at, (name, tokens, of)) in bars.into_iter().enumerate() {
        let y = at * STEP;
        let said = format!("{} tokens, {}, {name}", grouped(tokens), percent(tokens, measured.window));
        picture += &format!("<text x=\"0\" y=\"{}\">{said}</text>\n", y + 14);
        let y = y + 22;
        picture += &format!("<rect class=\"room\" x=\"0\" y=\"{y}\" width=\"100%\" height=\"{BAR}\"/>\n");
        let mut x = 0;
        for server in &measured.servers {
            let width = of(server) * 10_000 / most;
            let title = format!("{}: {} tokens", text(&server.name), grouped(of(server)));
            picture += &format!(
                "<g class=\"t\"><title>{title}</title><rect class=\"bar\" x=\"{}\" y=\"{y}\" width=\"{}\" height=\"{BAR}\"/></g>\n",
                share(x),
                share(width.max(10)),
            );
            x += width;
        }
        let window = measured.window * 10_000 / most;
        if window < 10_000 {
            let at = share(window);
            picture +=
                &format!("<line class=\"limit\" x1=\"{at}\" x2=\"{at}\" y1=\"{}\" y2=\"{}\"/>\n", y - 4, y + BAR + 4);
        }
    }
    let y = STEP * bars.len() + 12;
    for quarter in 0..=4 {
        let (at, anchor) = (most * quarter / 4, ["start", "middle", "middle", "middle", "end"][quarter]);
        let class = if quarter % 2 == 1 { " class=\"tick m\"" } else { " class=\"tick\"" };
        picture += &format!(
            "<text{class} x=\"{}\" y=\"{y}\" text-anchor=\"{anchor}\">{}</text>\n",
            share(quarter * 2500),
            grouped(at)
        );
    }
    let tools: usize = measured.servers.iter().map(|server| server.tools.len()).sum();
    let added: usize = measured.servers.iter().map(|server| server.added.all).sum();
    let with_added = measured.servers.iter().filter(|server| server.added.all > 0).count();
    let of_tool = match with_added {
        0 => String::new(),
        _ => format!(
            " Behind toolshape there is one tool more, <code>read_result</code>, with which a model asks about what was \
             left out: {} tokens for each server.",
            grouped(added / with_added)
        ),
    };
    let of_others = match after.saturating_sub(before + added) {
        0 => String::new(),
        more => format!(
            " Output schemas that also allow shaped results, and arguments for later pages, take {}.",
            counted(more, "token more", "tokens more")
        ),
    };
    let more = of_tool + &of_others;
    format!(
        "<section>\n<h2>Definitions in the window</h2>\n<p>A model has {} before the first question, in a window of {} tokens.{more}\
         </p>\n<svg role=\"img\" aria-label=\"Two bars: the definitions take {} tokens of {}, and {} behind toolshape\" \
         height=\"{}\">\n{picture}</svg>\n</section>\n",
        counted(tools, "definition", "definitions"),
        grouped(measured.window),
        grouped(before),
        grouped(measured.window),
        grouped(after),
        y + 6,
    )
}
