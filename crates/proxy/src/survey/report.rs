//! The report: one HTML file that needs nothing else, with pictures as SVG, readable without scripts.
//!
//! All that servers say is text: escaped, cut, and with visible escapes in place of characters that control what is shown.
//! A policy in the file allows no script but its own, and no address at all.

mod findings;
mod html;
mod menu;
mod results;
mod squarified;
mod tables;
mod treemap;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use sha2::{Digest, Sha256};

use crate::survey::lint::Lint;
use crate::survey::measured::Measured;
use crate::survey::numbers::{grouped, percent};
use html::text;

const STYLE: &str = include_str!("report/style.css");
/// Shows the text of what the pointer is at.
const SCRIPT: &str = include_str!("report/hover.js");

impl Measured {
    /// The report as an HTML file, with the findings about the same servers.
    pub fn report(&self, lint: &Lint) -> String {
        let title = match &self.servers[..] {
            [server] => format!("What {} costs a model", text(&server.name)),
            servers => format!("What {} servers cost a model", servers.len()),
        };
        let hash = STANDARD.encode(Sha256::digest(SCRIPT));
        let mut out = format!(
            "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
             <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
             <meta name=\"color-scheme\" content=\"light dark\">\n\
             <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; \
             script-src 'sha256-{hash}'; base-uri 'none'; form-action 'none'\">\n\
             <title>{title}</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n<main>\n\
             <header>\n<h1>{title}</h1>\n<p>Measured by toolshape {}, in tokens of {}.</p>\n{}</header>\n",
            env!("CARGO_PKG_VERSION"),
            text(self.encoding),
            self.figures(lint),
        );
        for section in [menu::section(self), treemap::section(self), results::section(self), findings::section(lint)] {
            out += &section;
        }
        out += &tables::section(self);
        out += &format!("</main>\n<script>{SCRIPT}</script>\n</body>\n</html>\n");
        out
    }

    /// The numbers that matter most.
    fn figures(&self, lint: &Lint) -> String {
        let tools: usize = self.servers.iter().map(|server| server.tools.len()).sum();
        let before: usize = self.servers.iter().map(|server| server.before()).sum();
        let mut figures = vec![
            ("Tools", grouped(tools), String::new()),
            (
                "Their definitions",
                grouped(before),
                format!("{} of {}", percent(before, self.window), grouped(self.window)),
            ),
        ];
        let results = self.servers.iter().flat_map(|server| &server.results);
        if let Some(largest) = results.max_by_key(|result| result.before.most().tokens) {
            let after = format!("{} behind toolshape", grouped(largest.after.most().tokens));
            figures.push(("The largest result", grouped(largest.before.most().tokens), after));
        }
        let errors = match lint.errors() {
            0 => String::new(),
            errors => format!("{} about data that the model does not see", grouped(errors)),
        };
        figures.push(("Findings", grouped(lint.findings.len()), errors));
        let figure = |(name, number, more): (&str, String, String)| {
            let more = if more.is_empty() { more } else { format!("<dd>{more}</dd>") };
            format!("<div><dt>{name}</dt><dd>{number}</dd>{more}</div>\n")
        };
        format!("<dl>\n{}</dl>\n", figures.into_iter().map(figure).collect::<String>())
    }
}

// WebAssembly does not have the tokenizer that checks the page.
#[cfg(all(test, not(target_arch = "wasm32")))]
mod tests {
    use super::*;
    use crate::survey::surveyed::Surveyed;
    use html5gum::{Token, Tokenizer};
    use serde_json::{Value, json};
    use toolshape::Shaper;

    /// A server of these tools, each with a result.
    fn surveyed(server: &str, tools: &[Value]) -> Surveyed {
        let mut lines = vec![
            json!({ "from": "client", "message": { "id": 0, "method": "tools/list" } }),
            json!({ "from": "server", "message": { "id": 0, "result": { "tools": tools } } }),
        ];
        for (at, tool) in tools.iter().enumerate() {
            let text = format!("{{ \"rows\": [{}1] }}", "12, ".repeat(at * at * 30));
            let result = json!({ "content": [{ "type": "text", "text": text }] });
            let params = json!({ "name": tool["name"] });
            lines.push(
                json!({ "from": "client", "message": { "id": at + 1, "method": "tools/call", "params": params } }),
            );
            lines.push(json!({ "from": "server", "message": { "id": at + 1, "result": result } }));
        }
        let lines: Vec<String> = lines.iter().map(Value::to_string).collect();
        Surveyed::of_recording(Some(server), &lines.join("\n")).unwrap()
    }

    fn report(servers: &[Surveyed]) -> String {
        let shaper = Shaper::default();
        let lint = Lint::of(servers, &shaper).unwrap();
        Measured::of(servers, &shaper, None, 0).unwrap().report(&lint)
    }

