//! Texts that report nothing: words in them that mean an error are what they are about.

use super::{Messages, SOME, quoted};
use crate::lines;

/// Texts of which each is a name and lines; in a line `{n}` is its number, because texts of one line are too short for what repeats.
const CONTROLS: [(&str, &str); 53] = [
    (
        "functions of a database",
        "CREATE FUNCTION add_{n}(code text) RETURNS void AS $$\nBEGIN\n  IF code IS NULL THEN\n    RAISE EXCEPTION 'code missing';\n  END IF;\n  INSERT INTO t VALUES (code);\nEXCEPTION\n  WHEN others THEN\n    INSERT INTO error_log VALUES ({n});\nEND;\n$$ LANGUAGE plpgsql;\n",
    ),
    (
        "an essay",
        "To err is human, and an error that is found early costs little.\nShe had failed twice before, and each failure taught her more.\nNobody panics when the harvest is late.\nA warning came from the hills that autumn.\nThe exception proves the rule, they said in year {n}.\n",
    ),
    (
        "a novel",
        "\"I have failed,\" said the captain, and looked at the {n} maps.\nThe wind rose.\n\"Fatal, I call it,\" said the doctor.\nNo one answered him for a long time.\n",
    ),
    (
        "news",
        "The bank failed on Monday, the second failure in {n} weeks.\nMinisters warned of a fatal error of judgement.\nShares fell sharply and trading stopped.\n",
    ),
    (
        "a recipe",
        "If the dough fails to rise, wait another {n} minutes.\nA common error is to add the salt too early.\nFold it gently.\n",
    ),
    (
        "a history",
        "In 18{n} the expedition failed.\nThe error of the map was only found later, and it was fatal to some.\nPanic spread in the port.\n",
    ),
    (
        "an answer",
        "1. The error is thrown when the socket is closed.\n2. If it failed before, retry {n} times.\n3. Otherwise it is safe to ignore.\n",
    ),
    (
        "a tutorial",
        "Handle errors at the edge of the program.\nA function that fails returns an exception.\n## Step {n}\nWrite a test that fails first.\n",
    ),
    (
        "a manual",
        "       -e      Exit immediately if a command fails.\n       -n {n}  Retry after an error.\n       --fatal-warnings  Treat warnings as errors.\n       -q      Print no error messages.\n",
    ),
    (
        "release notes",
        "## 1.{n}.0\n- Fix error when a file is missing\n- Warn if the upload failed\n- Add a page of settings\n- Remove deprecated options\n",
    ),
    (
        "a poem",
        "I failed, and failed again, and did not mind.\nThe error of my youth was to be kind.\n\nO fatal hour number {n}, O panic of the wind,\nthe leaves fell down behind.\n\n",
    ),
    (
        "a sonnet",
        "If this be error and upon me proved,\nI never writ, nor no man ever loved.\nThe {n} stars that fail at dawn\nare fatal only to the lawn.\n\n",
    ),
    ("a haiku", "Error: winter moon\nno exception for the crow\nit fails in stanza {n}\n\n"),
    (
        "a song",
        "Oh, we failed, we failed, we failed to sing,\nand {n} panics came with spring.\nChorus: No error, no error at all.\n",
    ),
    (
        "Python",
        "def read_{n}(path):\n    try:\n        return open(path)\n    except OSError as error:\n        raise ValueError(f\"failed: {error}\")\n\n",
    ),
    (
        "JavaScript",
        "export function f{n}(a) {\n  if (!a) throw new Error('failed');\n  console.error('fatal: no a');\n  return a;\n}\n",
    ),
    (
        "Rust",
        "pub fn f{n}(a: &str) -> Result<u8, Error> {\n    let b = a.parse().map_err(|_| Error::Failed)?;\n    assert!(b > 0, \"error: zero\");\n    Ok(b)\n}\n",
    ),
    (
        "Go",
        "func f{n}() error {\n\tif err != nil {\n\t\treturn fmt.Errorf(\"failed: %w\", err)\n\t}\n\tpanic(\"fatal: no way\")\n}\n",
    ),
    (
        "Java",
        "public void f{n}() throws IOException {\n    try {\n        run();\n    } catch (Exception e) {\n        log.error(\"failed\", e);\n    }\n}\n",
    ),
    (
        "C",
        "static int f{n}(void) {\n    if (fails) {\n        perror(\"error: open failed\");\n        return ERROR_FAILED;\n    }\n    return 0;\n}\n",
    ),
    ("shell", "if ! run_{n}; then\n  echo \"error: run failed\" >&2\n  exit 1\nfi\n"),
    (
        "SQL",
        "SELECT count(*) FROM jobs WHERE status = 'failed' AND id > {n};\nUPDATE jobs SET error = NULL WHERE error = 'fatal';\nCREATE TABLE errors_{n} (id int, exception text);\n",
    ),
    ("CSS", ".error-{n} {\n  color: red;\n}\n.failed .warning {\n  border: 1px solid;\n}\n"),
    ("HTML", "<p class=\"error\">Upload failed</p>\n<li>Item {n}</li>\n<p>All is well</p>\n<span>Fatal</span>\n"),
    ("TypeScript types", "export interface E{n} {\n  error: string;\n  failed?: boolean;\n  warnings: string[];\n}\n"),
    (
        "YAML settings",
        "service_{n}:\n  on_error: retry\n  error: /var/log/error.log\n  failed: 3\n  fail_fast: true\n  image: web\n",
    ),
    (
        "TOML settings",
        "[job_{n}]\nlevel = \"error\"\nfatal = true\nmax_errors = 3\non_failure = \"stop\"\nname = \"a\"\n",
    ),
    ("INI settings", "[section{n}]\nerror_reporting = E_ALL\nlog_level = error\ndisplay_errors = Off\nfailed = no\n"),
    ("environment", "ERROR_LOG_{n}=/var/log/error\nLOG_LEVEL=error\nFAIL_ON_WARNING=1\nPATH=/bin\n"),
    (
        "nginx",
        "server {\n    listen {n};\n    error_log /var/log/error.log error;\n    proxy_next_upstream error timeout;\n    max_fails 3;\n}\n",
    ),
    (
        "Dockerfile",
        "FROM base:{n}\nENV LOG_LEVEL=error\nRUN test -f a || (echo error: failed && exit 1)\nHEALTHCHECK CMD curl --fail http://a\n",
    ),
    (
        "workflow",
        "  job{n}:\n    if: failure()\n    continue-on-error: true\n    steps:\n      - run: echo failed\n      - name: Fail on error\n",
    ),
    ("logging settings", "  logger{n}:\n    level: ERROR\n    handlers: [error]\n    name: app\n    color: red\n"),
    (
        "systemd unit",
        "[Unit]\nDescription=Job {n}\nOnFailure=error@%n.service\n[Service]\nRestart=on-failure\nStandardError=journal\n",
    ),
    (
        "JSON schema",
        "{\n  \"a{n}\": {\n    \"type\": \"string\"\n  },\n  \"error\": {\n    \"type\": \"object\",\n    \"description\": \"Why it failed\"\n  }\n}\n",
    ),
    (
        "OpenAPI",
        "  /a{n}:\n    get:\n      responses:\n        '500':\n          description: Internal server error\n        default:\n          description: The request failed\n",
    ),
    ("protobuf", "message M{n} {\n  string error = 1;\n  bool failed = 2;\n  int32 id = 3;\n}\n"),
    ("GraphQL", "type T{n} {\n  error: String\n  errors: [Error!]!\n  failed: Boolean\n  id: ID!\n}\n"),
    ("SQL schema", "CREATE TABLE t{n} (\n  id integer,\n  error text,\n  failed boolean NOT NULL\n);\n"),
    (
        "alert rules",
        "  - alert: A{n}\n    expr: rate(errors_total[5m]) > 0.1\n    labels:\n      severity: critical\n    annotations:\n      summary: Too many errors on {{ $labels.host }}\n",
    ),
    (
        "recording rules",
        "  - record: job:errors:rate5m{n}\n    expr: sum(rate(http_requests_failed_total[5m]))\n    labels:\n      severity: warning\n",
    ),
    (
        "escalations",
        "rule {n}\n  when error rate > 5%\n  severity: fatal\n  notify: oncall\n  message: Payments failed\n",
    ),
    (
        "a list of rules",
        "no-{n}  Disallow errors that are thrown as strings  error\nno-fail-{n}  Require handling of failed promises  warn\nno-b{n}  Disallow empty blocks  off\n",
    ),
    ("a chat", "ann: did the deploy fail again?\nbob: yes, an error in step {n}\nann: ok, i look\nbob: thanks\n"),
    (
        "a chat with times",
        "[10:{n}] ann: it failed with an error\n[10:{n}] bob: which exception?\n[10:{n}] ann: no idea\n[10:{n}] cleo: lunch?\n",
    ),
    (
        "mails",
        "From: ann@example.com\nSubject: Re: failed payment {n}\n\nThe error is on our side, sorry.\nRegards\n\n",
    ),
    ("a meeting", "Ann: we failed to agree on item {n}.\nBob: it was my error.\nDecision: wait.\n\n"),
    (
        "hosts and errors",
        "host        requests  errors  failed\nweb{n}        1200      3       1\nweb{n}b       1300      0       0\n",
    ),
    ("a pipe table", "| host | errors | warnings |\n|---|---|---|\n| web{n} | 12 | 3 |\n| web{n}b | 0 | 1 |\n"),
    ("interfaces", "eth{n}: RX packets 100 errors 3 dropped 0\n      TX packets 200 errors 0 dropped 0\n"),
    ("translations", "error.{n}=Something failed\nerror.login.{n}=Login failed\nok.{n}=Done\ntitle.{n}=Home\n"),
    ("file names", "src/error_{n}.rs\nsrc/failed/{n}.txt\ndocs/exceptions.md\nsrc/main{n}.rs\n"),
    (
        "exception classes",
        "BaseException\n ├── Exception{n}\n │    ├── ValueError\n │    ├── OSError\n │    └── Warning\n",
    ),
];

/// Whether a reader is given a number of errors or warnings of it.
fn reports(text: &str) -> bool {
    !Messages::of(&lines::of(text)).counts.is_empty()
}

#[test]
fn what_a_text_is_about_is_no_message() {
    let repeated = |text: &str| (0..40).map(|n| text.replace("{n}", &n.to_string())).collect::<String>();
    let reporting: Vec<&str> =
        CONTROLS.iter().filter(|(_, text)| reports(&repeated(text))).map(|(name, _)| *name).collect();
    assert_eq!(reporting, <[&str; 0]>::default(), "{} of {}", reporting.len(), CONTROLS.len());
}

#[test]
fn messages_among_them_are_counted() {
    for (name, text) in CONTROLS {
        let once: String = (0..30).map(|n| text.replace("{n}", &n.to_string())).collect();
        let with = once + &"main.c:12:5: error: too few arguments\n".repeat(SOME);
        assert!(reports(&with) || quoted::is_quoted(&lines::of(&with)), "{name}");
    }
}
