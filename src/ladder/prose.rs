//! Text over the budget that is read and not queried: what it is, and the renderer that shows it so.

use std::borrow::Cow;

use toolshape_text::lines;
use toolshape_text::prose::encoded::{self, Shortened};
use toolshape_text::prose::log_lines::Preludes;
use toolshape_text::prose::messages::Messages;
use toolshape_text::prose::{html, terminal, trace};

use crate::base::error::{Error, ErrorCode};
use crate::base::members::Members;
use crate::base::text_cuts;
use crate::base::work::Work;
use crate::render::line_overview::{self, WholeText};
use crate::render::notes;
use crate::render::outline::HeadingOutline;
use crate::render::survey as survey_shape;
use crate::render::truncate::{self, About, IN_PAGE, IN_SEEN, IN_SHORTENED};
use crate::request::context::{Context, Fit, HowToAsk};
use crate::request::policy::{Format, Preview, ReadAs, Settings};
use crate::value::any_source::AnySource;
use crate::value::plain_text::PlainText;
use crate::value::prose::recognize;
use crate::value::prose::sample::Sample;
use crate::value::source::Source;
use crate::value::structured_text::TextFormat;
use crate::value::token_estimate;

/// Of a longer text both ends are shown and no more: it takes long to read.
const MOST_SURVEYED: usize = 1 << 22;
/// Characters of a page's title that are shown.
const TITLE_CHARS: usize = 200;

/// Shows a text as what it is, `given` if the core has it, or else by its ends and notable lines. `None` if the call or
/// the policy asks for plain text or another part, or if there is no room for what must be shown.
///
/// # Errors
/// `INVALID_CURSOR`, and whatever reading the text reports.
pub(crate) fn show(
    text: &AnySource<'_>,
    given: Option<&str>,
    weight: usize,
    work: &Work,
    ctx: &Context<'_>,
) -> Result<Option<(Option<TextFormat>, Fit)>, Error> {
    let format = format(text, given, ctx)?;
    if format.is_none() && !(is_surveyed(ctx) && text.chars() <= MOST_SURVEYED) {
        return Ok(None);
    }
    let own = match given {
        Some(given) => Cow::Borrowed(given),
        None => text.text()?,
    };
    let own = lines::with_feeds(own);
    // Without work left the text is cut as any other.
    if work.lines(&own).is_break() {
        return match ctx.place()? {
            None => Ok(None),
            // The cursor counts the characters of a page that is not made.
            Some(_) => Err(Error::new(ErrorCode::InvalidCall, notes::read_back::stopped("cursor"), "/cursor")),
        };
    }
    let short = match format {
        Some(TextFormat::Html) => None,
        _ => encoded::shortened(&own, matches!(format, Some(TextFormat::Log | TextFormat::Trace))).or_else(|| {
            terminal::is_written_over(&own).then(|| Shortened::nowhere(terminal::shown(&own).into_owned()))
        }),
    };
    match &short {
        None => {
            let whole = WholeText { text: &own, chars: text.chars(), weight, original: None, short: None };
            show_as(format, text, &whole, ctx)
        }
        Some(short) => {
            let shown = AnySource::new(PlainText::new(&short.text));
            let original = Some(text.chars());
            let whole = WholeText { text: &short.text, chars: shown.chars(), weight, original, short: Some(short) };
            show_as(format, &shown, &whole, ctx)
        }
    }
}

