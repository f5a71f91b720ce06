//! The notes of series and grids, and the legend of a grid's picture.

use crate::request::handle::Handle;

use super::ways::Note;
use crate::request::context::Context;

/// The note of a series, of which as many entries as the policy wants are `wanted`; whether they are chosen so that extremes show,
/// not evenly, and whether there are aggregates of all.
pub(crate) fn series(kept: usize, total: usize, wanted: usize, extremes: bool, has_aggregates: bool) -> String {
    let mut out = match (kept, total) {
        (0, 0) => "There are no entries.".to_owned(),
        (1, 1) => "This is the only entry.".to_owned(),
        _ if kept == total => format!("All {total} entries."),
        (0, _) => format!("None of {total} entries fits."),
        (1, _) => format!("1 of {total} entries: no second one fits."),
        _ => {
            let how = if extremes { "chosen to show extremes" } else { "evenly spaced" };
            let few = if kept < total.min(wanted) { ", as many as fit" } else { "" };
            format!("{kept} of {total} entries{few}, {how}, with the first and the last.")
        }
    };
    if has_aggregates && kept < total {
        out += " Aggregates cover all entries.";
    }
    out
}

/// The note of a grid; `too_large` is the pointer to the best cell where that cannot be shown.
pub(crate) fn grid(feasible: usize, total: usize, is_max: bool, too_large: Option<&str>) -> String {
    if feasible == 0 {
        return format!("None of {total} cells is feasible.");
    }
    let best = if is_max { "highest" } else { "lowest" };
    let mut out = format!("{feasible} of {total} cells are feasible; the best has the {best} value.");
    if let Some(pointer) = too_large {
        out += &format!(" The best cell is too large to show; repeat this call with fields set to [\"{pointer}\"].");
    }
    out
}

/// What the full result holds that a summary does not.
#[derive(Clone, Copy)]
pub(crate) enum Missing {
    Entries,
    FeasibleCells,
}

/// The note of a summary, which begins with `said`: how to get what is missing, by the handle of the whole if there is one, and
/// what is shortened.
pub(crate) fn ending(
    said: String,
    missing: Option<Missing>,
    handle: Option<Handle>,
    has_shortened: bool,
    ctx: &Context<'_>,
) -> String {
    let mut note = Note::new(ctx, handle);
    note.say(said);
    if let Some(missing) = missing {
        let what = match missing {
            Missing::Entries => "all entries",
            Missing::FeasibleCells => "every feasible cell",
        };
        match handle {
            Some(handle) => note.whole(handle, what),
            None => note.repeat("output set to full", what),
        }
    }
    if has_shortened {
        note.repeat("fields set to [its pointer]", "a shortened value");
    }
    note.finish()
}

/// The legend of a grid's picture: each axis from its first label to its last, the worst and the best value, and of
/// how many cells, across and down, a character is the best.
pub(crate) fn legend(across: &str, down: &str, worst: &str, best: &str, block: (usize, usize)) -> String {
    let mut out =
        format!("{across} across, {down} down; 0 worst ({worst}) to 9 best ({best}), * the best, blank not feasible");
    if block != (1, 1) {
        out += &format!("; each character is the best of {} x {} cells", block.0, block.1);
    }
    out
}

/// An axis in the legend.
pub(crate) fn axis(name: &str, first: &str, last: &str) -> String {
    format!("{name} {first} to {last}")
}
