//! A running server: its lines come in a thread, and go to whoever waits for them.

use std::process::{ExitStatus, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver};
use std::sync::{Arc, Mutex, MutexGuard};
use std::thread;
use std::time::{Duration, Instant};

use hyper::StatusCode;
use hyper::body::Bytes;
use tokio::runtime::Handle;
use tokio::sync::watch;
use tokio::time::timeout;
use toolshape_pipes::child::{self, ProcessGroup};
use toolshape_pipes::gate::Gate;
use toolshape_pipes::lines::{self, Input, trimmed};
use toolshape_pipes::writer::PipeWriter;
use toolshape_proxy::{Effect, LongLine, Relay, heads};

use super::environment;
use super::noise::Noise;
use super::routes::{Opened, Routed, Routes};
use crate::lock::locked;
use crate::options::CommandOptions;
use crate::reply::Refusal;
use crate::share::TakenPlace;

/// How long a server that is not wanted any more has to end: on its own, and after SIGTERM.
const GRACE: Duration = Duration::from_secs(1);
/// How often it is looked whether the last lines were delivered.
const STEP: Duration = Duration::from_millis(25);

/// A server.
pub struct Process {
    to_server: Mutex<Option<PipeWriter>>,
    /// What waits to be read by the server.
    gate: Arc<Gate>,
    group: ProcessGroup,
    routes: Mutex<Routes>,
    exited: watch::Sender<bool>,
    is_closed: AtomicBool,
    /// Whether a line is on its way to a client.
    is_delivering: AtomicBool,
    used: Mutex<Instant>,
    runtime: Handle,
}

impl Process {
    /// Starts a server; its place is taken until it has ended, and `relay` reads what is not a message.
    ///
    /// # Errors
    /// A command that cannot be started.
    pub fn start(
        options: &CommandOptions,
        max_line_bytes: usize,
        is_session: bool,
        mut relay: Relay,
        noise: Arc<Noise>,
        place: TakenPlace,
    ) -> std::io::Result<Arc<Self>> {
        let mut command = child::prepared(&options.command);
        command.env_clear().envs(environment::variables(&options.env)).stderr(Stdio::piped());
        let mut server = command.spawn()?;
        server.stderr.take().into_iter().for_each(|errors| Arc::clone(&noise).read(errors));
        let to_server = server.stdin.take().map(|input| PipeWriter::new(input, |_| {}));
        let process = Arc::new(Self {
            to_server: Mutex::new(to_server),
            gate: Arc::default(),
            group: ProcessGroup::of(&server),
            routes: Mutex::new(Routes::new(is_session)),
            exited: watch::Sender::new(false),
            is_closed: AtomicBool::new(false),
            is_delivering: AtomicBool::new(false),
            used: Mutex::new(Instant::now()),
            runtime: Handle::current(),
        });
        let (exit, exited) = mpsc::channel();
        if let Some(output) = server.stdout.take() {
            let (reader, mut long) = (Arc::clone(&process), LongLine::default());
            lines::read(output, max_line_bytes, move |input| {
                reader.take(input, &mut long, (&mut relay, &*noise), &exited);
                true
            });
        }
        let waiter = Arc::clone(&process);
        thread::spawn(move || {
            let status = server.wait();
            let _place = place;
            waiter.exited.send_replace(true);
            if let Ok(status) = status {
                let _ = exit.send(status);
                waiter.group.end(GRACE);
                waiter.read_out();
                waiter.end(&child::ending(status));
            }
        });
        Ok(process)
    }

    /// Sends a message, as one line.
    ///
    /// # Errors
    /// A server that does not read, or has ended.
    pub fn write(&self, message: &Bytes) -> Result<(), Refusal> {
        let reason = "the server does not read what it is sent";
        let load = self.gate.try_pass(message.len());
        let load = load.ok_or_else(|| Refusal::new(StatusCode::SERVICE_UNAVAILABLE, reason))?;
        // In JSON a line end is white space.
        let line = message.iter().map(|byte| if matches!(byte, b'\n' | b'\r') { b' ' } else { *byte });
        let line = line.chain([b'\n']).collect();
        match &*locked(&self.to_server) {
            Some(to_server) => to_server.write(line, Some(Arc::new(load))),
            None => return Err(super::no_session()),
        }
        self.use_now();
        Ok(())
    }

