//! Secrets in long texts, at distances that meet every border of what is read at once: none is left, as none is of a short text.

use toolshape::host::{JsonText, Redaction};

const FIELDS: [&str; 3] = ["password", "user.email", "*token"];
const TEXTS: [&str; 3] = ["sk-*", "--BEGIN**END--", "s\"k-*"];
/// More than twice what is read at once.
const BYTES: usize = 300_000;

/// The start of a text, and the part that repeats, with `^` for its number and `~` for words of any length.
const CASES: [(&str, &str, &str); 37] = [
    ("a token", "", "~ sk-4fSECRET^ kept^ ~\n"),
    ("a token without line breaks", "", "~ sk-4fSECRET^ kept^ ~ "),
    ("a name and its value", "", "~\npassword: SECRET^\nkept^ ~\n"),
    ("a name in one line, its value in the next", "", "~ kept^\npassword:\n  SECRET^\nend\n"),
    ("a name far before its value", "", "~ kept^\npassword:\n\n\n\n\n\n\n\n   SECRET^\nend\n"),
    ("a list under its name", "", "kept^: ~\npassword:\n- a\n- SECRET^\n- SECRET^b\n"),
    ("a block under its name", "", "kept^: ~\npassword: |\n  ~\n\n  SECRET^\n"),
    ("a value in quotes of three", "", "kept^ = 1\npassword = \"\"\"\n~\nSECRET^\n\"\"\"\n"),
    ("a path by indents", "", "user:\n  name: kept^\n  note: ~\n  email: SECRET^\n"),
    ("a name and its value in two fields", "", "- name: kept^\n  value: ~\n- name: PASSWORD\n  value: SECRET^\n"),
    ("a private key over lines", "", "kept^ ~\n--BEGIN KEY\n~\nSECRET^\n~ END--\n"),
    ("a tag within", "", "<p>kept^ ~</p>\n<p>s<b>k-4f</b>SECRET^ </p>\n"),
    ("a break before the end of a line", "", "<p>kept^ ~<br>\ns<i>k</i>-4f<br>SECRET^<br>\nend</p>\n"),
    ("a name before a break", "", "<p>kept^ ~<br>\npass<b>word</b>: <br>SECRET^<br>\nend</p>\n"),
    ("a name before a break and the end of a line", "", "<p>kept^ ~<br>\n<b>password</b>: SECRET^<br>\n\nend</p>\n"),
    ("a comment within", "", "<p>kept^ ~</p><p>s<!-- ~ -->k-4fSECRET^</p>\n"),
    ("an entity within", "", "kept^ ~ s&#107;-4fSECRET^ ~\n"),
    ("an entity within, without line breaks", "", "kept^ ~ s&#x6b;-4fSECRET^ ~ "),
    ("an escape within", "", "kept^ ~ s\\u006b-4fSECRET^ ~\n"),
    ("an encoded character within", "", "GET /kept^?a=~&key=s%6b-4fSECRET^ 200\n"),
    ("colours within", "", "kept^ ~ s\x1b[31mk-4f\x1b[0mSECRET^ ~\n"),
    ("a line that is written over", "", "  0%\rkept^ ~ s\x1b[1mk-4fSECRET^\n"),
    ("an invisible character within", "", "kept^ ~ s\u{200b}k-4fSECRET^ ~ é\n"),
    ("a link within", "# Keys\n\n", "kept^ [s](https://a.b)k-4fSECRET^ ~\n"),
    ("a table of a page", "<table>", "<tr><td>kept^</td><td>~</td></tr><tr><th>password</th><td>SECRET^</td></tr>\n"),
    (
        "a table of a page that begins with its secret",
        "<table>",
        "<tr><th>password</th><td>SECRET^</td></tr><tr><td>id</td><td>~</td></tr>\n",
    ),
    ("a field of a form", "<form>", "<p>kept^ ~</p><input name=\"password\" class=\"~\" value=\"SECRET^\">\n"),
    ("a column of CSV", "id,password,note\n", "kept^,SECRET^,~\n"),
    ("a column of CSV with quotes", "\"id\",\"note\",\"password\"\n", "\"kept^\",\"~, \"\"x\"\"\",\"SECRET^\"\n"),
    ("cells of CSV over lines", "id,note,password\n", "kept^,\"~\n~\",\"a\nSECRET^\"\n"),
    ("doubled quotes in cells of CSV", "id,key\n", "kept^,\"a s\"\"k-SECRET^\"\n"),
    ("tags in cells of CSV", "id,password,key\n", "kept^,SECRET^,~ s<b>k-4fSECRET^b</b>\n"),
    ("a table of Markdown", "| id | note | password |\n|---|---|---|\n", "| kept^ | ~ | SECRET^ |\n"),
    ("lines of JSON", "", "{\"id\":\"kept^\",\"note\":\"~\",\"password\":\"SECRET^\"}\n"),
    ("lines of JSON with escapes", "", "{\"id\":\"kept^\",\"note\":\"~ s\\u006b-4fSECRET^\"}\n"),
    (
        "XML",
        "<?xml version=\"1.0\"?><r>",
        "<i><id>kept^</id><key>~ s&#107;-4fSECRET^</key><password>SECRET^b</password></i>",
    ),
    ("a log of requests", "", "12:00:01 INFO kept^ ~ body={\\\"api_token\\\":\\\"SECRET^\\\"} ~\n"),
];

/// The text of a case, in which the words for `~` have up to `most` letters.
fn text(start: &str, part: &str, bytes: usize, most: usize) -> String {
    let (mut text, mut nth, mut seed) = (start.to_owned(), 0, 7_usize);
    while text.len() < bytes {
        let words = part.split('~').map(|piece| piece.replace('^', &format!("{nth:05}"))).collect::<Vec<_>>();
        for (at, piece) in words.iter().enumerate() {
            if at > 0 {
                seed = (seed * 1_103_515_245 + 12_345) % (1 << 31);
                let letters = 1 + (seed >> 8) % most;
                text.extend("lorem ipsum dolor sit amet ".chars().cycle().take(letters));
                text.push('w');
            }
            text += piece;
        }
        nth += 1;
    }
    text
}

#[test]
fn no_secret_of_a_long_text_is_left() {
    let redaction = Redaction::new(&FIELDS, &TEXTS).unwrap();
    let mut faults = Vec::new();
    for (name, start, part) in CASES {
        // A secret each few bytes, and few secrets far from each other; a short text is the measure.
        for (bytes, most) in [(2000, 30), (BYTES, 30), (BYTES, 3000), (2 * BYTES, 70_000)] {
            let text = text(start, part, bytes, most);
            let left = redaction.of_text(&text).unwrap_or_default();
            let shown = left.find("SECRET").map(|at| left[..at].matches("kept").count());
            if shown.is_some() || part.contains("kept") && !left.contains("kept00000") {
                faults.push(format!(
                    "{name}, {bytes} bytes, words up to {most}: shown behind {shown:?} of {} parts",
                    text.matches("kept").count()
                ));
            }
            // The same as a string of JSON.
            let json = serde_json::json!([text]).to_string();
            let left = redaction.of_json(&json).unwrap_or(json);
            assert!(JsonText::parse(&left).is_ok(), "{name}");
            if left.contains("SECRET") {
                faults.push(format!("{name}, {bytes} bytes, words up to {most}, in JSON"));
            }
        }
    }
    assert!(faults.is_empty(), "{} faults:\n{}", faults.len(), faults.join("\n"));
}
