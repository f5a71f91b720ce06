//! The table of methods: one row each.

use toolshape::Shaper;
use toolshape_proxy::Relay;

use crate::answer::{MethodAnswer, Reply};
use crate::handles::{RELAYS, SHAPERS};
use crate::methods::{archive, reading, relay, session, shaping, tools, vocabularies};
use crate::request::Request;
use toolshape::Error;

/// All methods.
pub const METHODS: &[Method] = &[
    // Shapers, and what needs no value of the host.
    alone("shaper", &["policy"], shaping::create),
    alone("forgetShaper", &["shaper"], shaping::forget),
    alone("preset", &["name"], shaping::preset),
    alone("expand", &["text"], shaping::expand),
    alone("checkReturned", &["index", "keys"], shaping::check_returned),
    of_shaper("summarizeText", &["text", "summary", "call", "now"], shaping::summarize_text),
    of_shaper("decodeKeyset", &["cursor", "call", "now"], shaping::decode_keyset),
    of_shaper("pageSize", &["call", "now"], shaping::page_size),
    of_shaper("outputSchema", &["tool"], shaping::output_schema),
    of_shaper("refusal", &["error", "call", "now"], shaping::refusal),
    // Stored results.
    alone("handleKeys", &["handle"], reading::handle_keys),
    of_shaper("open", &["purpose", "ticket", "call", "now"], reading::open),
    of_shaper("ticket", &["key", "known", "call", "now"], reading::ticket),
    of_shaper("snapshot", &["call", "now"], reading::snapshot),
    of_shaper("shapeSnapshot", &["key", "content", "call", "now"], reading::shape_snapshot),
    of_shaper("shapeSnapshotResult", &["key", "content", "call", "now"], reading::shape_snapshot_result),
    of_shaper("readKeys", &["call", "now"], reading::read_keys),
    of_shaper("readResult", &["key", "content", "call", "now"], reading::read_result),
    of_shaper("toSummarize", &["key", "content", "call", "now"], reading::to_summarize),
    of_shaper("resource", &["key", "content", "call", "now"], reading::resource),
    // Archives.
    alone("archiveOptions", &["options"], archive::options),
    of_shaper(
        "keep",
        &["calls", "redacts", "state", "heard", "shaped", "whole", "secrets", "slots", "given", "texts", "now"],
        session::keep,
    ),
    of_shaper(
        "read",
        &["reads", "pointer", "authorizes", "call", "state", "heard", "slots", "given", "texts", "now"],
        session::read,
    ),
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
    alone("unmet", &["result", "expected"], tools::unmet),
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
    alone("relay", &["options", "isRemote", "state"], relay::create),
    alone("forgetRelay", &["relay"], relay::forget),
    of_relay("relayState", &[], relay::state),
    of_relay("relayLines", &["lines", "isClient", "now"], relay::handle_lines),
    of_relay("relayHeard", &["number", "value", "wasWritten", "failure"], relay::heard),
    of_relay("relayEnded", &["reason"], relay::ended),
    of_relay("relayIsIdle", &[], relay::is_idle),
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
        }
    }
}
