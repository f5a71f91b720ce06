//! What others may have written - a repository's file, a server's result, the settings of a host - names no place.

#![cfg(unix)]

use std::fs;
use std::io::{Read, Write};
use std::net::TcpListener;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use serde_json::{Value, json};

const PROGRAM: &str = env!("CARGO_BIN_EXE_toolshape");

/// A user with a home, and a repository to work in.
struct World(PathBuf);

impl World {
    fn new(name: &str) -> Self {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("trust").join(name);
        let _ = fs::remove_dir_all(&folder);
        for part in ["home/.config/toolshape", "home/.claude/projects/p/s/tool-results", "repository"] {
            fs::create_dir_all(folder.join(part)).unwrap();
        }
        Self(folder)
    }

    fn home(&self) -> PathBuf {
        self.0.join("home")
    }

    fn write(&self, path: &str, text: &str) -> PathBuf {
        let file = self.0.join(path);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(&file, text).unwrap();
        file
    }

    fn run(&self, arguments: &[&str], input: &str) -> Output {
        let mut command = Command::new(PROGRAM);
        for variable in ["XDG_CACHE_HOME", "XDG_CONFIG_HOME", "CLAUDE_CONFIG_DIR"] {
            command.env_remove(variable);
        }
        let all = command.args(arguments).current_dir(self.0.join("repository")).env("HOME", self.home());
        let mut program = all.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let _ = program.stdin.take().unwrap().write_all(input.as_bytes());
        program.wait_with_output().unwrap()
    }

    /// What the hook answers to a result.
    fn hooked(&self, tool: &str, response: &Value) -> Output {
        let event = json!({ "tool_name": tool, "tool_input": {}, "tool_response": response });
        self.run(&["hook", "claude-code"], &event.to_string())
    }

    fn settings(&self) -> PathBuf {
        self.home().join(".claude/settings.json")
    }
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn mode(file: &Path) -> u32 {
    fs::metadata(file).unwrap().permissions().mode() & 0o777
}

/// A place that counts who connects to it.
fn listener() -> (String, Arc<AtomicUsize>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let (place, count) = (format!("redis://{}", listener.local_addr().unwrap()), Arc::new(AtomicUsize::new(0)));
    let counted = Arc::clone(&count);
    thread::spawn(move || {
        for connection in listener.incoming() {
            counted.fetch_add(1, Ordering::SeqCst);
            thread::spawn(move || connection.unwrap().read(&mut [0; 4096]));
        }
    });
    (place, count)
}

const LINES: &str = "seq 1 30000";
const SERVER: &str = r#"while read -r line; do printf '{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"%s"}]}}\n' "$(seq -s, 1 20000)"; done"#;
const CALL: &str = r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"x","arguments":{}}}"#;

#[test]
fn a_file_of_the_working_folder_shapes_and_names_no_place() {
    let world = World::new("places");
    let (redis, connections) = listener();
    for (option, value) in [
        ("store", json!(redis)),
        ("store", json!("kept")),
        ("store", json!(false)),
        ("resultArguments", json!(["x"])),
        ("scope", json!("another")),
        ("cursorKey", json!("k".repeat(32))),
        ("authorizeSeconds", json!(0)),
        ("maxLineBytes", json!(1 << 16)),
    ] {
        let options = match option {
            "scope" => json!({ "scope": "a", "cursorKey": "k".repeat(32), "maxTokens": 300 }),
            _ => json!({ option: value, "maxTokens": 300 }),
        };
        world.write("repository/toolshape.json", &options.to_string());
        let relay = ["--", "sh", "-c", SERVER];
        for (arguments, input) in [
            (&["run", "--", "sh", "-c", LINES][..], String::new()),
            (&["read", "abcdefghijklmnop"], String::new()),
            (&relay, format!("{CALL}\n")),
        ] {
            let ended = world.run(arguments, &input);
            assert!(text(&ended.stderr).contains(&format!("{option} in ./toolshape.json is ignored")), "{ended:?}");
        }
        let shown = text(&world.run(&["run", "--", "sh", "-c", LINES], "").stdout);
        assert!(shown.contains(" read ") && shown.len() < 1500, "{option}: {shown}");
        let event = world.hooked("Bash", &json!({ "stdout": "word ".repeat(9000), "stderr": "" }));
        assert!(event.status.success() && event.stderr.is_empty() && event.stdout.len() > 2000, "{event:?}");
    }
    assert_eq!(connections.load(Ordering::SeqCst), 0);
    assert_eq!(fs::read_dir(world.0.join("repository")).unwrap().count(), 1);
}

