//! `toolshape run` as a shell would: its signals, its end, its output, whatever a command does.

#![cfg(unix)]

use std::fs;
use std::io::{Read, Write};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process, kill_process_group};

const PROGRAM: &str = env!("CARGO_BIN_EXE_toolshape");

fn home(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("runs").join(name);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    folder
}

fn start(home: &Path, options: &[&str], script: &str) -> Child {
    let mut command = Command::new(PROGRAM);
    command.arg("run").args(options).args(["--", "sh", "-c", script]).current_dir(home).env("HOME", home);
    for variable in ["XDG_CACHE_HOME", "XDG_CONFIG_HOME"] {
        command.env_remove(variable);
    }
    command.process_group(0).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
}

fn run(home: &Path, options: &[&str], script: &str) -> Output {
    start(home, options, script).wait_with_output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn wait_for(file: &Path, program: &mut Child) {
    while !file.exists() {
        assert!(program.try_wait().unwrap().is_none(), "it ended before {}", file.display());
        thread::sleep(Duration::from_millis(10));
    }
}

#[test]
fn a_signal_reaches_the_command_once() {
    let home = home("signals");
    for (signal, name) in [(Signal::INT, "INT"), (Signal::TERM, "TERM"), (Signal::HUP, "HUP")] {
        // A shell cannot hear what was ignored when it started, as where tests run in the background.
        let script = format!("trap 'echo heard' {name}; kill -{name} $$; :");
        if Command::new("sh").args(["-c", &script]).output().unwrap().stdout != b"heard\n" {
            continue;
        }
        for is_for_group in [true, false] {
            let name = format!("{signal:?}{is_for_group}").replace(|c: char| !c.is_alphanumeric(), "");
            let file = home.join(&name);
            // It ends when the test says so, after the signal was heard.
            let script = format!(
                "n=0; trap 'n=$((n+1)); : > {0}.heard' INT TERM HUP; : > {0}.ready; while [ ! -e {0}.go ]; do sleep 0.05; done; echo heard $n",
                file.display()
            );
            let mut child = start(&home, &[], &script);
            wait_for(&home.join(format!("{name}.ready")), &mut child);
            let pid = Pid::from_raw(i32::try_from(child.id()).unwrap()).unwrap();
            if is_for_group { kill_process_group(pid, signal) } else { kill_process(pid, signal) }.unwrap();
            wait_for(&home.join(format!("{name}.heard")), &mut child);
            // A second one would come right after it.
            thread::sleep(Duration::from_millis(200));
            std::fs::write(home.join(format!("{name}.go")), "").unwrap();
            let ended = child.wait_with_output().unwrap();
            // A shell names the child that the signal has ended.
            let shown = text(&ended.stdout);
            assert!(shown.ends_with("heard 1\n") && ended.status.success(), "{name}: {shown}");
        }
    }
    let ready = home.join("ready");
    let mut child = start(&home, &[], &format!("echo before; : > {}; sleep 30 & wait", ready.display()));
    wait_for(&ready, &mut child);
    kill_process(Pid::from_raw(i32::try_from(child.id()).unwrap()).unwrap(), Signal::TERM).unwrap();
    let ended = child.wait_with_output().unwrap();
    assert_eq!((ended.status.code(), text(&ended.stdout)), (Some(128 + 15), "before\n".to_owned()));
}

#[test]
fn its_exit_code_is_that_of_a_shell() {
    let home = home("codes");
    let script = home.join("script");
    fs::write(&script, "exit 7").unwrap();
    for (command, code) in [("exit 7", 7), ("kill -9 $$", 137), ("kill -TERM $$", 143), ("no-such-command-at-all", 127)]
    {
        assert_eq!(run(&home, &[], command).status.code(), Some(code), "{command}");
    }
    // Without a shell in between.
    for (command, code) in [("no-such-command-at-all", 127), (script.to_str().unwrap(), 126)] {
        let ended = Command::new(PROGRAM).args(["run", "--", command]).env("HOME", &home).output().unwrap();
        assert_eq!(ended.status.code(), Some(code), "{command}");
    }
}

#[test]
fn it_ends_with_its_command() {
    let home = home("ends");
    for (script, code, wanted) in [
        ("(yes tick & echo started)", 0, "started"),
        ("sleep 60 & echo started; exit 3", 3, "started"),
        ("(while sleep 0.05; do echo tick; done) & echo started", 0, "started"),
        ("(yes err >&2 & echo started >&2)", 0, "started"),
        ("setsid sh -c 'while sleep 0.05; do echo tick; done' & echo started; sleep 0.2", 0, "started"),
        ("(trap '' HUP TERM; sleep 60) & kill -KILL $$", 128 + 9, ""),
        ("seq 1 2000; (yes & true)", 0, "1\\n2\\n3"),
    ] {
        let began = Instant::now();
        let ended = run(&home, &[], script);
        assert!(began.elapsed() < Duration::from_secs(8), "{script}");
        assert_eq!(ended.status.code(), Some(code), "{script}");
        assert!(text(&ended.stdout).contains(wanted), "{script}: {}", text(&ended.stdout));
    }
}

/// The most memory that a process had, in megabytes.
fn peak(script: &str, home: &Path, options: &[&str]) -> (u64, Output) {
    let mut child = start(home, options, script);
    let status = format!("/proc/{}/status", child.id());
    let (mut out, mut peak) = (child.stdout.take().unwrap(), 0);
    let reader = thread::spawn(move || {
        let mut all = Vec::new();
        out.read_to_end(&mut all).unwrap();
        all
    });
    loop {
        let about = fs::read_to_string(&status).unwrap_or_default();
        let line = about.lines().find(|line| line.starts_with("VmHWM:")).unwrap_or_default();
        peak = peak.max(line.split_whitespace().nth(1).and_then(|kilobytes| kilobytes.parse().ok()).unwrap_or(0));
        if child.try_wait().unwrap().is_some() {
            break;
        }
        thread::sleep(Duration::from_millis(5));
    }
    let ended = child.wait_with_output().unwrap();
    (peak / 1024, Output { stdout: reader.join().unwrap(), ..ended })
}

#[test]
#[cfg(target_os = "linux")]
fn memory_is_bounded() {
    let home = home("memory");
    for (script, wanted) in [
        ("seq 1 9000000", "9000000"),
        ("head -c 100000000 /dev/zero", ""),
        ("head -c 40000000 /dev/urandom", ""),
        ("timeout 1 yes 'some words of a command'", "words"),
    ] {
        let (peak, ended) = peak(script, &home, &[]);
        println!("{script}: {peak} MB");
        assert!(peak < 200, "{script}: {peak} MB");
        assert!(ended.stdout.len() < 20_000, "{script}: {}", ended.stdout.len());
        assert!(text(&ended.stdout).contains(wanted), "{script}: {}", text(&ended.stdout));
    }
}

#[test]
fn all_is_printed_where_nothing_is_kept() {
    let home = home("nothing");
    let bytes: Vec<u8> = (0..300_000_u32).map(|at| (at * 7 % 256) as u8).collect();
    fs::write(home.join("bytes"), &bytes).unwrap();
    let script = format!("cat {}", home.join("bytes").display());
    assert!(run(&home, &["--set", "store=false"], &script).stdout == bytes);
    // A store that cannot be written, or does not answer.
    fs::create_dir_all(home.join(".config/toolshape")).unwrap();
    let own = home.join(".config/toolshape/toolshape.json");
    for place in ["redis://127.0.0.1:1", "/proc/none/at/all"] {
        fs::write(&own, format!(r#"{{ "store": "{place}" }}"#)).unwrap();
        let ended = run(&home, &[], &script);
        assert!(ended.stdout == bytes, "{place}: {} {}", ended.stdout.len(), text(&ended.stderr));
    }
    fs::remove_file(&own).unwrap();
    // Standard error stays apart where nothing is looked at.
    let ended = run(&home, &["--set", "store=false"], "echo out; echo err >&2");
    assert_eq!((text(&ended.stdout), text(&ended.stderr)), ("out\n".to_owned(), "err\n".to_owned()));
}

#[test]
fn secrets_are_neither_shown_nor_stored() {
    let home = home("secrets");
    let lines = "i=0; while [ $i -lt 3000 ]; do echo \"line $i token=sk-live-SECRET$i\"; i=$((i+1)); done";
    for (options, script) in [
        (&["--set", r#"redactTexts=["sk-live-*"]"#][..], lines.to_owned()),
        (&["--set", r#"redactTexts=["sk-live-*"]"#], "echo sk-live-SECRET".to_owned()),
        (&["--set", r#"redactTexts=["sk-live-*"]"#], format!("({lines}) >&2")),
        (&["--set", r#"redactTexts=["sk-live-*"]"#, "--set", "store=false"], lines.to_owned()),
        // A secret in two parts of what is read, and among bytes that are not text.
        (
            &["--set", r#"redactTexts=["sk-live-*"]"#],
            "head -c 65530 /dev/zero | tr '\\0' ' '; printf 'sk-live-'; sleep 0.2; echo SECRET".to_owned(),
        ),
        (
            &["--set", r#"redactTexts=["sk-live-*"]"#],
            "head -c 90000 /dev/zero; printf '\\377 sk-live-SECRET \\0'".to_owned(),
        ),
        (&["--set", r#"redactFields=["password"]"#], "printf '{\"password\":\"SECRET\"}'".to_owned()),
    ] {
        let ended = run(&home, options, &script);
        assert!(ended.status.success() && !text(&ended.stdout).contains("SECRET"), "{script}: {}", text(&ended.stdout));
        let found = Command::new("grep").args(["-r", "SECRET"]).arg(&home).output().unwrap();
        assert!(found.stdout.is_empty(), "{script}: {}", text(&found.stdout));
    }
}

/// A shell that reads its commands is in the place of a host: its command line has no other words.
#[test]
fn each_host_in_a_folder_lists_what_it_stored() {
    let home = home("lists");
    let host = |word: &str| {
        let script = format!(
            "\"$T\" run -- seq -f '{word} %g' 20000 >/dev/null; sh -c '\"$T\" run -- seq -f \"{word} again %g\" 20000' >/dev/null; \"$T\" read"
        );
        let mut shell = Command::new("sh");
        shell.arg("-s").current_dir(&home).env("HOME", &home).env("T", PROGRAM).env_remove("XDG_CACHE_HOME");
        let mut shell = shell.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        shell.stdin.take().unwrap().write_all(script.as_bytes()).unwrap();
        text(&shell.wait_with_output().unwrap().stdout)
    };
    let [one, other] = ["one", "other"].map(host);
    for listed in [&one, &other] {
        assert!(listed.contains("\"totalItems\":2,"), "{listed}");
    }
    assert_ne!(one, other);
}

#[test]
fn a_cut_shows_no_part_of_a_secret() {
    let home = home("cut");
    // Lines of many lengths, and one without an end: a cut is within some secret.
    let lines = r#"awk 'BEGIN { for (i = 0; i < 60000; i++) { s = sprintf("%" (i % 37) "s", ""); print s "token=sk-live-" i "SECRETSECRETSECRET" } }'"#;
    for (secret, script) in [
        (r#"redactTexts=["sk-live-*"]"#, lines.to_owned()),
        (r#"redactTexts=["sk-live-*"]"#, format!("{lines} | tr '\\n' ' '")),
        (r#"redactTexts=["BEGIN KEY**END KEY"]"#, r#"awk 'BEGIN { for (i = 0; i < 3000; i++) { print "BEGIN KEY"; for (j = 0; j < 40; j++) print "SECRET" j; print "END KEY" } }'"#.to_owned()),
        (r#"redactFields=["token"]"#, lines.to_owned()),
        (r#"redactFields=["token"]"#, r#"echo 'id,token,n'; awk 'BEGIN { for (i = 0; i < 90000; i++) print i ",SECRET,1" }'"#.to_owned()),
    ] {
        for store in [&[][..], &["--set", "store=false"]] {
            let options = [&["--set", secret, "--set", "maxLineBytes=200000"], store].concat();
            let ended = run(&home, &options, &script);
            let (shown, errors) = (text(&ended.stdout), text(&ended.stderr));
            let at = shown.find("SECRET").map(|at| &shown[at.saturating_sub(80)..(at + 40).min(shown.len())]);
            assert!(ended.status.success() && at.is_none(), "{script} {store:?}: {at:?} {errors}");
            let found = Command::new("grep").args(["-r", "SECRET"]).arg(&home).output().unwrap();
            assert!(found.stdout.is_empty(), "{script} {store:?}: {} bytes are stored", found.stdout.len());
        }
    }
}

#[test]
fn a_command_has_what_a_shell_gives_it() {
    let home = home("given");
    let plain = |script: &str| Command::new("sh").args(["-c", script]).stdin(Stdio::null()).output().unwrap().stdout;
    for script in [
        "yes | head -1", "ls -1 /proc/self/fd | wc -l", "printf 'no line end'", "printf 'a\\r\\n\\0\\377\\n'",
        "umask; ulimit -n", "cat", ":",
    ] {
        let ended = run(&home, &[], script);
        assert_eq!(text(&ended.stdout), text(&plain(script)), "{script}: {}", text(&ended.stderr));
    }
    for (script, code) in [
        ("exec >&- 2>&-; sleep 0.5; exit 5", 5),
        ("kill -SEGV $$", 128 + 11),
        ("exit 255", 255),
        ("kill -PIPE $$", 128 + 13),
    ] {
        assert_eq!(run(&home, &[], script).status.code(), Some(code), "{script}");
    }
    // What it is given on standard input is the command's.
    let mut piped = Command::new(PROGRAM);
    piped.args(["run", "--", "wc", "-c"]).env("HOME", &home).stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut piped = piped.spawn().unwrap();
    std::io::Write::write_all(&mut piped.stdin.take().unwrap(), &vec![b'x'; 5_000_000]).unwrap();
    assert_eq!(text(&piped.wait_with_output().unwrap().stdout).trim(), "5000000");
}

#[test]
fn signals_end_a_command_that_prints_without_end() {
    let home = home("endless");
    for (signal, code) in [(Signal::TERM, 143), (Signal::HUP, 129)] {
        let mut child = start(&home, &[], ": > ready; exec yes");
        wait_for(&home.join("ready"), &mut child);
        fs::remove_file(home.join("ready")).unwrap();
        kill_process(Pid::from_raw(i32::try_from(child.id()).unwrap()).unwrap(), signal).unwrap();
        assert_eq!(child.wait_with_output().unwrap().status.code(), Some(code), "{signal:?}");
    }
}
