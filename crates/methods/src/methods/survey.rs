//! Measuring and checking servers.

use std::cell::RefCell;
use std::mem;

use serde_json::{Value, json};
use toolshape::{Error, ErrorCode, Shaper};
use toolshape_proxy::{ConfiguredServer, Lint, Measured, Survey, SurveyEffect, Surveyed};

use crate::answer::{MethodAnswer, Reply};
use crate::handles::SERVERS;
use crate::request::Request;

/// A server, and what is known of it.
pub enum SurveyedServer {
    /// The survey continues.
    Asked(Box<Survey>),
    Known(Surveyed),
}

/// Starts a survey of a server; `script` is a JSON text with the calls.
pub fn create(request: &Request<'_>) -> Reply {
    let (name, script) = (request.optional_string("name")?, request.optional_text("script")?);
    let survey = Survey::new(name.as_deref(), script)?;
    Ok(add(SurveyedServer::Asked(Box::new(survey))))
}

/// A server by the text of a recording or, with `isTools`, of a list of its tools.
pub fn known(request: &Request<'_>) -> Reply {
    let read = if request.flag("isTools")? { Surveyed::of_tools } else { Surveyed::of_recording };
    Ok(add(SurveyedServer::Known(read(request.optional_string("name")?.as_deref(), request.text("text")?)?)))
}

fn add(server: SurveyedServer) -> MethodAnswer {
    SERVERS.with(|servers| servers.add(RefCell::new(server))).into()
}

/// Runs `work` on the survey with a number.
pub fn with(number: u64, work: impl FnOnce(&mut Survey) -> Reply) -> Reply {
    let server = SERVERS.with(|servers| servers.find(number))?;
    match &mut *server.borrow_mut() {
        SurveyedServer::Asked(survey) => work(survey),
        SurveyedServer::Known(_) => {
            Err(Error::new(ErrorCode::InvalidCall, format!("the survey of server {number} has ended"), "/server"))
        }
    }
}

pub fn start(survey: &mut Survey, _: &Request<'_>) -> Reply {
    Ok(effects(survey.start()))
}

/// What to do with a line of the server, without its end.
pub fn line(survey: &mut Survey, request: &Request<'_>) -> Reply {
    Ok(effects(survey.from_server(request.bytes("line")?)))
}

/// What to do when the answer takes too long.
pub fn gave_up(survey: &mut Survey, request: &Request<'_>) -> Reply {
    Ok(effects(survey.gave_up(&request.string("reason")?)))
}

/// What to do when the server has ended.
pub fn server_ended(survey: &mut Survey, request: &Request<'_>) -> Reply {
    Ok(effects(survey.server_ended(&request.string("reason")?)))
}

fn effects(effects: Vec<SurveyEffect>) -> MethodAnswer {
    Value::from_iter(effects.iter().map(SurveyEffect::to_json)).into()
}

/// Whether a server has listed its tools, and what could not be asked.
pub fn notes(request: &Request<'_>) -> Reply {
    surveyed(&[request.number("server")?], |servers| {
        Ok(json!({ "isListed": servers[0].is_listed(), "notes": servers[0].notes() }).into())
    })
}

/// What servers cost, as `json`, an `html` page, or a `table` with a number of columns.
pub fn measure(shaper: &Shaper, request: &Request<'_>) -> Reply {
    let (format, window) = (request.string("format")?, request.optional_number("window")?);
    let (columns, now) = (request.optional_number("columns")?.unwrap_or_default(), request.now()?);
    surveyed(&request.numbers("servers")?, |servers| {
        let measured = Measured::of(servers, shaper, window.map(|window| window as usize), now)?;
        Ok(MethodAnswer::Text(match &*format {
            "json" => measured.to_json().to_string(),
            "html" => measured.report(&Lint::of(servers, shaper)?),
            "table" => measured.table(columns as usize),
            _ => return Err(unknown_format(&format)),
        }))
    })
}

/// What is wrong with servers, as `json`, `sarif` about the file `source`, `github`, or `text` with a number of columns; and
/// the tokens that it costs.
pub fn lint(shaper: &Shaper, request: &Request<'_>) -> Reply {
    let (format, source) = (request.string("format")?, request.optional_string("source")?.unwrap_or_default());
    let columns = request.optional_number("columns")?.unwrap_or_default();
    surveyed(&request.numbers("servers")?, |servers| {
        let lint = Lint::of(servers, shaper)?;
        let text = match &*format {
            "json" => lint.to_json().to_string(),
            "sarif" => lint.sarif(&source).to_string(),
            "github" => lint.github(),
            "text" => lint.text(columns as usize),
            _ => return Err(unknown_format(&format)),
        };
        Ok(MethodAnswer::Object(vec![("text", MethodAnswer::Text(text)), ("cost", lint.cost().into())]))
    })
}

fn unknown_format(format: &str) -> Error {
    Error::new(ErrorCode::InvalidCall, format!("unknown format {format:?}"), "/format")
}

/// The servers in a configuration file of a host, with their variables from `environment`. A server with an unknown variable
/// has a `fault`.
pub fn configured_servers(request: &Request<'_>) -> Reply {
    let environment = request.options("environment")?;
    let of = |name: &str| environment[name].as_str().map(str::to_owned);
    let filled = |server: &ConfiguredServer| match server.filled(of) {
        Ok(filled) => filled.to_json(),
        Err(fault) => json!({ "name": server.name, "disabled": server.is_disabled, "fault": fault.message() }),
    };
    let servers = toolshape_proxy::configured_servers(request.text("text")?)?;
    Ok(Value::from_iter(servers.iter().map(filled)).into())
}

/// The paths of hosts' configuration files in the user's folder.
pub fn host_files(_: &Request<'_>) -> Reply {
    Ok(json!(toolshape_proxy::host_files()).into())
}

/// Runs `work` on what is known of servers, whose surveys end.
fn surveyed(numbers: &[u64], work: impl FnOnce(&[Surveyed]) -> Reply) -> Reply {
    let found = numbers.iter().map(|number| SERVERS.with(|servers| servers.find(*number)));
    let servers = found.collect::<Result<Vec<_>, Error>>()?;
    let none = || SurveyedServer::Known(Surveyed::new(None));
    let take = |server: &std::rc::Rc<RefCell<SurveyedServer>>| match mem::replace(&mut *server.borrow_mut(), none()) {
        SurveyedServer::Asked(survey) => survey.into_surveyed(),
        SurveyedServer::Known(known) => known,
    };
    let known: Vec<Surveyed> = servers.iter().map(take).collect();
    let done = work(&known);
    servers.iter().zip(known).for_each(|(server, known)| *server.borrow_mut() = SurveyedServer::Known(known));
    done
}
