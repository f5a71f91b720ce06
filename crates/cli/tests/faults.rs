//! The relay in front of servers that fail, and behind clients that go away: nobody waits, and nothing is left behind.

#![cfg(unix)]

mod talk;

use std::net::TcpListener;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process, test_kill_process};
use talk::{Talk, call};

/// A server in the shell: answers each line with what a `case` says of it.
fn server(answers: &str) -> Vec<String> {
    sh(&format!("while IFS= read -r line; do case \"$line\" in {answers} esac; done"))
}

fn sh(script: &str) -> Vec<String> {
    ["--", "sh", "-c", script].map(str::to_owned).into()
}

/// A Redis that takes connections, and says nothing.
fn silent_redis() -> (TcpListener, String) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("redis://{}", listener.local_addr().unwrap());
    (listener, address)
}

/// A server of the shell that has the answer to a call with 300 rows.
fn rows(options: &[&str], script: &str) -> Talk {
    let rows: Vec<String> = (0..300).map(|id| format!(r#"{{"id":{id},"name":"row {id}"}}"#)).collect();
    let text = serde_json::json!(format!("[{}]", rows.join(",")));
    let answer = format!(r#"{{"jsonrpc":"2.0","id":1,"result":{{"content":[{{"type":"text","text":{text}}}]}}}}"#);
    let options = options.iter().map(|&option| option.to_owned());
    Talk::new(options.chain(sh(script)).chain(["server".to_owned(), answer]).collect())
}

fn is_alive(id: &str) -> bool {
    let id = Pid::from_raw(id.trim().parse().unwrap()).unwrap();
    test_kill_process(id).is_ok()
        && !std::fs::read_to_string(format!("/proc/{}/stat", id.as_raw_nonzero()))
            .is_ok_and(|stat| stat.contains(") Z "))
}

fn soon(what: impl Fn() -> bool) -> bool {
    let until = Instant::now() + Duration::from_secs(10);
    while Instant::now() < until {
        if what() {
            return true;
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    false
}

#[test]
fn what_is_asked_before_the_end_of_the_client_is_answered() {
    // As long as it takes, also longer than a server has for its end.
    let mut talk = Talk::new(server(r#"*ping*) sleep 1.5; echo '{"jsonrpc":"2.0","id":1,"result":{}}';;"#));
    talk.say(r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#);
    talk.close();
    assert_eq!(talk.hear(), r#"{"jsonrpc":"2.0","id":1,"result":{}}"#);
    assert_eq!(talk.end().code, 0);
}

#[test]
fn no_secret_of_an_address_is_in_a_message() {
    for url in ["http://user:SECRET@127.0.0.1:1/SECRET?key=SECRET#SECRET", "http://SECRET:SECRET@[::1]:1/SECRET"] {
        let mut talk = Talk::new(["--url", url, "--header", "A: SECRET"].map(str::to_owned).into());
        talk.say(r#"{"jsonrpc":"2.0","id":1,"method":"initialize"}"#);
        let answer = talk.hear();
        assert!(answer.contains("cannot reach http://") && !answer.contains("SECRET"), "{answer}");
        talk.close();
        let ended = talk.end();
        assert!(!ended.errors.contains("SECRET"), "{}", ended.errors);
    }
    for wrong in [["--url", "SECRET"], ["--url", "https://SECRET SECRET"], ["--url", "http://"]] {
        let ended = Talk::new(wrong.map(str::to_owned).into()).end();
        assert!(ended.code == 2 && !ended.errors.contains("SECRET"), "{}", ended.errors);
    }
    for header in ["SECRET", "SECRET SECRET: a", "A: SECRET\u{1}"] {
        let ended = Talk::new(["--url", "http://h", "--header", header].map(str::to_owned).into()).end();
        assert!(ended.code == 2 && !ended.errors.contains("SECRET"), "{}", ended.errors);
    }
}

#[test]
fn a_mistyped_command_is_named() {
    let ended = Talk::new(vec!["mesure".to_owned()]).end();
    assert!(ended.code == 127 && ended.errors.contains("; did you mean toolshape measure?"), "{}", ended.errors);
    let ended = Talk::new(["--", "/nowhere", "x"].map(str::to_owned).into()).end();
    assert!(!ended.errors.contains("did you mean"), "{}", ended.errors);
}

#[test]
fn a_server_that_cannot_be_started_is_named_and_the_client_is_answered() {
    let mut talk = Talk::new(["--", "/nowhere/at all", "x"].map(str::to_owned).into());
    talk.say(r#"{"jsonrpc":"2.0","id":"a","method":"initialize"}"#);
    let answer = talk.hear();
    assert!(
        answer.starts_with(
            r#"{"jsonrpc":"2.0","id":"a","error":{"code":-32603,"message":"cannot start '/nowhere/at all': "#
        ),
        "{answer}"
    );
    let ended = talk.end();
    assert_eq!(ended.code, 127);
    assert!(ended.errors.starts_with("toolshape: cannot start '/nowhere/at all': "), "{}", ended.errors);
}

#[test]
fn a_server_that_dies_at_its_start_is_named_and_the_client_is_answered() {
    let mut talk = Talk::new(sh("echo 'no key' >&2; exit 3"));
    talk.say(r#"{"jsonrpc":"2.0","id":0,"method":"initialize"}"#);
    let answer = talk.hear();
    assert_eq!(
        answer,
        r#"{"jsonrpc":"2.0","id":0,"error":{"code":-32603,"message":"the server ended with exit code 3"}}"#
    );
    let ended = talk.end();
    assert_eq!(ended.code, 3);
    let errors = "toolshape: the server ended with exit code 3, before its first message: sh -c 'echo '\\''no key'\\''";
    assert!(ended.errors.contains("no key\n") && ended.errors.contains(errors), "{}", ended.errors);
}

#[test]
fn all_calls_of_a_server_that_dies_are_answered_and_its_code_is_handed_on() {
    let mut talk = Talk::new(server(r#"*'"id":999,'*) kill -KILL $$;;"#));
    for id in 0..1000 {
        talk.say(&call(id, "list"));
    }
    let mut ids: Vec<u64> = (0..1000)
        .map(|_| serde_json::from_str::<serde_json::Value>(&talk.hear()).unwrap()["id"].as_u64().unwrap())
        .collect();
    ids.sort_unstable();
    assert!(ids.into_iter().eq(0..1000));
    assert_eq!(talk.end().code, 128 + 9);
}

#[test]
fn a_result_that_waits_for_the_store_outlives_its_server() {
    for is_closed in [false, true] {
        let (_silent, address) = silent_redis();
        let mut talk = rows(&["--store", &address], r#"read -r line; printf '%s\n' "$1"; exit 3"#);
        talk.say(&call(1, "list"));
        if is_closed {
            talk.close();
        }
        let answer = talk.hear();
        assert!(answer.contains(r#"\"storeFailed\":\"the store did not answer in time\""#), "{answer}");
        let ended = talk.end();
        assert!(ended.code == 3 && ended.errors.starts_with("toolshape"), "{}", ended.errors);
        assert!(ended.errors.contains("toolshape list: about "), "{}", ended.errors);
    }
}

/// A call for the next page of the rows.
fn next_page() -> String {
    let mut talk = rows(&[], r#"read -r line; printf '%s\n' "$1""#);
    talk.say(&call(1, "list"));
    let page = talk.hear();
    let next = page.split(r#"nextCursor\":\""#).nth(1).and_then(|rest| rest.split('\\').next()).unwrap();
    call(1, "list").replace(r#""arguments":{}"#, &format!(r#""arguments":{{"shapeCursor":"{next}"}}"#))
}

#[test]
fn a_call_that_waits_for_the_store_outlives_its_client() {
    let (_silent, address) = silent_redis();
    let mut talk = rows(&["--store", &address], r#"while read -r line; do printf '%s\n' "$1"; done"#);
    talk.say(&next_page());
    talk.close();
    let answer = talk.hear();
    assert!(answer.contains(r#"\"page\":2"#), "{answer}");
    assert_eq!(talk.end().code, 0);
}

#[test]
fn a_call_that_waits_for_the_store_is_answered_if_its_server_dies() {
    let (_silent, address) = silent_redis();
    let mut talk = rows(&["--store", &address], "read -r line; exit 3");
    talk.say(&next_page());
    talk.say(r#"{"jsonrpc":"2.0","method":"notifications/x"}"#);
    let answer = talk.hear();
    assert!(answer.contains(r#""id":1,"error""#) && answer.contains("exit code 3"), "{answer}");
    assert_eq!(talk.end().code, 3);
}

/// A server that has begun, and with the next line dies behind more than a pipe holds.
fn dies_behind_much() -> Talk {
    let line = r#"printf '{"a":"'; head -c 300000 /dev/zero | tr '\0' x; printf '"}\n'; exit 3"#;
    let mut talk = Talk::new(sh(&format!("echo '{{}}'; read -r line; {line}")));
    talk.hear();
    talk
}

#[test]
fn a_client_that_reads_late_hears_all_of_a_server_that_died() {
    let mut talk = dies_behind_much();
    talk.say(&call(1, "list"));
    std::thread::sleep(Duration::from_millis(700));
    assert_eq!(talk.hear().len(), 300_000 + r#"{"a":""}"#.len());
    assert!(talk.hear().contains("exit code 3"));
    assert_eq!(talk.end().code, 3);
}

#[test]
fn a_client_that_never_reads_is_left_by_a_signal() {
    let mut talk = dies_behind_much();
    talk.say(&call(1, "list"));
    std::thread::sleep(Duration::from_millis(700));
    kill_process(talk.id(), Signal::TERM).unwrap();
    assert_eq!(talk.code(), 3);
}

#[test]
fn lines_around_one_that_changes_keep_their_order() {
    let text = |text: &str| format!(r#"{{"jsonrpc":"2.0","method":"{text}"}}"#);
    let around = format!(r#"read -r line; printf '%s\n%s\n%s\n' '{}' "$1" '{}'; cat >/dev/null"#, text("a"), text("b"));
    let mut talk = rows(&["--no-store"], &around);
    talk.say(&call(1, "list"));
    assert_eq!(talk.hear(), text("a"));
    assert!(talk.hear().contains("totalItems"));
    assert_eq!(talk.hear(), text("b"));
}

#[test]
#[cfg(target_os = "linux")]
fn a_recording_that_finds_no_room_ends_and_the_relay_goes_on() {
    let mut talk = rows(&["--record", "/dev/full"], r#"while read -r line; do printf '%s\n' "$1"; done"#);
    for _ in 0..2 {
        talk.say(&call(1, "list"));
        assert!(talk.hear().contains("totalItems"));
    }
    talk.close();
    let ended = talk.end();
    assert_eq!(ended.errors.matches("toolshape: the recording ends here: ").count(), 1, "{}", ended.errors);
}

#[test]
#[cfg(target_os = "linux")]
fn the_relay_ends_without_what_holds_the_output_of_a_dead_server() {
    // What has a process group of its own is not the server's any more.
    let mut talk = Talk::new(sh("setsid sleep 600 & sleep 0.3; echo \"{\\\"pid\\\":$!}\"; kill -TERM $$"));
    let pid: serde_json::Value = serde_json::from_str(&talk.hear()).unwrap();
    std::thread::sleep(Duration::from_millis(300));
    talk.close();
    talk.stop_hearing();
    let code = talk.code();
    kill_process(Pid::from_raw(pid["pid"].as_i64().unwrap() as i32).unwrap(), Signal::KILL).unwrap();
    assert_eq!(code, 128 + 15);
}

#[test]
fn a_thousand_calls_at_once_are_answered_in_their_order() {
    let mut talk = Talk::new(sh("cat"));
    let lines: Vec<String> = (0..1000).map(|id| format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"x"}}"#)).collect();
    talk.say(&lines.join("\n"));
    for line in lines {
        assert_eq!(talk.hear(), line);
    }
}

#[test]
fn lines_pass_as_their_bytes_also_the_last_without_an_end() {
    let mut talk = Talk::new(sh("printf '{ \"a\":\"caf\\351\"}\\r\\n[1]\\n{\"b\":2}'; cat >/dev/null"));
    talk.close();
    let ended = talk.end();
    assert_eq!(ended.rest, b"{ \"a\":\"caf\xe9\"}\r\n[1]\n{\"b\":2}");
}

#[test]
fn nothing_is_left_of_a_server_that_ignores_its_end() {
    let script = "trap '' TERM; sh -c 'trap \"\" TERM; sleep 600 & wait' & echo \"{\\\"pids\\\":\\\"$$ $!\\\"}\"; while :; do sleep 600; done";
    let mut talk = Talk::new(sh(script));
    let pids: serde_json::Value = serde_json::from_str(&talk.hear()).unwrap();
    let began = Instant::now();
    talk.close();
    assert_eq!(talk.end().code, 0);
    // Before the client of an SDK sends SIGKILL: nothing could end the server then.
    assert!(began.elapsed() < Duration::from_secs(4), "{:?}", began.elapsed());
    let pids = pids["pids"].as_str().unwrap().to_owned();
    assert!(soon(|| pids.split(' ').all(|id| !is_alive(id))), "{pids}");
}

#[test]
fn nothing_is_left_of_what_a_dead_server_had_started() {
    let mut talk = Talk::new(sh("sleep 600 & echo \"{\\\"pid\\\":\\\"$!\\\"}\"; read line; exit 4"));
    let pid: serde_json::Value = serde_json::from_str(&talk.hear()).unwrap();
    talk.say(&call(1, "list"));
    assert!(talk.hear().contains("exit code 4"));
    let ended = talk.end();
    assert_eq!(ended.code, 4);
    assert!(ended.errors.starts_with("toolshape: the server ended with exit code 4: sh -c "), "{}", ended.errors);
    assert!(soon(|| !is_alive(pid["pid"].as_str().unwrap())));
}

#[test]
fn who_does_not_end_is_asked_before_it_is_killed() {
    let loops = "trap 'echo asked >&2; exit 0' TERM; echo '{}'; while :; do sleep 0.05; done";
    let mut talk = Talk::new(sh(loops));
    talk.hear();
    talk.close();
    let ended = talk.end();
    assert!(ended.code == 0 && ended.errors.contains("asked\n"), "{}", ended.errors);
    // What a dead server has left, even if it has let go of the server's output.
    let left = "trap 'echo asked >&2; exit 0' TERM; : > trapped; while :; do sleep 0.05; done";
    let script = format!(
        "cd \"$(mktemp -d)\"; ({left}) >/dev/null & until [ -e trapped ]; do sleep 0.01; done; echo '{{}}'; read line; exit 4"
    );
    let mut talk = Talk::new(sh(&script));
    talk.hear();
    talk.say(&call(1, "list"));
    assert!(talk.hear().contains("exit code 4"));
    let ended = talk.end();
    assert!(ended.code == 4 && ended.errors.contains("asked\n"), "{}", ended.errors);
}

#[test]
fn nothing_is_left_of_what_ignores_that_it_is_asked() {
    let script = "(trap '' TERM; exec sleep 600) >/dev/null 2>&1 & echo \"{\\\"pid\\\":\\\"$!\\\"}\"; read line; sleep 0.3; exit 4";
    let mut talk = Talk::new(sh(script));
    let pid: serde_json::Value = serde_json::from_str(&talk.hear()).unwrap();
    talk.say(&call(1, "list"));
    assert!(talk.hear().contains("exit code 4"));
    assert_eq!(talk.end().code, 4);
    assert!(soon(|| !is_alive(pid["pid"].as_str().unwrap())));
}

#[test]
fn signals_are_handed_on() {
    let mut talk = Talk::new(sh("trap 'exit 42' TERM; echo '{}'; while :; do sleep 0.05; done"));
    talk.hear();
    kill_process(talk.id(), Signal::TERM).unwrap();
    let ended = talk.end();
    // The shell says that what it ran was ended; the relay says nothing.
    assert!(ended.code == 42 && !ended.errors.contains("toolshape"), "{}", ended.errors);
}

#[test]
fn a_server_that_ignores_a_signal_is_killed() {
    let mut talk = Talk::new(sh("trap '' TERM; echo '{}'; while :; do sleep 0.05; done"));
    talk.hear();
    kill_process(talk.id(), Signal::TERM).unwrap();
    assert_eq!(talk.end().code, 128 + 9);
}

#[test]
fn the_code_of_a_server_that_is_asked_to_end_is_its_own() {
    let mut talk = Talk::new(sh("trap 'exit 7' TERM; echo '{}'; while :; do sleep 0.05; done"));
    talk.hear();
    talk.close();
    assert_eq!(talk.end().code, 7);
    // Of one that the signal ends it is ours.
    let mut talk = Talk::new(sh("echo '{}'; while :; do sleep 0.05; done"));
    talk.hear();
    talk.close();
    assert_eq!(talk.end().code, 0);
}

#[test]
fn a_server_ends_by_the_end_of_its_input_before_anybody_asks_it() {
    let mut talk = Talk::new(sh("trap 'echo asked >&2' TERM; echo '{}'; cat >/dev/null; exit 6"));
    talk.hear();
    talk.close();
    let ended = talk.end();
    assert_eq!((ended.code, &*ended.errors), (6, ""));
}

#[test]
fn a_server_that_reads_no_more_is_asked_to_end() {
    let mut talk = Talk::new(sh("exec <&-; trap 'exit 9' TERM; echo '{}'; while :; do sleep 0.05; done"));
    talk.hear();
    talk.say(&call(1, "list"));
    assert!(talk.hear().contains("exit code 9"));
    assert_eq!(talk.end().code, 9);
}

#[test]
fn a_client_that_has_spoken_is_listened_to_for_a_moment_only() {
    let took = || {
        let mut talk = Talk::new(sh("read line; exit 4"));
        talk.say(&call(1, "list"));
        talk.hear();
        let answered = Instant::now();
        talk.end();
        answered.elapsed()
    };
    // Where much else runs, one of them may be late.
    assert!((0..5).any(|_| took() < Duration::from_millis(800)));
}

#[test]
fn a_server_whose_client_reads_no_more_ends() {
    let mut talk =
        Talk::new(sh("while echo '{\"jsonrpc\":\"2.0\",\"method\":\"notifications/x\"}'; do sleep 0.01; done"));
    talk.hear();
    talk.stop_hearing();
    let errors = talk.end().errors;
    assert!(!errors.contains("toolshape"), "{errors}");
}

#[test]
fn what_is_no_message_goes_to_standard_error() {
    let mut talk = Talk::new(sh("printf 'Listening \\033[31m\\a\\n'; echo '{}'; cat >/dev/null"));
    assert_eq!(talk.hear(), "{}");
    talk.close();
    assert_eq!(talk.end().errors, "Listening \\u{1b}[31m\\u{7}\n");
}

/// A server that answers with a line of 300,000 letters in place of `LONG`, and goes on as `then` says.
fn long_line(answer: &str, then: &str) -> Talk {
    let letters = "head -c 300000 /dev/zero | tr '\\0' x";
    let script = format!(
        "read -r line; printf '%s' '{}'; {then}",
        answer.replace("LONG", &format!("'; {letters}; printf '%s' '"))
    );
    Talk::new(["--max-line-bytes", "70000"].map(str::to_owned).into_iter().chain(sh(&script)).collect())
}

#[test]
fn a_call_whose_answer_is_too_long_gets_an_error_and_the_conversation_goes_on() {
    for answer in [r#"{"jsonrpc":"2.0","id":1,"result":"LONG"}"#, r#"{"result":"LONG","id":1,"jsonrpc":"2.0"}"#] {
        let mut talk = long_line(answer, "echo; echo '{\"a\":1}'; cat >/dev/null");
        talk.say(&call(1, "list"));
        let heard = talk.hear();
        assert!(heard.starts_with(r#"{"jsonrpc":"2.0","id":1,"error":"#) && heard.contains("maxLineBytes"), "{heard}");
        assert_eq!(talk.hear(), r#"{"a":1}"#);
        talk.close();
        let ended = talk.end();
        assert!(ended.code == 0 && ended.errors.contains("bytes: more than toolshape holds"), "{}", ended.errors);
    }
}

#[test]
fn a_message_of_the_client_that_is_too_long_gets_an_error() {
    let mut talk = Talk::new(["--max-line-bytes", "70000"].map(str::to_owned).into_iter().chain(sh("cat")).collect());
    talk.say(&call(1, &"x".repeat(300_000)));
    assert!(talk.hear().starts_with(r#"{"jsonrpc":"2.0","id":1,"error":"#));
    talk.say(r#"{"a":1}"#);
    assert_eq!(talk.hear(), r#"{"a":1}"#);
}

#[test]
fn an_answer_without_an_end_is_not_waited_for() {
    let mut talk = long_line(r#"{"jsonrpc":"2.0","id":1,"result":"LONG"#, "while :; do printf x; done");
    talk.say(&call(1, "list"));
    std::thread::sleep(Duration::from_millis(500));
    talk.close();
    assert!(talk.hear().starts_with(r#"{"jsonrpc":"2.0","id":1,"error":"#));
    assert_eq!(talk.end().code, 0);
}

#[test]
fn a_server_that_does_not_read_can_be_heard() {
    let mut talk = Talk::new(sh("sleep 0.2; echo '{\"a\":1}'; sleep 600"));
    let line = format!(r#"{{"jsonrpc":"2.0","method":"x","params":"{}"}}"#, "x".repeat(300_000));
    talk.say(&line);
    assert_eq!(talk.hear(), r#"{"a":1}"#);
    kill_process(talk.id(), Signal::TERM).unwrap();
    talk.end();
}

#[test]
fn a_server_with_a_call_ends_when_its_client_is_killed() {
    let mut talk = Talk::new(sh("echo \"{\\\"pid\\\":\\\"$$\\\"}\"; sleep 600"));
    let pid: serde_json::Value = serde_json::from_str(&talk.hear()).unwrap();
    talk.say(&call(1, "hangs"));
    talk.close();
    talk.stop_hearing();
    talk.end();
    assert!(soon(|| !is_alive(pid["pid"].as_str().unwrap())));
}

#[test]
fn a_server_that_closes_its_output_has_ended() {
    let mut talk = Talk::new(sh("printf '{\"a\":1}'; read line; exec >&-; sleep 600"));
    talk.say(&call(1, "list"));
    assert_eq!(talk.hear(), "{\"a\":1}");
    assert!(talk.hear().contains("\"id\":1,\"error\""));
    talk.end();
}