    /// Opens the stream of the server's own messages.
    pub fn open_stream(&self) -> Option<Opened> {
        self.use_now();
        self.routes().open_stream()
    }

    pub fn has_ended(&self) -> bool {
        self.is_closed() || self.routes().ended.is_some()
    }

    pub fn is_closed(&self) -> bool {
        self.is_closed.load(Ordering::SeqCst)
    }

    /// Whether nobody has waited for it for so long.
    pub fn is_idle(&self, after: Duration) -> bool {
        self.routes().is_idle() && locked(&self.used).elapsed() >= after
    }

    /// Closes the server's input. If it does not end on its own, its process group is ended.
    pub fn close(&self) {
        if self.is_closed.swap(true, Ordering::SeqCst) {
            return;
        }
        *locked(&self.to_server) = None;
        let (group, mut exited) = (self.group, self.exited.subscribe());
        self.runtime.spawn(async move {
            for end in [ProcessGroup::terminate, ProcessGroup::kill] {
                if timeout(GRACE, exited.wait_for(|has_exited| *has_exited)).await.is_ok() {
                    return;
                }
                end(group);
            }
        });
    }

    /// Ends the server at once.
    pub fn kill(&self) {
        self.group.kill();
    }

    /// Waits until the process has ended.
    pub async fn gone(&self) {
        let _ = self.exited.subscribe().wait_for(|has_exited| *has_exited).await;
    }

    /// What comes from the server.
    fn take(
        &self,
        input: Input,
        long: &mut LongLine,
        (relay, noise): (&mut Relay, &Noise),
        exited: &Receiver<ExitStatus>,
    ) {
        match input {
            Input::Lines(lines) => {
                for line in lines.bytes.split_inclusive(|byte| *byte == b'\n').map(trimmed) {
                    let heads = heads(line);
                    if heads.is_empty() {
                        note(relay, noise, line);
                        continue;
                    }
                    let routed = self.routes().route(line, &heads);
                    self.deliver(routed);
                }
            }
            Input::LongLine(part, is_end) => {
                long.read(&part.bytes);
                if is_end {
                    let (routed, to_server) = self.routes().refuse(&std::mem::take(long));
                    self.deliver(routed);
                    to_server.into_iter().for_each(|error| _ = self.write(&error.into()));
                }
            }
            Input::End => {
                let reason = match exited.recv_timeout(GRACE) {
                    Ok(status) => child::ending(status),
                    Err(_) => "the server's output has ended".to_owned(),
                };
                self.end(&reason);
            }
        }
    }

    fn end(&self, reason: &str) {
        let routed = self.routes().end(reason);
        self.deliver(routed);
        self.close();
    }

    /// Waits for clients that are slow.
    fn deliver(&self, routed: Routed) {
        if routed.is_empty() {
            return;
        }
        self.is_delivering.store(true, Ordering::SeqCst);
        for (to, line) in routed {
            if let Err(unsent) = to.blocking_send(line) {
                self.routes().return_line(unsent.0);
            }
        }
        self.use_now();
        self.is_delivering.store(false, Ordering::SeqCst);
    }

    /// Waits until the last lines have been delivered. Whatever else has the output open is not a server.
    fn read_out(&self) {
        let is_quiet = || !self.is_delivering.load(Ordering::SeqCst) && locked(&self.used).elapsed() > GRACE;
        let began = Instant::now();
        while self.routes().ended.is_none() && (began.elapsed() < GRACE || !is_quiet()) {
            thread::sleep(STEP);
        }
    }

    fn use_now(&self) {
        *locked(&self.used) = Instant::now();
    }

    /// What is open.
    pub fn routes(&self) -> MutexGuard<'_, Routes> {
        locked(&self.routes)
    }
}

/// Shows a line that is not a message, as the relay does.
fn note(relay: &mut Relay, noise: &Noise, line: &[u8]) {
    for effect in relay.from_server(line, 0) {
        if let Effect::Log(text) = effect {
            noise.say(&text);
        }
    }
}
