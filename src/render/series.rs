//! A series as a summary: a few of its entries as they are, and aggregates over all of them.

use crate::base::error::Error;
use crate::base::field_path::FieldPath;
use crate::base::members::Members;
use crate::outcome::receipt::Step;
use crate::render::aggregate;
use crate::render::detect::{self, SeriesPaths};
use crate::render::elide;
use crate::render::grid::ListPlace;
use crate::render::notes::{self, overview::Missing};
use crate::render::sample;
use crate::render::subject::{Ending, Subject, SubjectAbout, SubjectHead};
use crate::request::context::{Context, Fit};
use crate::request::declared::Series;
use crate::value::any_source::AnySource;
use crate::value::numeric_column;
use crate::value::source::{Source, item};

/// Reads the values of a list's entries; they are shown as `shown` has them. Fields that are not declared are detected.
pub(crate) fn read_entries<'v>(
    series: &Series,
    list: AnySource<'v>,
    shown: AnySource<'v>,
    place: ListPlace,
) -> Result<SeriesEntries<'v>, Error> {
    let found = if series.value.is_none() { detect::keys(&list)? } else { SeriesPaths::default() };
    let keys = SeriesPaths { value: series.value.clone().or(found.value), at: series.at.clone().or(found.at) };
    let at = keys.at.as_ref().map(FieldPath::segments);
    let (values, aggregates) = match keys.value.as_ref().map(FieldPath::segments) {
        Some(value) => {
            let values = numeric_column::numbers(&list, value)?;
            let aggregates = aggregate::json(&list, &values, value, at)?;
            (values, aggregates)
        }
        None => (vec![f64::NAN; list.len()], "null".to_owned()),
    };
    Ok(SeriesEntries { keys, points: series.points, extremes: series.extremes, values, aggregates, shown, place })
}

/// A series with its values read.
pub(crate) struct SeriesEntries<'v> {
    keys: SeriesPaths,
    points: usize,
    extremes: bool,
    values: Vec<f64>,
    /// As JSON.
    aggregates: String,
    /// The entries as they are shown.
    shown: AnySource<'v>,
    place: ListPlace,
}

impl SeriesEntries<'_> {
    /// The positions of at most `points` entries.
    fn picks(&self, points: usize) -> Vec<usize> {
        match self.extremes {
            true => sample::extremes(&self.values, points),
            false => sample::evenly(self.values.len(), points),
        }
    }

    /// The summary with at most `points` entries; `None` if one of them is over the budget by itself.
    fn sampled(
        &self,
        points: usize,
        head: SubjectHead,
        ending: &Ending<'_>,
        ctx: &Context<'_>,
    ) -> Result<Option<String>, Error> {
        let total = self.values.len();
        let picks = self.picks(points);
        let mut kept = Vec::with_capacity(picks.len());
        for &at in &picks {
            let Some(entry) = item(&self.shown, at)? else { return Ok(None) };
            let Some((json, _)) = ctx.measure.json_within(&entry, ctx.budget)? else { return Ok(None) };
            kept.push(json);
        }
        let missing = kept.len() < total;
        let has_aggregates = head == SubjectHead::Start && self.keys.value.is_some();
        let said = notes::overview::series(kept.len(), total, self.points, self.extremes, has_aggregates);
        let note = ending.note(said, missing.then_some(Missing::Entries));
        let indices: Vec<String> = picks.iter().map(usize::to_string).collect();
        let mut out = Members::new();
        out.text("output", "summary");
        out.text("kind", "series");
        out.number("totalItems", total);
        out.number("returned", kept.len());
        out.list("indices", &indices);
        elide::write_omitted_fields(&self.place.omitted, &mut out);
        out.text("note", &note);
        out.extend(&ending.members);
        out.extend(&self.head(head, ctx)?);
        out.list("entries", &kept);
        Ok(Some(out.into_object()))
    }
}

impl<'v> Subject<'v> for SeriesEntries<'v> {
    fn about(&self) -> SubjectAbout<'_, 'v> {
        SubjectAbout { kind: "series", step: Step::Sample, list: &self.shown, bulk: "entries", place: &self.place }
    }

    fn summary(&self, ending: &Ending<'_>, ctx: &Context<'_>) -> Result<Option<(Fit, bool)>, Error> {
        let wanted = self.values.len().min(self.points);
        for head in [SubjectHead::Start, SubjectHead::Names] {
            for points in (0..=wanted).rev() {
                if let Some(text) = self.sampled(points, head, ending, ctx)?
                    && let Some(tokens) = ctx.measure.fits(&text, ctx.budget)
                {
                    let is_all = points >= self.values.len() && self.place.omitted.is_empty() && !ending.has_elisions;
                    return Ok(Some((Fit { text, tokens }, is_all)));
                }
            }
        }
        Ok(None)
    }

    fn head(&self, head: SubjectHead, _: &Context<'_>) -> Result<Members, Error> {
        let mut out = Members::new();
        for (name, path) in [("value", &self.keys.value), ("at", &self.keys.at)] {
            if let Some(path) = path.as_ref().filter(|path| !path.written().is_empty()) {
                out.text(name, path.written());
            }
        }
        out.json("aggregates", if head == SubjectHead::Names { "null" } else { &self.aggregates });
        Ok(out)
    }
}