    fn tool(name: &str) -> Value {
        let properties: serde_json::Map<String, Value> = (0..6)
            .map(|at| (format!("argument_{at}"), json!({ "type": "string", "description": "What it is" })))
            .collect();
        json!({
            "name": name, "description": "Returns what there is. ".repeat(10),
            "inputSchema": { "type": "object", "properties": properties },
            "outputSchema": { "type": "object" }, "annotations": { "readOnlyHint": true },
        })
    }

    /// The names of the elements of a page, each once, and its attributes.
    fn elements(page: &str) -> (Vec<String>, Vec<(String, String)>) {
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let (mut names, mut attributes) = (Vec::new(), Vec::new());
        for token in Tokenizer::new(page).flatten() {
            if let Token::StartTag(tag) = token {
                let name = text(&tag.name);
                if !names.contains(&name) || name == "script" {
                    names.push(name);
                }
                attributes.extend(tag.attributes.iter().map(|(name, value)| (text(name), text(value))));
            }
        }
        (names, attributes)
    }

    #[test]
    fn what_a_hostile_server_says_is_text() {
        let hostile = [
            "</script><script>alert(1)</script>",
            "\" onload=\"alert(1)",
            "' onload='alert(1)",
            "</title></style></svg><img src=x>",
            "\u{202e}txt.exe\u{0}\u{1b}[31m\n",
            "<!--",
            "&lt;b&gt;",
        ];
        let long = "w".repeat(100_000);
        let tools: Vec<Value> = hostile.iter().copied().chain([&*long]).map(tool).collect();
        let page = report(&[surveyed("<b>\"'&", &tools), surveyed(&long, &[])]);
        let (names, attributes) = elements(&page);
        let (plain, _) = elements(&report(&[surveyed("a", &[tool("b"), tool("c"), tool("d")]), surveyed("e", &[])]));
        let unknown: Vec<&String> = names.iter().filter(|name| !plain.contains(name)).collect();
        assert_eq!(unknown, [] as [&String; 0]);
        assert_eq!(names.iter().filter(|name| *name == "script").count(), 1);
        let is_active = |(name, value): &&(String, String)| {
            name.starts_with("on") || ["src", "href"].contains(&&**name) || value.starts_with("javascript")
        };
        assert_eq!(attributes.iter().find(is_active), None);
        assert!(!page.contains(['\u{202e}', '\u{0}', '\u{1b}']));
        assert!(page.len() < 60_000, "{} bytes", page.len());
    }

    #[test]
    fn a_hundred_tools_take_less_than_150_kb() {
        let tools: Vec<Value> = (0..100).map(|at| tool(&format!("a_tool_with_a_long_name_{at}"))).collect();
        let page = report(&[surveyed("large", &tools)]);
        assert!((50_000..150_000).contains(&page.len()), "{} bytes", page.len());
        assert!(SCRIPT.len() < 3000);
    }

    #[test]
    fn the_policy_of_the_page_allows_its_own_script_and_nothing_else() {
        let page = report(&[surveyed("s", &[tool("t")])]);
        let script = page.split("<script>").nth(1).and_then(|rest| rest.split("</script>").next()).unwrap();
        let hash = STANDARD.encode(Sha256::digest(script));
        assert!(page.contains(&format!("script-src 'sha256-{hash}'")) && page.contains("default-src 'none'"));
    }

    #[test]
    fn the_pictures_say_the_numbers() {
        let servers = [surveyed("s", &[tool("first"), tool("second")])];
        let page = report(&servers);
        let measured = Measured::of(&servers, &Shaper::default(), None, 0).unwrap();
        let tool = &measured.servers[0].tools[0];
        assert!(page.contains(&format!("<title>first: {} tokens, name", grouped(tool.before.all))));
        let bar = measured.servers[0].before() * 10_000 / 200_000;
        assert!(page.contains(&format!("width=\"{}\" height=\"22\"", html::share(bar))), "{bar}");
        // What the sentences say is what the bars differ by.
        let server = &measured.servers[0];
        let others = server.after() - server.before() - server.added.all;
        assert!(page.contains(&format!(" {} tokens for each server.", grouped(server.added.all))));
        assert!(page.contains(&format!(" take {} tokens more.", grouped(others))), "{others}");
        // VS Code shows 8,192 bytes: this far on the way from 100 bytes to a megabyte, on a logarithmic axis.
        let limits: Vec<&str> = page.split("<line class=\"limit\" x1=\"").skip(1).map(|line| &line[..5]).collect();
        assert!(limits.contains(&"47.89"), "{limits:?}");
    }
}
