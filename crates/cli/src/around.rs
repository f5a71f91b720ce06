//! The processes around this one, from the host that started it: which of the programs that write one list belong together.
//!
//! A host starts relays, the reader, hooks and commands, each directly, by a shell or by `npx`: those name this program on their
//! command lines, and the host does not. Two hosts in one folder are two processes.

use crate::program;

/// The most processes around this one that are looked at.
const MOST: usize = 8;

/// A process, as the system lists it.
struct Process {
    parent: u32,
    /// When it started: its number may have been another's.
    since: String,
    command: String,
}

/// The numbers and starts of the processes around this one that do not name it, the nearest first; none where the system does not
/// list processes.
pub fn processes() -> Vec<String> {
    let own = std::process::id();
    let parent = |number: &u32| Process::of(*number).map(|process| process.parent).filter(|parent| *parent > 0);
    let around = std::iter::successors(Some(own), parent).skip(1).take(MOST);
    let known = around.filter_map(|number| Some((number, Process::of(number)?)));
    let others = known.skip_while(|(_, process)| process.command.contains(program::NAME));
    others.map(|(number, process)| format!("{number} {}", process.since)).collect()
}

impl Process {
    #[cfg(target_os = "linux")]
    fn of(number: u32) -> Option<Self> {
        let read = |file: &str| std::fs::read(format!("/proc/{number}/{file}")).ok();
        let stat = String::from_utf8_lossy(&read("stat")?).into_owned();
        // The name, in parentheses, may have any character (proc_pid_stat(5)).
        let mut fields = stat[stat.rfind(')')? + 1..].split_whitespace();
        let (parent, since) = (fields.nth(1)?.parse().ok()?, fields.nth(17)?.to_owned());
        Some(Self { parent, since, command: String::from_utf8_lossy(&read("cmdline")?).into_owned() })
    }

    #[cfg(all(unix, not(target_os = "linux")))]
    fn of(number: u32) -> Option<Self> {
        let number = number.to_string();
        let columns = ["-o", "ppid=", "-o", "lstart=", "-o", "command=", "-p", &number];
        let listed = std::process::Command::new("ps").args(columns).output().ok()?;
        let listed = String::from_utf8_lossy(&listed.stdout).into_owned();
        let words: Vec<&str> = listed.split_whitespace().collect();
        // A start is five words, such as `Mon Nov 30 16:37:27 2026`.
        let (since, command) = words.get(1..)?.split_at_checked(5)?;
        Some(Self { parent: words[0].parse().ok()?, since: since.join(" "), command: command.join(" ") })
    }

    #[cfg(not(unix))]
    fn of(_: u32) -> Option<Self> {
        None
    }
}