/// Shows a text, which is also in `whole`, as this format.
fn show_as(
    format: Option<TextFormat>,
    text: &AnySource<'_>,
    whole: &WholeText<'_>,
    ctx: &Context<'_>,
) -> Result<Option<(Option<TextFormat>, Fit)>, Error> {
    // The steps of a build have levels and no times, and no document has messages or codes of a terminal.
    let is_printed = |format: &TextFormat| {
        let shown = terminal::shown(whole.text);
        match format {
            TextFormat::Log => Preludes::of(&lines::of(&shown)) == Preludes::Few,
            TextFormat::Markdown => shown != whole.text || !Messages::of(&lines::of(&shown)).counts.is_empty(),
            _ => false,
        }
    };
    let format = format.filter(|format| !is_surveyed(ctx) || !is_printed(format));
    let Some(format) = format else { return survey_shape::show(text, whole, ctx) };
    let original = whole.original;
    let counted_in = whole.counted_in();
    let lead = &Members::new();
    let about = About { format: Some(format), original, counted_in, ..About::plain(lead, whole.weight) };
    let fit = match format {
        TextFormat::Log => match line_overview::log(whole, ctx)? {
            None if is_surveyed(ctx) => return survey_shape::show(text, whole, ctx),
            fit => fit,
        },
        TextFormat::Trace => line_overview::trace(whole, ctx)?,
        TextFormat::Markdown => {
            let outline = HeadingOutline::of(whole.text, |line| whole.line(line));
            let mut facts = Members::new();
            facts.number("headings", outline.len());
            truncate::text(text, &About { facts, outline, ..about }, ctx)?
        }
        // What a cursor counts in; of a text that has changed since, it says so.
        TextFormat::Base64 | TextFormat::Terminal => truncate::text(text, &about, ctx)?,
        _ => page(whole, ctx)?,
    };
    Ok(fit.map(|fit| (Some(format), fit)))
}

/// The part that is shown of a text without a structure that is not read: both ends where it is too long for that.
pub(crate) fn unread_part(text: &AnySource<'_>, ctx: &Context<'_>) -> Option<Preview> {
    (is_surveyed(ctx) && text.chars() > MOST_SURVEYED).then_some(Preview::HeadTail)
}

/// Whether a text that has no structure is shown by its ends and the notable lines.
fn is_surveyed(ctx: &Context<'_>) -> bool {
    let Settings { preview, text, .. } = ctx.settings;
    *preview == Preview::Auto && *text == ReadAs::Auto && ctx.controls.format != Some(Format::Text) && !ctx.goes_on()
}

/// A page as a reader sees it; `None` if it shows no text.
fn page(whole: &WholeText<'_>, ctx: &Context<'_>) -> Result<Option<Fit>, Error> {
    let page = html::read(whole.text);
    if page.text.is_empty() {
        return Ok(None);
    }
    let text = PlainText::new(&page.text);
    let mut facts = Members::new();
    if !page.title.is_empty() {
        facts.text("title", &text_cuts::clipped(&page.title, TITLE_CHARS));
    }
    let lead = &Members::new();
    let weight = token_estimate::tokens(&text, ctx.measure)?;
    let can_ask_for_lines =
        ctx.how_to_ask == HowToAsk::ReadResult || (ctx.base.is_empty() && ctx.handle(true).is_some());
    let outline = HeadingOutline::of_page(&page, can_ask_for_lines.then_some(whole.text));
    if outline.len() > 0 {
        facts.number("headings", outline.len());
    }
    let original = Some(whole.chars);
    let (format, counted_in) = (Some(TextFormat::Html), IN_PAGE);
    let about = About { format, facts, outline, original, counted_in, ..About::plain(lead, weight) };
    truncate::text(&text, &about, ctx)
}

/// What a text is to be read as.
fn format(text: &AnySource<'_>, given: Option<&str>, ctx: &Context<'_>) -> Result<Option<TextFormat>, Error> {
    if ctx.controls.format == Some(Format::Text) {
        return Ok(None);
    }
    if let Some(place) = ctx.place()? {
        return Ok(match &*place.pointer {
            IN_PAGE => Some(TextFormat::Html),
            IN_SHORTENED => Some(TextFormat::Base64),
            IN_SEEN => Some(TextFormat::Terminal),
            _ => None,
        });
    }
    let sample = || given.map_or_else(|| Sample::of(text), |given| Ok(Sample::of_text(given)));
    Ok(match ctx.settings.text {
        ReadAs::Plain | ReadAs::Csv => None,
        ReadAs::Auto => recognize::format(&sample()?),
        ReadAs::Markdown => Some(TextFormat::Markdown),
        ReadAs::Html => Some(TextFormat::Html),
        ReadAs::Log if trace::is_trace(&sample()?.lines()) => Some(TextFormat::Trace),
        ReadAs::Log => Some(TextFormat::Log),
    })
}
