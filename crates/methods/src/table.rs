//! The table of methods: one row each.

use serde_json::Value;
use toolshape::host::{self, ArchiveOptions, find_pattern, install_vocabulary, known_encoding, load_encoding};
use toolshape::{Error, Shaper};
use toolshape_proxy::Relay;

use crate::answer::{MethodAnswer, Reply, or_null};
use crate::handles::{RELAYS, SHAPERS};
use crate::methods::{self, relay, session};
use crate::request::Request;

/// All methods.
pub const METHODS: &[Method] = &[
    // Shapers, and what needs no value of the host.
    alone("shaper", &["policy"], methods::create),
    alone("forgetShaper", &["shaper"], |request| {
        let number = request.number("shaper")?;
        Ok(SHAPERS.with(|shapers| shapers.remove(number)).into())
    }),
    alone("expand", &["text"], |request| host::expand(request.text("text")?).map(MethodAnswer::Text)),
    alone("checkReturned", &["index", "keys"], methods::check_returned),
    of_shaper("summarizeText", &["text", "summary", "call", "now"], methods::summarize_text),
    of_shaper("decodeKeyset", &["cursor", "call", "now"], |shaper, request| {
        let cursor = request.optional_string("cursor")?;
        shaper.decode_keyset(cursor.as_deref(), &request.call()?).map(or_null)
    }),
    of_shaper("pageSize", &["call", "now"], |shaper, request| {
        shaper.page_size(&request.call()?).map(MethodAnswer::from)
    }),
    of_shaper("outputSchema", &["tool"], |shaper, request| {
        Ok(or_null(shaper.output_schema(request.optional_string("tool")?.as_deref())))
    }),
    of_shaper("refusal", &["error", "call", "now"], methods::refusal),
    // Stored results.
    of_shaper("ticket", &["key", "known", "call", "now"], |shaper, request| {
        let (key, known) = (request.string("key")?, request.optional_string("known")?);
        shaper.ticket(&key, known.as_deref(), &request.call()?).map(MethodAnswer::from)
    }),
    of_shaper("toSummarize", &["key", "content", "call", "now"], methods::to_summarize),
    // Archives.
    alone("archiveOptions", &["options"], |request| {
        Ok(ArchiveOptions::new(&request.options("options")?, request.host.naming)?.to_json().into())
    }),
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
    alone("noText", &["what", "type"], |request| {
        Err(host::no_text(&request.string("what")?, &request.string("type")?))
    }),
    of_shaper("checkScope", &[], |shaper, _| shaper.check_scope().map(|()| MethodAnswer::NULL)),
    // Tools, and adapters.
    of_shaper("tool", &["tool", "hasStore"], |shaper, request| {
        Ok(shaper.tool(&request.options("tool")?, request.flag("hasStore")?).to_json().into())
    }),
    of_shaper("plan", &["tool", "hasStore"], |shaper, request| {
        Ok(shaper.plan(&request.options("tool")?, request.flag("hasStore")?, request.host.naming).to_json().into())
    }),
    of_shaper("planUnlisted", &["name"], |shaper, request| {
        Ok(shaper.plan_unlisted(&request.string("name")?, request.host.naming).to_json().into())
    }),
    of_shaper("leavesAlone", &["name"], |shaper, request| Ok(shaper.leaves_alone(&request.string("name")?).into())),
    of_shaper("addedTools", &["hasStore", "summarizes"], |shaper, request| {
        Ok(shaper.added_tools(request.flag("hasStore")?, request.flag("summarizes")?).into())
    }),
    of_shaper("checkCall", &["call", "now"], |shaper, request| shaper.check_call(&request.call()?).map(or_null)),
    of_shaper("answer", &["tool", "text", "image", "isError", "client"], methods::answer),
    alone("unmet", &["result", "expected"], |request| {
        let expected = host::Expected::new(&request.options("expected")?, request.host.naming)?;
        Ok(expected.unmet(&request.options("result")?).into())
    }),
    alone("readResultTool", &[], |_| Ok(toolshape::read_result_tool().into())),
    alone("readToolOf", &["server"], |request| Ok(Value::from(host::read_tool_of(&request.string("server")?)).into())),
    alone("summarizeTool", &["hasStore"], |request| Ok(host::summarize_tool(request.flag("hasStore")?).into())),
    alone("resultTemplate", &[], |_| Ok(host::result_template().into())),
    alone("checkAdapterOptions", &["options"], |request| {
        host::check_adapter_options(&request.options("options")?, request.host.naming).map(|()| MethodAnswer::NULL)
    }),
    alone("checkHarnessOptions", &["options"], |request| {
        host::check_harness_options(&request.options("options")?, request.host.naming).map(|()| MethodAnswer::NULL)
    }),
    alone("checkToolName", &["name", "added"], methods::check_tool_name),
    alone("hookTexts", &["tool", "response"], methods::hook_texts),
    alone("hookOutput", &["response", "pointers", "parts"], |request| {
        let (pointers, parts) = (request.strings("pointers")?, request.strings("parts")?);
        Ok(toolshape_proxy::hook_output(request.options("response")?, &pointers, &parts).into())
    }),
    alone("controlArguments", &[], |_| Ok(Value::from_iter(host::control_arguments()).into())),
    alone("receiptLine", &["receipt"], |request| {
        Ok(host::receipt_line(&request.options("receipt")?, request.host.naming).into())
    }),
    alone("explain", &["receipt"], methods::explain),
    // Vocabularies.
    alone("installVocabulary", &["encoding", "packed"], |request| {
        install_vocabulary(known_encoding(&request.string("encoding")?)?, request.bytes("packed")?)
            .map(|()| MethodAnswer::NULL)
    }),
    alone("loadEncoding", &["name", "ranks", "pattern"], |request| {
        let pattern = find_pattern(&request.string("pattern")?)?;
        load_encoding(&request.string("name")?, request.bytes("ranks")?, pattern).map(|_| MethodAnswer::NULL)
    }),
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
