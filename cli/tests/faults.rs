//! The relay in front of servers that fail, and behind clients that go away: nobody waits, and nothing is left behind.

#![cfg(unix)]

mod talk;

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
    let mut talk = Talk::new(server(r#"*ping*) sleep 0.3; echo '{"jsonrpc":"2.0","id":1,"result":{}}';;"#));
    talk.say(r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#);
    talk.close();
    assert_eq!(talk.hear(), r#"{"jsonrpc":"2.0","id":1,"result":{}}"#);
    assert_eq!(talk.end().code, 0);
}

#[test]
fn a_server_that_cannot_be_started_is_named_and_the_client_is_answered() {
    let mut talk = Talk::new(["--", "/nowhere/at all", "x"].map(str::to_owned).into());
    talk.say(r#"{"jsonrpc":"2.0","id":"a","method":"initialize"}"#);
    let answer = talk.hear();
    assert!(
        answer.starts_with(
            r#"{"jsonrpc":"2.0","id":"a","error":{"code":-32603,"message":"cannot start '/nowhere/at all' x: "#
        ),
        "{answer}"
    );
    let ended = talk.end();
    assert_eq!(ended.code, 127);
    assert!(ended.said.starts_with("toolshape: cannot start '/nowhere/at all' x: "), "{}", ended.said);
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
    let said = "toolshape: the server ended with exit code 3, before it said anything: sh -c 'echo '\\''no key'\\''";
    assert!(ended.said.contains("no key\n") && ended.said.contains(said), "{}", ended.said);
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
    assert_eq!(talk.end().code, 4);
    assert!(soon(|| !is_alive(pid["pid"].as_str().unwrap())));
}

#[test]
fn who_does_not_end_is_asked_before_it_is_killed() {
    let loops = "trap 'echo asked >&2; exit 0' TERM; echo '{}'; while :; do sleep 0.05; done";
    let mut talk = Talk::new(sh(loops));
    talk.hear();
    talk.close();
    let ended = talk.end();
    assert!(ended.code == 0 && ended.said.contains("asked\n"), "{}", ended.said);
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
    assert!(ended.code == 4 && ended.said.contains("asked\n"), "{}", ended.said);
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
    assert_eq!(talk.end().code, 42);
}

#[test]
fn a_server_whose_client_reads_no_more_ends() {
    let mut talk =
        Talk::new(sh("while echo '{\"jsonrpc\":\"2.0\",\"method\":\"notifications/x\"}'; do sleep 0.01; done"));
    talk.hear();
    talk.stop_hearing();
    talk.end();
}

#[test]
fn what_is_no_message_goes_to_standard_error() {
    let mut talk = Talk::new(sh("echo 'Listening'; echo '{}'; cat >/dev/null"));
    assert_eq!(talk.hear(), "{}");
    talk.close();
    assert_eq!(talk.end().said, "Listening\n");
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
