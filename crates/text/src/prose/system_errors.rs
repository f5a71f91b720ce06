//! What operating systems, shells, linkers and package managers say when something fails. No word in it need say so.
//!
//! Messages of `strerror(3)` and `strsignal(3)` as glibc has them, of shells (POSIX.1-2024, 2.8.1), of GNU ld, apt, git and HTTP
//! (RFC 9112, 4).

use super::phrases::{Phrases, Starts};

/// What is in such a line.
const MESSAGES: [&str; 39] = [
    "No such file or directory", "Permission denied", "Operation not permitted", "command not found",
    "No space left on device", "Connection refused", "Connection reset by peer", "Connection timed out", "Broken pipe",
    "Not a directory", "Directory not empty", "Cannot allocate memory", "Out of memory", "Too many open files",
    "Read-only file system", "Disk quota exceeded", "Address already in use", "Network is unreachable",
    "No route to host", "Destination Host Unreachable", "Name or service not known", "Could not resolve host",
    "Segmentation fault", "(core dumped)", "Bus error", "Illegal instruction", "Floating point exception",
    "Access denied", "Access is denied", "Unable to locate package", "cannot stat ", "cannot open ", "cannot access ",
    "cannot create ", "cannot find -l", "undefined reference to", "multiple definition of", "! [rejected]",
    "! [remote rejected]",
];
static ANYWHERE: Phrases<39> = Phrases::new(MESSAGES);
/// What is before the exit code of a program.
static EXITS: Phrases<6> = Phrases::new([
    "exit code", "exit status", "exited with code", "exited with status", "+++ exited with", "exit with code",
]);
/// Lines that are nothing else.
const WHOLE: [&str; 3] = ["Killed", "Aborted", "Terminated"];
/// How lines of package managers begin that are errors.
const STARTS: [&str; 2] = ["E: ", "Err:"];

/// The letters by which such lines are known.
pub(super) const fn letters(starts: Starts) -> Starts {
    starts.with(&MESSAGES).with(&EXITS.all).with(&WHOLE).with(&["HTTP/"])
}

/// Whether a line is what a system says of a failure.
pub(super) fn is_one(text: &str) -> bool {
    WHOLE.contains(&text)
        || STARTS.iter().any(|start| text.starts_with(start))
        || is_http_error(text)
        || exits_badly(text)
        || has_message(text)
}

/// Whether one of the messages is anywhere in a line.
pub(super) fn has_message(line: &str) -> bool {
    ANYWHERE.are_in(line)
}

/// The status line of a response with an error: `HTTP/1.1 503 Service Unavailable`, also as `curl -v` shows it.
fn is_http_error(text: &str) -> bool {
    let line = text.strip_prefix("< ").unwrap_or(text);
    let status = line.strip_prefix("HTTP/").and_then(|rest| rest.split_once(' ')).map_or("", |(_, status)| status);
    let is_error = status.len() >= 3 && status.starts_with(['4', '5']);
    (is_error && status.as_bytes()[..3].iter().all(u8::is_ascii_digit)) || is_unanswered(text)
}

/// Whether a line of an access log has a request that the server could not answer: `"GET / HTTP/1.1" 502 157`.
pub(super) fn is_unanswered(text: &str) -> bool {
    let request = Some(text)
        .filter(|text| text.contains('"'))
        .and_then(|text| text.split_once(" HTTP/"))
        .and_then(|(_, rest)| rest.split_once("\" "));
    let status = request.and_then(|(_, rest)| rest.split(' ').next()).unwrap_or_default();
    status.len() == 3 && status.starts_with('5') && status.bytes().all(|byte| byte.is_ascii_digit())
}

/// Whether a program's exit code is given that is not 0: `exit code: 2`, `exited with code 137`, `exit status 1`.
fn exits_badly(text: &str) -> bool {
    EXITS.after(text).any(|rest| {
        let code = rest.trim_start_matches([' ', ':', '=']);
        code.len() < rest.len() && code.starts_with(|c: char| ('1'..='9').contains(&c))
    })
}

#[cfg(test)]
mod tests {
    use super::{MESSAGES, is_one};
    use crate::prose::said::{self, Said};

    #[test]
    fn failures_are_told_from_what_went_well() {
        for line in [
            "./run.sh: line 3:  41 Segmentation fault      (core dumped) ./app",
            "Killed",
            "./build.sh: line 41: foo: command not found",
            "cat: a.txt: No such file or directory",
            "rm: cannot remove 'a': Permission denied",
            "cp: cannot stat 'dist': x",
            "E: Unable to locate package foo",
            "curl: (7) Failed to connect: Connection refused",
            "Process exited with code 137",
            " ! [rejected]        main -> main (fetch first)",
            "Out of memory: Killed process 12 (node)",
            "HTTP/1.1 503 Service Unavailable",
            "/usr/bin/ld: cannot find -lfoo",
            "a.c:(.text+0x5): undefined reference to `f'",
            "command failed with exit code: 2",
        ] {
            assert!(is_one(line), "{line}");
            assert!(matches!(said::of(line), Said::Failure | Said::Failed), "{line}");
        }
        for message in MESSAGES {
            assert_eq!(said::of(&format!("x: {message} y")), Said::Failure, "{message}");
        }
        assert_eq!([said::of("exit status 1"), said::of("exit status 0")], [Said::Failed, Said::Passed]);
        for line in [
            "HTTP/1.1 200 OK", "HTTP/2", "Process exited with code 0", "exit status: done", "Killed three processes",
            "the permissions are right", "E2E: ok", "",
        ] {
            assert!(!is_one(line), "{line}");
        }
    }
}
