//! The table of methods: one row each.

use toolshape::Shaper;
use toolshape_proxy::{Http, Relay, Survey};

use crate::answer::{MethodAnswer, Reply};
use crate::handles::{CONNECTIONS, RELAYS, SHAPERS};
use crate::methods::{archive, http, reading, relay, shaping, survey, tools, vocabularies};
use crate::request::Request;
use toolshape::Error;

/// All methods.
pub const METHODS: &[Method] = &[
    // Shapers, and what needs no value of the host.
    alone("shaper", &["policy"], shaping::create),
    alone("forgetShaper", &["shaper"], shaping::forget),
    alone("preset", &["name"], shaping::preset),
    alone("inferSchema", &["text"], shaping::infer_schema),
    alone("checkReturned", &["index", "keys"], shaping::check_returned),
    of_shaper("summarizeText", &["text", "summary", "call", "now"], shaping::summarize_text),
    of_shaper("decodeKeyset", &["cursor", "call", "now"], shaping::decode_keyset),
    of_shaper("pageSize", &["call", "now"], shaping::page_size),
    of_shaper("outputSchema", &["tool"], shaping::output_schema),
    of_shaper("refusal", &["error", "call", "now"], shaping::refusal),
    // Stored results.
    alone("handleKeys", &["handle"], reading::handle_keys),
    of_shaper("lookup", &["purpose", "authorizes", "call", "now"], reading::lookup),
    of_shaper("open", &["purpose", "ticket", "call", "now"], reading::open),
    of_shaper("ticket", &["key", "known", "call", "now"], reading::ticket),
    of_shaper("snapshot", &["call", "now"], reading::snapshot),
    of_shaper("shapeSnapshot", &["key", "content", "call", "now"], reading::shape_snapshot),
    of_shaper("shapeSnapshotResult", &["key", "content", "call", "now"], reading::shape_snapshot_result),
    of_shaper("readKeys", &["call", "now"], reading::read_keys),
    of_shaper("readResult", &["key", "content", "call", "now"], reading::read_result),
    of_shaper("sqlQuestion", &["call", "now"], reading::sql_question),
    of_shaper("checkStored", &["handle", "key", "content", "call", "now"], reading::check_stored),
    of_shaper("showAnswers", &["answers", "call", "now"], reading::show_answers),
    of_shaper("toSummarize", &["key", "content", "call", "now"], reading::to_summarize),
    of_shaper("resource", &["key", "content", "call", "now"], reading::resource),
    // Archives.
    alone("archiveOptions", &["options"], archive::options),
    alone("summarizerOptions", &["options"], archive::summarizer_options),
    alone("keeping", &["count", "redacts", "heard"], archive::keeping),
    alone("checkRedacted", &["text", "isJson", "round", "seen"], archive::check_redacted),
    alone("noText", &["what", "type"], archive::no_text),
    of_shaper("checkScope", &[], archive::check_scope),
    // Tools, and adapters.
    of_shaper("tool", &["tool", "hasStore"], tools::tool),
    of_shaper("plan", &["tool", "hasStore"], tools::plan),
    of_shaper("planUnlisted", &["name"], tools::plan_unlisted),
    of_shaper("leavesAlone", &["name"], tools::leaves_alone),
    of_shaper("addedTools", &["hasStore", "summarizes"], tools::added_tools),
    of_shaper("checkCall", &["call", "now"], tools::check_call),
    of_shaper("answer", &["tool", "text", "image", "isError", "client"], tools::answer),
    alone("readResultTool", &[], tools::read_result_tool),
    alone("readToolOf", &["server"], tools::read_tool_of),
    alone("summarizeTool", &["hasStore"], tools::summarize_tool),
    alone("resultTemplate", &[], tools::result_template),
    alone("checkAdapterOptions", &["options"], tools::check_adapter_options),
    alone("checkHarnessOptions", &["options"], tools::check_harness_options),
    alone("checkToolName", &["name", "added"], tools::check_tool_name),
    alone("hookTexts", &["tool", "response"], tools::hook_texts),
    alone("hookOutput", &["response", "pointers", "parts"], tools::hook_output),
    alone("controlArguments", &[], tools::control_arguments),
    alone("receiptLine", &["receipt"], tools::receipt_line),
    alone("explain", &["receipt"], tools::explain),
    // Vocabularies.
    alone("installVocabulary", &["encoding", "packed"], vocabularies::install),
    alone("loadEncoding", &["name", "ranks", "pattern"], vocabularies::load),
    // The relay.
    alone("relayOptions", &["options", "text"], relay::check_options),
    alone("relay", &["options", "isRemote", "state"], relay::create),
    alone("forgetRelay", &["relay"], relay::forget),
    of_relay("relayState", &[], relay::state),
    of_relay("relayLines", &["lines", "isClient", "now"], relay::handle_lines),
    of_relay("relayLongLine", &["part", "isClient", "isEnd"], relay::handle_long_line),
    of_relay("relayHeard", &["number", "value", "wasWritten", "failure"], relay::heard),
    of_relay("relayEnded", &["reason"], relay::ended),
    of_relay("relayIsIdle", &[], relay::is_idle),
    // A server behind streamable HTTP.
    alone("http", &["state", "maxLineBytes"], http::create),
    alone("forgetHttp", &["http"], http::forget),
    of_http("httpState", &[], http::state),
    of_http("httpToServer", &["line"], http::to_server),
    of_http("httpAnswered", &["number", "status", "session", "content", "retryAfter"], http::answered),
    of_http("httpBody", &["number", "bytes"], http::body),
    of_http("httpEnded", &["number", "failure"], http::ended),
    of_http("httpIsDelivered", &[], http::is_delivered),
    of_http("httpClose", &[], http::close),
    // Measuring and checking servers.
    alone("survey", &["name", "script"], survey::create),
    alone("surveyed", &["name", "text", "isTools"], survey::known),
    of_survey("surveyStart", &[], survey::start),
    of_survey("surveyLine", &["line"], survey::line),
    of_survey("surveyGaveUp", &["reason"], survey::gave_up),
    of_survey("surveyServerEnded", &["reason"], survey::server_ended),
    alone("surveyNotes", &["server"], survey::notes),
    of_shaper("measure", &["servers", "format", "window", "columns", "now"], survey::measure),
    of_shaper("lint", &["servers", "format", "source", "columns"], survey::lint),
    alone("configuredServers", &["text", "environment"], survey::configured_servers),
    alone("hostFiles", &[], survey::host_files),
];

