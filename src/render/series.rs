//! A series as a summary: a few of its entries as they are, and aggregates over all of them.

use crate::base::error::Error;
use crate::base::field_path::FieldPath;
use crate::base::json_string;
use crate::render::aggregate;
use crate::render::detect::{self, Keys};
use crate::render::elide;
use crate::render::grid::Place;
use crate::render::sample;
use crate::render::subject::{Ending, Head, Subject};
use crate::request::context::{Context, Fit};
use crate::request::declared::Series;
use crate::value::any_source::AnySource;
use crate::value::numeric_column;
use crate::value::source::{Source, item};

/// Reads the values of a list's entries, which are shown as they stand in `shown`. Keys that are not
/// declared are found.
pub(crate) fn read_entries<'v>(
    series: &Series,
    list: AnySource<'v>,
    shown: AnySource<'v>,
    place: Place,
) -> Result<Entries<'v>, Error> {
    let found = if series.value.is_none() { detect::keys(&list)? } else { Keys::default() };
    let keys = Keys { value: series.value.clone().or(found.value), at: series.at.clone().or(found.at) };
    let at = keys.at.as_ref().map(FieldPath::segments);
    let (values, aggregates) = match keys.value.as_ref().map(FieldPath::segments) {
        Some(value) => {
            let values = numeric_column::numbers(&list, value)?;
            let aggregates = aggregate::json(&list, &values, value, at)?;
            (values, aggregates)
        }
        None => (vec![f64::NAN; list.len()], "null".to_owned()),
    };
    Ok(Entries { keys, points: series.points, extremes: series.extremes, values, aggregates, shown, place })
}

/// A series whose values are known.
pub(crate) struct Entries<'v> {
    keys: Keys,
    points: usize,
    extremes: bool,
    values: Vec<f64>,
    /// As JSON.
    aggregates: String,
    /// As they are shown.
    shown: AnySource<'v>,
    place: Place,
}

impl Entries<'_> {
    /// The positions of at most `points` entries.
    fn picks(&self, points: usize) -> Vec<usize> {
        match self.extremes {
            true => sample::extremes(&self.values, points),
            false => sample::evenly(self.values.len(), points),
        }
    }

    /// The summary with at most `points` entries, unless one of them is over the budget by itself.
    fn sampled(&self, points: usize, head: Head, ending: &Ending, cx: &Context<'_>) -> Result<Option<String>, Error> {
        let total = self.values.len();
        let picks = self.picks(points);
        let mut kept = Vec::with_capacity(picks.len());
        for &at in &picks {
            let Some(entry) = item(&self.shown, at)? else { return Ok(None) };
            let Some((json, _)) = cx.measure.json_within(&entry, cx.budget)? else { return Ok(None) };
            kept.push(json);
        }
        let mut note = self.note(kept.len());
        if head == Head::Start && kept.len() < total && self.keys.value.is_some() {
            note += " Aggregates are over all.";
        }
        note += &ending.sentences((kept.len() < total).then_some("all entries"));
        let indices: Vec<String> = picks.iter().map(usize::to_string).collect();
        Ok(Some(format!(
            "{{\"output\":\"summary\",\"kind\":\"series\",\"totalItems\":{total},\"returned\":{},\"indices\":[{}],{}\"note\":{},{}{}\"entries\":[{}]}}",
            kept.len(),
            indices.join(","),
            elide::omitted_fields(&self.place.omitted).map_or(String::new(), |member| member + ","),
            json_string::quoted(&note),
            ending.members,
            self.head(head, cx)?,
            kept.join(","),
        )))
    }

    fn note(&self, kept: usize) -> String {
        let total = self.values.len();
        match (kept, total) {
            (0, 0) => "There are no entries.".to_owned(),
            (1, 1) => "This is the only entry.".to_owned(),
            _ if kept == total => format!("All {total} entries."),
            (0, _) => format!("None of {total} entries fits."),
            (1, _) => format!("1 of {total} entries: no second one fits."),
            _ => {
                let how = if self.extremes { "chosen so that extremes show" } else { "evenly spaced" };
                let few = if kept < total.min(self.points) { ", as many as fit" } else { "" };
                format!("{kept} of {total} entries{few}, {how}, the first and the last among them.")
            }
        }
    }
}

impl<'v> Subject<'v> for Entries<'v> {
    fn kind(&self) -> &'static str {
        "series"
    }

    fn step(&self) -> &'static str {
        "sample"
    }

    fn summary(&self, ending: &Ending, cx: &Context<'_>) -> Result<Option<(Fit, bool)>, Error> {
        let wanted = self.values.len().min(self.points);
        for head in [Head::Start, Head::Names] {
            for points in (0..=wanted).rev() {
                if let Some(text) = self.sampled(points, head, ending, cx)?
                    && let Some(tokens) = cx.measure.fits(&text, cx.budget)
                {
                    let is_all = points >= self.values.len() && self.place.omitted.is_empty() && !ending.has_elisions;
                    return Ok(Some((Fit { text, tokens }, is_all)));
                }
            }
        }
        Ok(None)
    }

    fn head(&self, head: Head, _: &Context<'_>) -> Result<String, Error> {
        let named = |name: &str, path: &Option<FieldPath>| {
            let written = path.as_ref().map(FieldPath::written).filter(|written| !written.is_empty());
            written.map_or(String::new(), |written| format!("\"{name}\":{},", json_string::quoted(written)))
        };
        let Keys { value, at } = &self.keys;
        let aggregates = if head == Head::Names { "null" } else { &self.aggregates };
        Ok(format!("{}{}\"aggregates\":{aggregates},", named("value", value), named("at", at)))
    }

    fn list(&self) -> &AnySource<'v> {
        &self.shown
    }

    fn bulk(&self) -> &'static str {
        "entries"
    }

    fn pointer(&self) -> &str {
        &self.place.pointer
    }

    fn omitted(&self) -> &[String] {
        &self.place.omitted
    }
}
