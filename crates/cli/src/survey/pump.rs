//! The pump of a survey: reaches the server, reads its lines, and does what the survey says.

use std::collections::VecDeque;
use std::io::{self, Write};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::{Duration, Instant};

use anyhow::Result;
use toolshape::host::Redaction;
use toolshape_proxy::{ConfiguredServer, LINE_BYTES, Survey, SurveyEffect, Surveyed, noise};

use super::server::ServerProcess;
use crate::lines::{self, Input};
use crate::pump::Event;

/// No answer takes longer than a day.
const MOST_PATIENCE: Duration = Duration::from_secs(86_400);

/// Asks a server, with this many seconds for each answer.
pub fn ask(
    name: Option<&str>,
    configured: &ConfiguredServer,
    headers: &[String],
    script: Option<&str>,
    redaction: &Redaction,
    seconds: u64,
) -> Result<Surveyed> {
    let mut survey = Survey::new(name, script)?;
    let (sender, received) = mpsc::channel();
    let mut server = ServerProcess::reach(configured, headers, redaction, sender)?;
    let patience = Duration::from_secs(seconds).min(MOST_PATIENCE);
    let mut until = Instant::now() + patience;
    let mut effects: VecDeque<SurveyEffect> = survey.start().into();
    let late = format!("no answer in {seconds} seconds");
    let mut unread: VecDeque<Vec<u8>> = VecDeque::new();
    'asking: loop {
        while let Some(effect) = effects.pop_front() {
            match effect {
                SurveyEffect::ToServer(line) => {
                    server.send(&line);
                    until = Instant::now() + patience;
                }
                SurveyEffect::Log(line) => {
                    let line = if redaction.is_empty() { line } else { noise(&line, true) };
                    writeln!(io::stderr(), "{line}")?
                }
                SurveyEffect::Ended => break 'asking,
            }
        }
        effects = match unread.pop_front() {
            Some(line) => survey.from_server(lines::trimmed(&line)).into(),
            None => match received.recv_timeout(until.saturating_duration_since(Instant::now())) {
                Ok(Event::Read(_, Input::Lines(lines))) => {
                    unread.extend(lines.bytes.split_inclusive(|byte| *byte == b'\n').map(<[u8]>::to_vec));
                    continue;
                }
                // A server that writes on without an end is not waited for.
                Ok(Event::Read(_, Input::LongLine(_, is_end))) => match is_end {
                    true => survey.gave_up(&format!("its answer has over {LINE_BYTES} bytes")).into(),
                    false if Instant::now() > until => survey.gave_up(&late).into(),
                    false => continue,
                },
                Ok(Event::Http(number, part)) => {
                    server.take(number, part);
                    continue;
                }
                Err(RecvTimeoutError::Timeout) => survey.gave_up(&late).into(),
                Ok(_) | Err(RecvTimeoutError::Disconnected) => survey.server_ended(&server.ending()?).into(),
            },
        };
    }
    server.end()?;
    Ok(survey.into_surveyed())
}