/// A method. It converts its members, calls the core and converts the result; it has no defaults and no checks.
pub struct Method {
    pub name: &'static str,
    /// The members of its requests, without the one that names what it is a method of.
    members: &'static [&'static str],
    run: MethodFunction,
}

/// The function of a method, by what it is a method of.
enum MethodFunction {
    Alone(fn(&Request<'_>) -> Reply),
    Shaper(fn(&Shaper, &Request<'_>) -> Reply),
    Relay(fn(&mut Relay, &Request<'_>) -> Reply),
    Http(fn(&mut Http, &Request<'_>) -> Reply),
    Survey(fn(&mut Survey, &Request<'_>) -> Reply),
}

const fn alone(name: &'static str, members: &'static [&'static str], run: fn(&Request<'_>) -> Reply) -> Method {
    Method { name, members, run: MethodFunction::Alone(run) }
}

const fn of_shaper(
    name: &'static str,
    members: &'static [&'static str],
    run: fn(&Shaper, &Request<'_>) -> Reply,
) -> Method {
    Method { name, members, run: MethodFunction::Shaper(run) }
}

const fn of_relay(
    name: &'static str,
    members: &'static [&'static str],
    run: fn(&mut Relay, &Request<'_>) -> Reply,
) -> Method {
    Method { name, members, run: MethodFunction::Relay(run) }
}

const fn of_http(
    name: &'static str,
    members: &'static [&'static str],
    run: fn(&mut Http, &Request<'_>) -> Reply,
) -> Method {
    Method { name, members, run: MethodFunction::Http(run) }
}

const fn of_survey(
    name: &'static str,
    members: &'static [&'static str],
    run: fn(&mut Survey, &Request<'_>) -> Reply,
) -> Method {
    Method { name, members, run: MethodFunction::Survey(run) }
}

impl Method {
    /// The members of its requests.
    pub fn members(&self) -> impl Iterator<Item = &'static str> + Clone {
        self.owner().into_iter().chain(self.members.iter().copied())
    }

    /// The member that names what it is a method of.
    fn owner(&self) -> Option<&'static str> {
        match self.run {
            MethodFunction::Alone(_) => None,
            MethodFunction::Shaper(_) => Some("shaper"),
            MethodFunction::Relay(_) => Some("relay"),
            MethodFunction::Http(_) => Some("http"),
            MethodFunction::Survey(_) => Some("server"),
        }
    }

    pub(crate) fn call(&self, request: &Request<'_>) -> Result<MethodAnswer, Error> {
        request.has_only(self.members())?;
        let number = || request.number(self.owner().unwrap_or_default());
        match self.run {
            MethodFunction::Alone(run) => run(request),
            MethodFunction::Shaper(run) => match request.shaper {
                Some(shaper) => run(shaper, request),
                None => run(&*SHAPERS.with(|shapers| shapers.find(number()?))?, request),
            },
            MethodFunction::Relay(run) => run(&mut RELAYS.with(|relays| relays.find(number()?))?.borrow_mut(), request),
            MethodFunction::Http(run) => run(&mut CONNECTIONS.with(|all| all.find(number()?))?.borrow_mut(), request),
            MethodFunction::Survey(run) => survey::with(number()?, |survey| run(survey, request)),
        }
    }
}
