//! The server as a child process, with its own process group, so that nothing of it is left when it ends.

use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};

/// What `npx --package` and `npx --call` say to the program that they start, and to every `npx` below it, which would take it for
/// its own.
const OF_NPX: [&str; 2] = ["npm_config_package", "npm_config_call"];

/// The command that starts the server, before it does.
pub fn prepared(command: &[String]) -> Command {
    let mut process = Command::new(program(&command[0]));
    process.args(&command[1..]).stdin(Stdio::piped()).stdout(Stdio::piped());
    if std::env::var_os("npm_command").is_some_and(|command| command == "exec") {
        OF_NPX.iter().for_each(|name| _ = process.env_remove(name));
    }
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(&mut process, 0);
    process
}

/// The program of a name. On Windows the commands of npm are scripts (`npx.cmd`), which are found by their whole name alone.
pub fn program(name: &str) -> std::path::PathBuf {
    #[cfg(windows)]
    if std::path::Path::new(name).extension().is_none() {
        let folders = std::env::var_os("PATH").unwrap_or_default();
        let names = ["exe", "cmd", "bat"].map(|ending| format!("{name}.{ending}"));
        let found = std::env::split_paths(&folders).flat_map(|folder| names.clone().map(|name| folder.join(name)));
        if let Some(found) = found.into_iter().find(|path| path.is_file()) {
            return found;
        }
    }
    name.into()
}

/// The exit code to hand on: of a signal 128 and its number, as shells have it.
pub fn code(status: ExitStatus) -> u8 {
    #[cfg(unix)]
    if let Some(signal) = std::os::unix::process::ExitStatusExt::signal(&status) {
        return u8::try_from(128 + signal).unwrap_or(u8::MAX);
    }
    status.code().and_then(|code| u8::try_from(code & 0xff).ok()).unwrap_or(u8::MAX)
}

/// How the server ended, in words for the one who waits for its answer.
pub fn ending(status: ExitStatus) -> String {
    #[cfg(unix)]
    if let Some(signal) = std::os::unix::process::ExitStatusExt::signal(&status) {
        return format!("the server was ended by signal {signal}");
    }
    format!("the server ended with exit code {}", code(status))
}

/// How many files this process may have open, if there is a limit.
#[cfg(unix)]
pub fn most_open_files() -> Option<usize> {
    use rustix::process::{Resource, getrlimit};
    getrlimit(Resource::Nofile).current.and_then(|most| usize::try_from(most).ok())
}

/// There is no limit.
#[cfg(not(unix))]
pub fn most_open_files() -> Option<usize> {
    None
}

/// The most characters that a message shows of a command.
const SHOWN: usize = 200;

/// A command as one would type it; the start of a long one.
pub fn spelled(command: &[String]) -> String {
    let is_plain =
        |word: &str| !word.is_empty() && !word.contains(|letter: char| letter.is_whitespace() || letter == '\'');
    let word = |word: &String| if is_plain(word) { word.clone() } else { format!("'{}'", word.replace('\'', r"'\''")) };
    let mut spelled = command.iter().map(word).collect::<Vec<_>>().join(" ");
    if let Some((end, _)) = spelled.char_indices().nth(SHOWN) {
        spelled.truncate(end);
        spelled.push('…');
    }
    spelled
}

/// The server and whatever it started that has stayed in its process group.
#[derive(Clone, Copy)]
pub struct ProcessGroup(u32);

/// How often it is looked whether a group has ended.
const STEP: Duration = Duration::from_millis(25);

impl ProcessGroup {
    pub fn of(server: &Child) -> Self {
        Self(server.id())
    }

    /// Ends what the server has left behind: it has so long after a signal that it can follow.
    pub fn end(self, grace: Duration) {
        for end in [Self::terminate, Self::kill] {
            let until = Instant::now() + grace;
            if self.is_alive() {
                end(self);
            }
            while self.is_alive() && Instant::now() < until {
                thread::sleep(STEP);
            }
        }
    }
}

#[cfg(unix)]
impl ProcessGroup {
    /// Sends a signal. Whoever ended already is not there any more.
    pub fn signal(self, signal: i32) {
        if let (Some(group), Some(signal)) = (self.id(), rustix::process::Signal::from_named_raw(signal)) {
            let _ = rustix::process::kill_process_group(group, signal);
        }
    }

    /// Whether a process of it is there.
    pub fn is_alive(self) -> bool {
        self.id().is_some_and(|group| rustix::process::test_kill_process_group(group).is_ok())
    }

    pub fn terminate(self) {
        self.signal(signal_hook::consts::SIGTERM);
    }

    pub fn kill(self) {
        self.signal(signal_hook::consts::SIGKILL);
    }

    fn id(self) -> Option<rustix::process::Pid> {
        i32::try_from(self.0).ok().and_then(rustix::process::Pid::from_raw)
    }
}

/// There are no process groups: the server's process is ended by `taskkill`, with those that it started.
#[cfg(not(unix))]
impl ProcessGroup {
    pub fn is_alive(self) -> bool {
        false
    }

    pub fn terminate(self) {}

    pub fn kill(self) {
        let _ = Command::new("taskkill").args(["/T", "/F", "/PID", &self.0.to_string()]).stdout(Stdio::null()).status();
    }
}