#[test]
fn a_file_of_the_working_folder_need_not_be_one() {
    let world = World::new("forms");
    let file = world.0.join("repository/toolshape.json");
    let (redis, connections) = listener();
    let elsewhere = world.write("elsewhere.json", &json!({ "store": redis }).to_string());
    let forms: [(&str, &dyn Fn()); 4] = [
        ("a pipe", &|| assert!(Command::new("mkfifo").arg(&file).status().unwrap().success())),
        ("a folder", &|| fs::create_dir(&file).unwrap()),
        ("a device", &|| symlink("/dev/zero", &file).unwrap()),
        ("a link", &|| symlink(&elsewhere, &file).unwrap()),
    ];
    for (form, make) in forms {
        make();
        let ended = world.run(&["run", "--", "sh", "-c", LINES], "");
        assert!(text(&ended.stdout).len() < 20_000, "{form}: {ended:?}");
        if form == "a folder" { fs::remove_dir(&file).unwrap() } else { fs::remove_file(&file).unwrap() }
    }
    assert_eq!(connections.load(Ordering::SeqCst), 0);
}

#[test]
fn no_other_name_is_a_place_either() {
    let world = World::new("names");
    let (redis, connections) = listener();
    let address = redis.replace("redis", "http");
    let server = json!({ "x": { "command": ["sh", "-c", "touch ran"] } });
    for (file, written) in [
        ("toolshape.json", json!({ "tools": { "*": { "store": redis } } }).to_string()),
        ("toolshape.json", json!({ "Store": redis }).to_string()),
        ("toolshape.json", format!(r#"{{"\u0073tore":"{redis}"}}"#)),
        ("toolshape.json", format!(r#"{{"store":true,"store":"{redis}"}}"#)),
        ("toolshape.json", json!({ "traces": address, "publicUrl": address, "upstreams": server }).to_string()),
        ("toolshape.json", json!({ "url": address, "header": ["a: b"], "command": ["touch", "ran"] }).to_string()),
        (
            "toolshape.json",
            json!({ "config": "other.json", "extends": "other.json", "policy": "other.json" }).to_string(),
        ),
        ("toolshape.json", json!({ "record": "made", "log": "made", "account": "made", "cache": "made" }).to_string()),
        ("toolshape.jsonc", json!({ "store": redis }).to_string()),
        (".toolshape.json", json!({ "store": redis }).to_string()),
        (".config/toolshape/toolshape.json", json!({ "store": redis }).to_string()),
        ("toolshape/toolshape.json", json!({ "store": redis }).to_string()),
        (".env", format!("TOOLSHAPE_STORE={redis}\nTOOLSHAPE_CONFIG=other.json\n")),
        ("../toolshape.json", json!({ "store": redis }).to_string()),
    ] {
        let _ = fs::remove_dir_all(world.0.join("repository"));
        world.write("repository/other.json", &json!({ "store": redis }).to_string());
        let named = world.write(&format!("repository/{file}"), &written);
        let before = found(&world.0.join("repository"));
        let hooked = world.hooked("Bash", &json!({ "stdout": "word ".repeat(9000), "stderr": "" }));
        assert!(hooked.status.success(), "{file} {written}: {hooked:?}");
        world.run(&["run", "--", "sh", "-c", LINES], "");
        world.run(&["read", "abcdefghijklmnop"], "");
        world.run(&["--", "sh", "-c", SERVER], &format!("{CALL}\n"));
        world.run(&["serve", "--listen", "127.0.0.1:0", "--set", "x=1"], "");
        assert_eq!(found(&world.0.join("repository")), before, "{file} {written}");
        assert_eq!(connections.load(Ordering::SeqCst), 0, "{file} {written}");
        fs::remove_file(named).unwrap();
    }
}

/// The files in a folder.
fn found(folder: &Path) -> String {
    text(&Command::new("find").arg(folder).output().unwrap().stdout)
}

#[test]
fn a_user_without_a_folder_has_not_the_working_one() {
    let world = World::new("homeless");
    let (redis, connections) = listener();
    for file in [".config/toolshape/toolshape.json", "toolshape/toolshape.json"] {
        world.write(&format!("repository/{file}"), &json!({ "store": redis, "maxTokens": 300 }).to_string());
    }
    let before = found(&world.0.join("repository"));
    for variables in [
        &[("HOME", "")][..],
        &[("XDG_CONFIG_HOME", ""), ("XDG_CACHE_HOME", ""), ("XDG_STATE_HOME", "")],
        &[("HOME", ""), ("XDG_CONFIG_HOME", ""), ("XDG_CACHE_HOME", ""), ("XDG_STATE_HOME", "")],
        &[("XDG_CONFIG_HOME", "."), ("XDG_CACHE_HOME", "."), ("XDG_STATE_HOME", ".")],
        &[("HOME", "."), ("TMPDIR", ".")],
    ] {
        for arguments in [&["run", "--", "sh", "-c", LINES][..], &["--", "sh", "-c", SERVER], &["hook", "claude-code"]]
        {
            let mut command = Command::new(PROGRAM);
            for variable in ["XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME", "CLAUDE_CONFIG_DIR"] {
                command.env_remove(variable);
            }
            command.args(arguments).current_dir(world.0.join("repository")).env("HOME", world.home());
            command.envs(variables.iter().copied()).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
            let mut program = command.spawn().unwrap();
            let event =
                json!({ "tool_name": "Bash", "tool_input": {}, "tool_response": { "stdout": "word ".repeat(9000) } });
            let input = if arguments[0] == "hook" { event.to_string() } else { format!("{CALL}\n") };
            let _ = program.stdin.take().unwrap().write_all(input.as_bytes());
            let ended = program.wait_with_output().unwrap();
            assert!(ended.status.success(), "{variables:?} {arguments:?}: {ended:?}");
            assert_eq!(connections.load(Ordering::SeqCst), 0, "{variables:?} {arguments:?}");
            assert_eq!(found(&world.0.join("repository")), before, "{variables:?} {arguments:?}");
        }
    }
}

#[test]
fn a_user_without_a_folder_has_no_servers() {
    let world = World::new("serverless");
    let ran = world.0.join("ran");
    let server = json!({ "command": "touch", "args": [ran] });
    for file in [".claude.json", ".cursor/mcp.json", ".gemini/settings.json"] {
        world.write(&format!("repository/{file}"), &json!({ "mcpServers": { "x": server } }).to_string());
    }
    for home in ["", ".", "../repository"] {
        let mut command = Command::new(PROGRAM);
        command
            .args(["measure", "--hosts", "--timeout", "1"])
            .current_dir(world.0.join("repository"))
            .env("HOME", home);
        assert!(!command.output().unwrap().status.success() && !ran.exists(), "{home}");
    }
}

#[test]
fn a_repository_reads_no_variable() {
    let world = World::new("variables");
    for name in ["readTool", "title", "redactTexts", "maxTokens", "detail"] {
        let value = if name == "redactTexts" { json!(["xx${SECRET}"]) } else { json!("${SECRET}") };
        world.write("repository/toolshape.json", &json!({ name: value }).to_string());
        let listed = r#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#;
        let mut command = Command::new(PROGRAM);
        command.args(["--", "sh", "-c", SERVER]).current_dir(world.0.join("repository")).env("HOME", world.home());
        let mut program = command
            .env("SECRET", "s3cret")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let _ = program.stdin.take().unwrap().write_all(format!("{listed}\n{CALL}\n").as_bytes());
        let ended = program.wait_with_output().unwrap();
        assert!(!(text(&ended.stdout) + &text(&ended.stderr)).contains("s3cret"), "{name}: {ended:?}");
    }
}

#[test]
fn places_are_of_the_user_and_of_the_command_line() {
    let world = World::new("own");
    let repository =
        world.write("repository/toolshape.json", &json!({ "maxTokens": 300, "store": "from-config" }).to_string());
    world.write("home/.config/toolshape/toolshape.json", r#"{ "store": "~/of-user", "redactTexts": ["sk-*"] }"#);
    assert!(world.run(&["run", "--", "sh", "-c", LINES], "").status.success());
    assert!(world.home().join("of-user").is_dir());
    // A file that the command line names is taken whole, also below the user's home.
    let relayed = |config: &str| world.run(&["--config", config, "--", "sh", "-c", SERVER], &format!("{CALL}\n"));
    assert!(!text(&relayed("toolshape.json").stderr).contains("ignored"));
    assert!(repository.with_file_name("from-config").is_dir());
    fs::rename(&repository, world.home().join("mine.json")).unwrap();
    assert!(text(&relayed("~/mine.json").stdout).contains("jsonrpc"));
    assert!(text(&relayed("~/none.json").stderr).contains("cannot read"));
}

#[test]
fn a_repository_adds_to_what_is_secret_and_takes_nothing_away() {
    let world = World::new("redaction");
    world.write("home/.config/toolshape/toolshape.json", r#"{ "redactTexts": ["sk-*"] }"#);
    world.write("repository/toolshape.json", r#"{ "redactTexts": ["pk-*"] }"#);
    let shaped = world.run(&["--", "sh", "-c", SERVER.replace("$(seq -s, 1 20000)", "sk-one pk-two").as_str()], CALL);
    assert!(!text(&shaped.stdout).contains("sk-one") && !text(&shaped.stdout).contains("pk-two"), "{shaped:?}");
}

#[test]
fn a_repository_spells_no_place_and_takes_no_secret_back() {
    let world = World::new("spelled");
    let (redis, connections) = listener();
    world.write("home/.config/toolshape/toolshape.json", r#"{ "redactTexts": ["sk-*"], "redactFields": ["pin"] }"#);
    for options in [
        format!(r#"{{ "\u0073tore": "{redis}" }}"#),
        format!(r#"{{ "maxTokens": 300, "store": false, "store": "{redis}" }}"#),
        format!(r#"{{ "Store": "{redis}" }}"#),
        format!(r#"{{ "tools": {{ "x": {{ "store": "{redis}" }} }} }}"#),
        r#"{ "redactTexts": [], "redactFields": [] }"#.to_owned(),
        r#"{ "redactTexts": null }"#.to_owned(),
        r#"{ "redactTexts": ["pk-*"], "redactTexts": [] }"#.to_owned(),
        r#"{ "tools": { "x": { "redactTexts": [], "redactFields": [] } } }"#.to_owned(),
    ] {
        world.write("repository/toolshape.json", &options);
        let shown = "sk-one {\\\"pin\\\":\\\"two\\\"}";
        let server = SERVER.replace("\"%s\"", &format!("\"{shown}\"")).replace("$(seq -s, 1 20000)", "");
        for ended in [
            world.run(&["--", "sh", "-c", &server], &format!("{CALL}\n")),
            world.run(&["run", "--", "sh", "-c", "echo 'sk-one {\"pin\":\"two\"}'"], ""),
            world.hooked("Bash", &json!({ "stdout": "sk-one {\"pin\":\"two\"}", "stderr": "" })),
        ] {
            let shown = text(&ended.stdout);
            assert!(!shown.contains("sk-one") && !shown.contains("two"), "{options}: {ended:?}");
        }
    }
    assert_eq!(connections.load(Ordering::SeqCst), 0);
    assert_eq!(fs::read_dir(world.0.join("repository")).unwrap().count(), 1);
}

#[test]
fn what_is_kept_is_private_whatever_the_umask_and_the_folders_are() {
    let world = World::new("umask");
    for folder in ["home/.cache/toolshape", "home/.config/toolshape", "home/.claude", "recorded"] {
        let folder = world.0.join(folder);
        fs::create_dir_all(&folder).unwrap();
        fs::set_permissions(&folder, fs::Permissions::from_mode(0o777)).unwrap();
    }
    let before = found(&world.0);
    let event = json!({ "tool_name": "Bash", "tool_input": {}, "tool_response": { "stdout": "word ".repeat(20000), "stderr": "" } });
    let record = world.0.join("recorded/calls.jsonl");
    for (arguments, input) in [
        (vec!["hook", "install"], String::new()),
        (vec!["hook", "claude-code"], event.to_string()),
        (vec!["run", "--", "sh", "-c", LINES], String::new()),
        (vec!["--record", record.to_str().unwrap(), "--", "sh", "-c", SERVER], format!("{CALL}\n")),
    ] {
        let mut command = Command::new("sh");
        command.args(["-c", "umask 0; exec \"$@\"", "-", PROGRAM]).args(&arguments).current_dir(&world.0);
        command.env("HOME", world.home()).env_remove("XDG_CACHE_HOME").env_remove("XDG_CONFIG_HOME");
        let all = command.env_remove("CLAUDE_CONFIG_DIR").stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut program = all.stderr(Stdio::piped()).spawn().unwrap();
        let _ = program.stdin.take().unwrap().write_all(input.as_bytes());
        let ended = program.wait_with_output().unwrap();
        assert!(ended.status.success(), "{arguments:?}: {ended:?}");
    }
    let made: Vec<String> =
        found(&world.0).lines().filter(|file| !before.lines().any(|old| old == *file)).map(str::to_owned).collect();
    let open: Vec<_> = made.iter().filter(|file| mode(Path::new(file)) & 0o077 != 0).collect();
    assert!(made.len() > 4 && open.is_empty(), "{open:?} of {made:?}");
}

#[test]
fn what_a_user_calls_secret_is_so_in_the_hook() {
    let world = World::new("secret-in-the-hook");
    world.write("home/.config/toolshape/toolshape.json", r#"{"redactTexts":["sk-*"]}"#);
    let long: Vec<String> = (0..4000).map(|n| format!("line {n} sk-live-{n}")).collect();
    for printed in ["key sk-live-1", &long.join("\n")] {
        let answered = text(&world.hooked("Bash", &json!({ "stdout": printed, "stderr": "" })).stdout);
        assert!(answered.contains("[redacted]") && !answered.contains("sk-live"), "{answered}");
    }
}

#[test]
fn servers_are_named_by_nobody_else() {
    let world = World::new("servers");
    let ran = world.0.join("ran");
    let command = ["sh", "-c", &format!("touch {}", ran.display())];
    world.write(
        "repository/toolshape.json",
        &json!({ "listen": "127.0.0.1:0", "upstreams": { "x": { "command": command } } }).to_string(),
    );
    let served = world.run(&["serve"], "");
    assert!(served.status.code() == Some(2) && text(&served.stderr).contains("--config"), "{served:?}");
    let servers = json!({ "mcpServers": { "x": { "command": command[0], "args": command[1..] } } }).to_string();
    for file in [".mcp.json", ".vscode/mcp.json", ".cursor/mcp.json", "opencode.json"] {
        world.write(&format!("repository/{file}"), &servers);
    }
    let measured = world.run(&["measure", "--hosts", "--timeout", "1"], "");
    assert!(!measured.status.success() && !ran.exists(), "{measured:?}");
    // A file that is not text, or has no end, is none of options.
    fs::remove_file(world.0.join("repository/toolshape.json")).unwrap();
    symlink("/dev/zero", world.0.join("repository/toolshape.json")).unwrap();
    assert!(world.run(&["run", "--", "echo", "x"], "").status.success());
    fs::remove_file(world.0.join("repository/toolshape.json")).unwrap();
    fs::File::create(world.0.join("repository/toolshape.json")).unwrap().set_len(1 << 40).unwrap();
    assert_eq!(world.run(&["run", "--", "echo", "x"], "").status.code(), Some(1));
}

#[test]
fn the_hook_reads_no_path_that_a_server_names() {
    let world = World::new("paths");
    let printed: String = (0..40_000).map(|line| format!("line {line}\n")).collect();
    let own = world.write("home/.claude/projects/p/s/tool-results/one.txt", &printed);
    let secret = world.write("secret/tool-results/key.txt", &"SECRET\n".repeat(40_000));
    let credentials = world.write("home/.claude/credentials.json", &"SECRET\n".repeat(40_000));
    let link = own.with_file_name("link.txt");
    symlink(&secret, &link).unwrap();
    let up = own.parent().unwrap().join("../../../../../../secret/tool-results/key.txt");
    let fifo = own.with_file_name("fifo");
    assert!(Command::new("mkfifo").arg(&fifo).status().unwrap().success());
    for path in
        [&secret, &credentials, &link, &up, &fifo, &own.parent().unwrap().to_owned(), &PathBuf::from("/dev/zero")]
    {
        let answer =
            world.hooked("Bash", &json!({ "stdout": "x".repeat(9), "stderr": "", "persistedOutputPath": path }));
        assert!(answer.status.success() && answer.stdout.is_empty(), "{path:?}: {answer:?}");
    }
    for response in [
        json!({ "persistedOutputPath": own, "stdout": "x" }),
        json!({ "persistedOutputPath": own, "content": [{ "type": "text", "text": "x" }] }),
    ] {
        let answer = world.hooked("mcp__db__query", &response);
        assert!(answer.status.success() && answer.stdout.is_empty(), "{answer:?}");
    }
    let cut = json!({ "stdout": "line 0", "stderr": "", "persistedOutputPath": own, "persistedOutputSize": 9 });
    assert!(text(&world.hooked("Bash", &cut).stdout).contains("line 39999"));
}

#[test]
fn the_hook_answers_any_json() {
    let world = World::new("json");
    let deep = |of: usize| "[".repeat(of) + &"]".repeat(of);
    let long = r"word \ud83d ".repeat(9000);
    for (event, is_shaped) in [
        (format!(r#"{{"tool_name":"Bash","tool_input":{{}},"tool_response":{{"stdout":"{long}"}}}}"#), true),
        (
            format!(r#"{{"tool_name":"Bash","tool_input":{},"tool_response":{{"stdout":"{long}"}}}}"#, deep(100_000)),
            false,
        ),
        (
            format!(r#"{{"tool_name":"Bash","tool_input":{{"\ud83d":1e999}},"tool_response":{{"stdout":"{long}"}}}}"#),
            true,
        ),
        (format!(r#"{{"tool_name":"mcp__a__b","tool_response":{}}}"#, deep(100_000)), false),
        (deep(100_000), false),
        ("[]".to_owned(), false),
        ("null".to_owned(), false),
        (r#""\ud83d""#.to_owned(), false),
        (r#"{"tool_name":{"a":1},"tool_response":[1,null,{}]}"#.to_owned(), false),
        (r#"{"tool_name":"Grep","tool_response":{"filenames":{"a":[]},"content":7}}"#.to_owned(), false),
        (
            format!(
                r#"{{"tool_name":"Read","tool_response":{{"file":{{"content":"{}"}}}}}}"#,
                "0123456789 ".repeat(3_000_000)
            ),
            true,
        ),
    ] {
        let answer = world.run(&["hook", "claude-code"], &event);
        let shown = &event[..event.len().min(80)];
        assert_eq!(
            (answer.status.code(), !answer.stdout.is_empty()),
            (Some(0), is_shaped),
            "{shown}: {}",
            text(&answer.stderr)
        );
        assert!(answer.stderr.is_empty(), "{shown}: {}", text(&answer.stderr));
        if is_shaped {
            serde_json::from_slice::<Value>(&answer.stdout).unwrap();
        }
    }
}

#[test]
fn files_stay_as_private_as_they_were() {
    for (at, was) in [0o600, 0o640, 0o644, 0o400].into_iter().enumerate() {
        let world = World::new(&format!("private{at}"));
        let file = world.settings();
        world.write("home/.claude/settings.json", r#"{"env":{"ANTHROPIC_API_KEY":"SECRET"}}"#);
        fs::set_permissions(&file, fs::Permissions::from_mode(was)).unwrap();
        assert!(world.run(&["hook", "install"], "").status.success());
        assert_eq!(mode(&file), was);
        assert!(world.run(&["hook", "uninstall"], "").status.success());
        assert_eq!(mode(&file), was);
    }
    let world = World::new("new");
    assert!(world.run(&["hook", "install"], "").status.success());
    assert_eq!(mode(&world.settings()), 0o600);
    // A link to settings elsewhere stays one.
    let world = World::new("linked");
    let elsewhere = world.write("dotfiles/settings.json", "{}");
    symlink(&elsewhere, world.settings()).unwrap();
    assert!(world.run(&["hook", "install"], "").status.success());
    assert!(fs::symlink_metadata(world.settings()).unwrap().is_symlink());
    assert!(fs::read_to_string(&elsewhere).unwrap().contains("hook claude-code"));
    assert!(world.run(&["hook", "uninstall"], "").status.success());
    assert_eq!(fs::read_to_string(&elsewhere).unwrap(), "{}");
}

#[test]
fn what_is_allowed_has_no_option_of_a_place() {
    let world = World::new("allowed");
    let (redis, connections) = listener();
    assert!(world.run(&["hook", "install"], "").status.success());
    let settings: Value = serde_json::from_slice(&fs::read(world.settings()).unwrap()).unwrap();
    let allowed = settings["permissions"]["allow"][0].as_str().unwrap();
    assert_eq!(allowed, format!("Bash({PROGRAM} read:*)"));
    for options in [
        ["--store", &redis],
        ["--config", "/etc/passwd"],
        ["--policy", "/etc/passwd"],
        ["--set", &format!("store={redis}")],
        ["--record", "/tmp/x"],
    ] {
        let asked = world.run(&["read", "abcdefghijklmnop", options[0], options[1]], "");
        assert_eq!(asked.status.code(), Some(2), "{asked:?}");
    }
    let made = world.0.join("made.db");
    let shown = text(&world.run(&["run", "--max-tokens", "500", "--", "sh", "-c", LINES], "").stdout);
    let handle = shown
        .split(|c: char| !c.is_ascii_alphanumeric())
        .find(|word| word.len() == 16 && word.bytes().all(|byte| byte.is_ascii_lowercase()));
    assert!(handle.is_some(), "{shown}");
    for sql in ["ATTACH '{}' AS a", "VACUUM INTO '{}'", "SELECT writefile('{}', 'x')", "SELECT load_extension('{}')"] {
        let asked = world.run(&["read", handle.unwrap(), &sql.replace("{}", made.to_str().unwrap())], "");
        assert!(!asked.status.success() && !made.exists(), "{asked:?}");
    }
    assert_eq!(connections.load(Ordering::SeqCst), 0);
}

#[test]
fn the_hook_is_what_install_wrote() {
    let world = World::new("written");
    let config = world.write("repository/mine.json", r#"{ "$schema": "x", "maxTokens": 400, "preview": "tail" }"#);
    assert!(
        world
            .run(&["hook", "install", "--config", "mine.json", "--set", "redactTexts=[\"sk-*\"]"], "")
            .status
            .success()
    );
    let settings: Value = serde_json::from_slice(&fs::read(world.settings()).unwrap()).unwrap();
    let command = settings["hooks"]["PostToolUse"][0]["hooks"][0]["command"].as_str().unwrap();
    assert!(command.contains("--max-tokens 400") && !command.contains("mine.json"), "{command}");
    // What the file says later changes nothing.
    fs::write(&config, r#"{ "store": "redis://192.0.2.1" }"#).unwrap();
    let mut hook = Command::new("sh")
        .args(["-c", command])
        .current_dir(world.0.join("repository"))
        .env("HOME", world.home())
        .env_remove("XDG_CACHE_HOME")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let event = json!({ "tool_name": "Bash", "tool_response": { "stdout": "sk-secret\n".repeat(9000), "stderr": "" } });
    hook.stdin.take().unwrap().write_all(event.to_string().as_bytes()).unwrap();
    let answer = text(&hook.wait_with_output().unwrap().stdout);
    assert!(answer.len() > 100 && answer.len() < 3000 && !answer.contains("sk-secret"), "{answer}");
    let found = Command::new("grep").args(["-r", "sk-secret"]).arg(world.home().join(".cache")).output().unwrap();
    assert!(found.stdout.is_empty(), "{found:?}");
    assert!(!world.run(&["hook", "install", "--set", "store=redis://192.0.2.1"], "").status.success());
}

#[test]
fn hooks_of_others_stay() {
    let world = World::new("others");
    let others = [
        "notify 'toolshape hook claude-code has run'",
        "toolshape hook claude-code | tee log",
        "/opt/toolshape/before hook claude-code",
        "toolshape-extra hook claude-code",
        "echo toolshape; echo hook claude-code",
        "sh -c 'toolshape hook claude-code'",
    ];
    let hooks: Vec<Value> = others.iter().map(|command| json!({ "type": "command", "command": command })).collect();
    let before = json!({ "hooks": { "PostToolUse": [{ "matcher": "Bash", "hooks": hooks }] } });
    let file = world.write("home/.claude/settings.json", &before.to_string());
    assert!(text(&world.run(&["hook", "uninstall"], "").stdout).contains("is not installed"));
    assert!(world.run(&["hook", "install"], "").status.success());
    assert!(world.run(&["hook", "install", "--max-tokens", "900"], "").status.success());
    let mut with: Value = serde_json::from_slice(&fs::read(&file).unwrap()).unwrap();
    assert_eq!(with["hooks"]["PostToolUse"][0], before["hooks"]["PostToolUse"][0]);
    with["model"] = json!("opus");
    fs::write(&file, with.to_string()).unwrap();
    assert!(world.run(&["hook", "uninstall"], "").status.success());
    let after: Value = serde_json::from_slice(&fs::read(&file).unwrap()).unwrap();
    assert_eq!(after["hooks"], before["hooks"]);
}

#[test]
fn messages_have_no_password() {
    let world = World::new("passwords");
    for arguments in [
        &["--store", "redis+sentinel://u:SECRET@a:1", "--", "true"][..],
        &["--store", "postgres://u:SECRET@a/b", "--", "true"],
        &["--store", "redis://u:SECRET@a:port", "--", "true"],
        &["--store", "redis://u:S%ECRET@", "--", "true"],
        &["--url", "ftp://u:SECRET@a/?key=SECRET"],
        &["--url", "http://u:SECRET@a b/"],
        &["--url", "http://u:SECRET@[::1]:1/SECRET?key=SECRET"],
        &["read", "abcdefghijklmnop", "sql", "redis://u:SECRET@a"],
        &["--stor", "redis://u:SECRET@a"],
        &["hook", "redis://u:SECRET@a"],
        &["serve", "--config", "http://u:SECRET@a"],
        &["serve", "redis://u:SECRET@a"],
        &["run", "--set", "store=redis+unix://u:SECRET@a", "--", "true"],
    ] {
        let ended = world.run(arguments, &format!("{CALL}\n"));
        let all = text(&ended.stdout) + &text(&ended.stderr);
        assert!(!all.contains("SECRET") && !all.contains("ECRET@"), "{arguments:?}: {all}");
    }
    for (name, upstreams, store) in [
        ("url", json!({ "a": { "url": "ftp://u:SECRET@a" } }), json!(true)),
        ("host", json!({ "a": { "url": "http://u:SECRET@" } }), json!(true)),
        ("store", json!({ "a": { "url": "http://a" } }), json!("mysql://u:SECRET@a")),
        ("own", json!({ "a": { "url": "http://a", "store": "oracle://u:SECRET@a" } }), json!(true)),
    ] {
        let file = world.write(&format!("{name}.json"), &json!({ "upstreams": upstreams, "store": store }).to_string());
        let ended = world.run(&["serve", "--config", file.to_str().unwrap()], "");
        assert!(ended.status.code() == Some(2) && !text(&ended.stderr).contains("SECRET"), "{ended:?}");
    }
}

#[test]
fn a_store_that_does_not_answer_is_said_at_the_start() {
    let world = World::new("unreachable");
    let closed = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let place = format!("redis://user:SECRET@{closed}");
    let ended = world.run(&["--store", &place, "--", "sh", "-c", "sleep 1"], "");
    let said = text(&ended.stderr);
    assert!(said.contains(&closed.to_string()) && !said.contains("SECRET"), "{said}");
}
