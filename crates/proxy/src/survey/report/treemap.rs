//! Where the tokens of the definitions are: server, tool, part.

use super::html::{label, share, text};
use super::squarified::{Rect, sliced, squarified};
use crate::survey::definition::PARTS;
use crate::survey::measured::{Measured, MeasuredServer, MeasuredTool};
use crate::survey::numbers::{grouped, percent};
use toolshape::host::sort_by_key;

/// The picture in which rectangles are laid out, in pixels: its height is that of every screen, its width is between those
/// of a telephone and of a wide screen.
const WIDTH: f64 = 760.0;
const HEIGHT: f64 = 520.0;

/// The height of the line with a name, and the least height of what has one.
const NAME: f64 = 17.0;
const LEAST_NAMED: f64 = 34.0;

/// The least height of a part with a label, in pixels.
const LEAST_LABELLED: f64 = 16.0;

pub(super) fn section(measured: &Measured) -> String {
    let mut servers: Vec<&MeasuredServer> = measured.servers.iter().filter(|server| !server.tools.is_empty()).collect();
    if servers.is_empty() {
        return String::new();
    }
    sort_by_key(&mut servers, |server| std::cmp::Reverse(server.before()));
    let weights: Vec<usize> = servers.iter().map(|server| server.before()).collect();
    let room = Rect { x: 0.0, y: 0.0, width: WIDTH, height: HEIGHT };
    let mut picture = String::new();
    for (server, mut room) in servers.iter().zip(squarified(&weights, room)) {
        if servers.len() > 1 && room.height >= LEAST_NAMED {
            name(&server.name, server.before(), room, " server", &mut picture);
            room.y += NAME;
            room.height -= NAME;
        }
        tools(server, room, &mut picture);
    }
    format!(
        "<section>\n<h2>Where these tokens are</h2>\n<p>{}</p>\n\
         <svg role=\"img\" aria-label=\"A map of the tokens of each tool, by its parts; the same as numbers in the table of \
         tools\" height=\"{}\">\n{picture}</svg>\n</section>\n",
        parts(&servers),
        pixels(HEIGHT),
    )
}

/// The share of each part, with its colour.
fn parts(servers: &[&MeasuredServer]) -> String {
    let mut sums = [0; PARTS.len()];
    for tool in servers.iter().flat_map(|server| &server.tools) {
        sums.iter_mut().zip(tool.before.parts).for_each(|(sum, tokens)| *sum += tokens);
    }
    let total = sums.iter().sum();
    let mut all: Vec<(usize, usize)> = sums.into_iter().enumerate().filter(|(_, sum)| *sum > 0).collect();
    sort_by_key(&mut all, |(_, sum)| std::cmp::Reverse(*sum));
    let part =
        |(at, sum): &(usize, usize)| format!("<span class=\"p{at}\">{} {}</span>", PARTS[*at].0, percent(*sum, total));
    all.iter().map(part).collect::<Vec<String>>().join(" ")
}

fn tools(server: &MeasuredServer, room: Rect, picture: &mut String) {
    let mut tools: Vec<&MeasuredTool> = server.tools.iter().collect();
    sort_by_key(&mut tools, |tool| std::cmp::Reverse(tool.before.all));
    let weights: Vec<usize> = tools.iter().map(|tool| tool.before.all).collect();
    for (tool, mut room) in tools.iter().zip(squarified(&weights, room)) {
        let mut said = format!("{}: {} tokens", text(&tool.name), grouped(tool.before.all));
        for ((part, _), tokens) in PARTS.iter().zip(tool.before.parts).filter(|(_, tokens)| *tokens > 0) {
            said += &format!(", {part} {}", grouped(tokens));
        }
        *picture += &format!("<g class=\"t\"><title>{said}</title>\n");
        let whole = room;
        let is_named = room.height >= LEAST_NAMED;
        if is_named {
            *picture += &rect("tool", room);
            room.y += NAME;
            room.height -= NAME;
        }
        let mut parts: Vec<(usize, usize)> =
            tool.before.parts.into_iter().enumerate().filter(|(_, tokens)| *tokens > 0).collect();
        sort_by_key(&mut parts, |(_, tokens)| std::cmp::Reverse(*tokens));
        let weights: Vec<usize> = parts.iter().map(|(_, tokens)| *tokens).collect();
        for ((part, tokens), room) in parts.iter().zip(sliced(&weights, room)) {
            *picture += &rect(&format!("p{part}"), room);
            if room.height >= LEAST_LABELLED
                && let Some((said, class)) = label(&grouped(*tokens), hundredths(room.width))
            {
                write(&said, class, room, picture);
            }
        }
        if is_named && let Some((said, class)) = label(&tool.name, hundredths(whole.width)) {
            write(&said, class, whole, picture);
        }
        *picture += "</g>\n";
    }
}

/// A frame with the name of what is in it.
fn name(name: &str, tokens: usize, room: Rect, class: &str, picture: &mut String) {
    *picture += &rect(class.trim(), room);
    if let Some((said, class)) = label(&format!("{name} {}", grouped(tokens)), hundredths(room.width)) {
        write(&said, class, room, picture);
    }
}

/// A text at the top of a rectangle, cut where that ends.
fn write(said: &str, class: &str, room: Rect, picture: &mut String) {
    *picture += &format!(
        "<svg{class} x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"><text x=\"4\" y=\"12\">{said}</text></svg>\n",
        share(hundredths(room.x)),
        pixels(room.y),
        share(hundredths(room.width)),
        pixels(NAME),
    );
}

fn rect(class: &str, room: Rect) -> String {
    format!(
        "<rect class=\"{class}\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"/>\n",
        share(hundredths(room.x)),
        pixels(room.y),
        share(hundredths(room.x + room.width).saturating_sub(hundredths(room.x))),
        pixels(room.y + room.height).saturating_sub(pixels(room.y)),
    )
}

/// A length across the picture in hundredths of a percent.
fn hundredths(length: f64) -> usize {
    (length / WIDTH * 10_000.0 + 0.5) as usize
}

fn pixels(length: f64) -> usize {
    (length + 0.5) as usize
}
