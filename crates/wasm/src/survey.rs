//! Measuring and checking servers: what is known of one is held here under a handle, and results are texts.

use std::cell::RefCell;

use serde_json::{Value, json};
use wasm_bindgen::prelude::*;

use super::given::{find, read_options};
use super::outcome::outcome;
use toolshape::{Error, ErrorCode};
use toolshape_proxy::{ConfiguredServer, Lint, Measured, Survey, SurveyEffect, Surveyed};

thread_local! {
    /// The servers, by their handles; one that is asked is not known yet.
    static SERVERS: RefCell<Vec<Server>> = const { RefCell::new(Vec::new()) };
}

enum Server {
    Asked(Box<Survey>),
    Known(Surveyed),
}

/// Begins a survey of a server; `script` names the calls, as a JSON text. Returns its handle.
#[wasm_bindgen]
pub fn survey(name: Option<String>, script: Option<String>) -> JsValue {
    let survey = Survey::new(name.as_deref(), script.as_deref());
    outcome(survey.map(|survey| keep(Server::Asked(Box::new(survey)))))
}

/// The first effects of a survey, as a JSON text.
#[wasm_bindgen(js_name = surveyStart)]
pub fn survey_start(server: usize) -> JsValue {
    effects(server, Survey::start)
}

/// The effects of a line of the server, without its end.
#[wasm_bindgen(js_name = surveyLine)]
pub fn survey_line(server: usize, line: &[u8]) -> JsValue {
    effects(server, |survey| survey.from_server(line))
}

/// The effects when the request that waits takes too long.
#[wasm_bindgen(js_name = surveyGaveUp)]
pub fn survey_gave_up(server: usize, reason: &str) -> JsValue {
    effects(server, |survey| survey.gave_up(reason))
}

/// The effects when the server has ended.
#[wasm_bindgen(js_name = surveyServerEnded)]
pub fn survey_server_ended(server: usize, reason: &str) -> JsValue {
    effects(server, |survey| survey.server_ended(reason))
}

/// A server by the text of a recording, or with `isTools` of a dumped list of tools. Returns its handle.
#[wasm_bindgen]
pub fn surveyed(name: Option<String>, text: &str, is_tools: bool) -> JsValue {
    let read = if is_tools { Surveyed::of_tools } else { Surveyed::of_recording };
    outcome(read(name.as_deref(), text).map(|known| keep(Server::Known(known))))
}

/// Whether a server has listed its tools, and what could not be asked of it.
#[wasm_bindgen(js_name = surveyNotes)]
pub fn survey_notes(server: usize) -> JsValue {
    outcome(with_servers(&[server], |servers| Ok((servers[0].is_listed(), servers[0].notes().to_vec()))))
}

/// What servers cost, as `json`, as an `html` page, or as a `table` of so many columns.
#[wasm_bindgen]
pub fn measure(shaper: usize, servers: &[usize], format: &str, window: Option<usize>, columns: usize) -> JsValue {
    let now = (js_sys::Date::now() / 1000.0) as u64;
    let text = |servers: &[Surveyed]| {
        let shaper = find(shaper)?;
        let measured = Measured::of(servers, &shaper, window, now)?;
        match format {
            "json" => Ok(measured.to_json().to_string()),
            "html" => Ok(measured.report(&Lint::of(servers, &shaper)?)),
            "table" => Ok(measured.table(columns)),
            _ => Err(unknown(format)),
        }
    };
    outcome(with_servers(servers, text))
}

/// What is wrong with servers, as `json`, `sarif` about the file `source`, `github`, or `text` of so many columns; with the
/// tokens that it costs.
#[wasm_bindgen]
pub fn lint(shaper: usize, servers: &[usize], format: &str, source: &str, columns: usize) -> JsValue {
    let text = |servers: &[Surveyed]| {
        let lint = Lint::of(servers, &*find(shaper)?)?;
        let text = match format {
            "json" => lint.to_json().to_string(),
            "sarif" => lint.sarif(source).to_string(),
            "github" => lint.github(),
            "text" => lint.text(columns),
            _ => return Err(unknown(format)),
        };
        Ok((text, lint.cost()))
    };
    outcome(with_servers(servers, text))
}

/// The servers in a configuration file of a host, as a JSON text; `environment` is an object as JSON text. A server with a
/// variable that is not there has a `fault`.
#[wasm_bindgen(js_name = configuredServers)]
pub fn configured_servers(text: &str, environment: &str) -> JsValue {
    let servers = || {
        let environment = read_options(environment, ErrorCode::InvalidCall)?;
        let of = |name: &str| environment[name].as_str().map(str::to_owned);
        let filled = |server: &ConfiguredServer| match server.filled(of) {
            Ok(filled) => filled.to_json(),
            Err(fault) => json!({ "name": server.name, "disabled": server.is_disabled, "fault": fault.message() }),
        };
        Ok(Value::from_iter(toolshape_proxy::configured_servers(text)?.iter().map(filled)).to_string())
    };
    outcome(servers())
}

/// The paths of hosts' configuration files in a project, and in the user's folder.
#[wasm_bindgen(js_name = hostFiles)]
pub fn host_files() -> JsValue {
    outcome(Ok(toolshape_proxy::host_files()))
}

fn keep(server: Server) -> usize {
    SERVERS.with_borrow_mut(|servers| {
        servers.push(server);
        servers.len() - 1
    })
}

fn effects(server: usize, ask: impl FnOnce(&mut Survey) -> Vec<SurveyEffect>) -> JsValue {
    let effects = SERVERS.with_borrow_mut(|servers| match servers.get_mut(server) {
        Some(Server::Asked(survey)) => Ok(ask(survey)),
        _ => Err(no_server(server)),
    });
    outcome(effects.map(|effects| Value::from_iter(effects.iter().map(SurveyEffect::to_json)).to_string()))
}

/// Does something with what is known of servers. Nothing more is asked of them.
fn with_servers<T>(handles: &[usize], work: impl FnOnce(&[Surveyed]) -> Result<T, Error>) -> Result<T, Error> {
    let known = |server: Server| match server {
        Server::Asked(survey) => survey.into_surveyed(),
        Server::Known(known) => known,
    };
    let mut all = SERVERS.take();
    let take = |handle: &usize| {
        let server = all.get_mut(*handle).ok_or_else(|| no_server(*handle))?;
        Ok(known(std::mem::replace(server, Server::Known(Surveyed::new(None)))))
    };
    let taken: Vec<Surveyed> = handles.iter().map(take).collect::<Result<_, Error>>()?;
    let done = work(&taken);
    handles.iter().zip(taken).for_each(|(handle, server)| all[*handle] = Server::Known(server));
    SERVERS.set(all);
    done
}

fn no_server(server: usize) -> Error {
    Error::new(ErrorCode::Internal, format!("there is no server {server}"), "")
}

fn unknown(format: &str) -> Error {
    Error::new(ErrorCode::InvalidCall, format!("there is no format {format}"), "")
}
