//! What in a server's tools and results costs a model tokens, or hides something from it: rules, each with its evidence,
//! its cost and its fix.

mod documents;
mod formats;
mod rule;
mod rules;
mod sarif;
mod unbounded_list;
mod words;

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::channels::Channels;
use crate::survey::measured::shaped;
use crate::survey::surveyed::Surveyed;
use rule::{Check, LintEvidence, LintLevel, LintedResult, Rule};
use toolshape::host::{Measure, sort_by_key};
use toolshape::{Error, Shaper};

/// All rules, in the order in which they are checked.
pub(super) static RULES: &[Rule] = &[
    rules::LONG_DESCRIPTION,
    rules::PAGINATED_TOOLS,
    unbounded_list::RULE,
    rules::PRETTY_JSON,
    rules::REPEATED_CONTENT,
    rules::INEXACT_INTEGER,
    rules::OVER_HOST_LIMIT,
    rules::LONG_LINE,
];

/// One finding: a rule, and where it is broken. Of several results of one tool it is the costliest.
#[derive(Debug)]
pub(super) struct Finding {
    pub rule: &'static Rule,
    pub server: String,
    /// No tool for what the server itself does.
    pub tool: Option<String>,
    /// The server and the tool.
    pub place: String,
    pub evidence: String,
    pub cost: usize,
    /// The results of the tool that break the rule, if it is about results.
    pub results: usize,
}

/// What is wrong with servers.
///
/// ```
/// use toolshape::Shaper;
/// use toolshape_proxy::{Lint, Surveyed};
/// let text = format!(r#"[{{"name":"list","description":"{}"}}]"#, "word ".repeat(500));
/// let server = Surveyed::of_tools(Some("mine"), &text)?;
/// let lint = Lint::of(&[server], &Shaper::default())?;
/// assert_eq!(lint.to_json()["findings"][0]["rule"], "long-description");
/// assert!(lint.cost() > 50);
/// # Ok::<(), toolshape::Error>(())
/// ```
#[derive(Debug)]
pub struct Lint {
    pub(super) findings: Vec<Finding>,
    /// The servers, tools and results that were looked at.
    servers: usize,
    tools: usize,
    results: usize,
    /// The tokens that the dense form saves in the results.
    pub(super) dense: usize,
}

impl Lint {
    /// Checks servers; tokens are of the encoding of the shaper's policy.
    ///
    /// # Errors
    /// `TOO_DEEP` for a result that cannot be read.
    pub fn of(servers: &[Surveyed], shaper: &Shaper) -> Result<Self, Error> {
        let measure = Measure { encoding: shaper.encoding() };
        let mut lint = Self { findings: Vec::new(), servers: servers.len(), tools: 0, results: 0, dense: 0 };
        for server in servers {
            let mut results = Vec::new();
            for call in &server.calls {
                let channels = Channels::read(&call.result)?;
                let (tool, size) = (call.tool.clone(), channels.size(measure));
                let is_document = documents::is_document(&tool, &call.arguments);
                lint.dense += Channels::read(&shaped(call, server, shaper, None, 0)?)?.dense(measure);
                results.push(LintedResult { tool, is_document, size, channels });
            }
            lint.tools += server.tools.len();
            lint.results += results.len();
            for rule in RULES {
                lint.check(rule, server, &results, measure);
            }
        }
        // The costliest first; what is lost before what is only dear.
        sort_by_key(&mut lint.findings, |finding| {
            (finding.rule.level != LintLevel::Error, std::cmp::Reverse(finding.cost))
        });
        Ok(lint)
    }

    /// The tokens that all findings cost.
    pub fn cost(&self) -> usize {
        self.findings.iter().map(|finding| finding.cost).sum()
    }

    /// The findings of what is lost.
    pub(super) fn errors(&self) -> usize {
        self.findings.iter().filter(|finding| finding.rule.level == LintLevel::Error).count()
    }

    /// The rules that are broken, in the order of their costliest findings.
    pub(super) fn broken(&self) -> Vec<&'static Rule> {
        let mut rules: Vec<&Rule> = Vec::new();
        for finding in &self.findings {
            if rules.iter().all(|rule| rule.id != finding.rule.id) {
                rules.push(finding.rule);
            }
        }
        rules
    }

    /// Where a finding is: the tool alone if there is one server.
    pub(super) fn place<'f>(&self, finding: &'f Finding) -> &'f str {
        match &finding.tool {
            Some(tool) if self.servers == 1 => tool,
            _ => &finding.place,
        }
    }

    /// As JSON: `findings` with `rule`, `level`, `server`, `tool`, `evidence`, `cost` and `fix`; the whole `cost`; the tokens
    /// that `format` `auto` saves.
    pub fn to_json(&self) -> Value {
        let finding = |finding: &Finding| {
            json!({
                "rule": finding.rule.id,
                "level": finding.rule.level.name(),
                "server": finding.server,
                "tool": finding.tool,
                "what": finding.rule.what,
                "evidence": finding.evidence,
                "results": finding.results,
                "cost": finding.cost,
                "fix": finding.rule.fix,
            })
        };
        let findings: Vec<Value> = self.findings.iter().map(finding).collect();
        json!({ "cost": self.cost(), "tools": self.tools, "results": self.results, "denseSaves": self.dense, "findings": findings })
    }

    fn check(&mut self, rule: &'static Rule, server: &Surveyed, results: &[LintedResult], measure: Measure) {
        let mut add = |tool: Option<&str>, found: LintEvidence, results: usize| {
            let LintEvidence { evidence, cost } = found;
            let (server, tool) = (server.name().to_owned(), tool.map(str::to_owned));
            let place = tool.as_ref().map_or(server.clone(), |tool| format!("{server} {tool}"));
            self.findings.push(Finding { rule, server, tool, place, evidence, cost, results });
        };
        let of_tool =
            |name: &str| -> Vec<&LintedResult> { results.iter().filter(|result| result.tool == name).collect() };
        match rule.check {
            Check::Server(check) => check(server, measure).into_iter().for_each(|found| add(None, found, 0)),
            Check::Tool(check) => {
                for tool in &server.tools {
                    let found = check(tool, &of_tool(&tool.name), measure);
                    found.into_iter().for_each(|found| add(Some(&tool.name), found, 0));
                }
            }
            Check::Result(check) => {
                let names: BTreeSet<&str> = results.iter().map(|result| &*result.tool).collect();
                for name in names {
                    let found: Vec<LintEvidence> =
                        of_tool(name).into_iter().filter_map(|result| check(result, measure)).collect();
                    let count = found.len();
                    let worst = found.into_iter().reduce(|worst, one| if one.cost > worst.cost { one } else { worst });
                    worst.into_iter().for_each(|found| add(Some(name), found, count));
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use toolshape::Encoding;
    use toolshape::host::count_tokens;

    fn count(text: &str) -> usize {
        count_tokens(text, Encoding::O200kBase)
    }

    #[test]
    fn every_rule_is_documented() {
        let page = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/measure.md")).unwrap();
        let row = |rule: &Rule| format!("| `{}` | {} |", rule.id, rule.level.name());
        let missing: Vec<String> = RULES.iter().map(row).filter(|row| !page.contains(row)).collect();
        assert_eq!(missing, [""; 0]);
    }

    /// A server with this tool, and what calls of it returned.
    fn server(tool: &Value, results: &[Value]) -> Surveyed {
        let mut lines = vec![
            json!({ "from": "client", "message": { "id": 0, "method": "tools/list" } }),
            json!({ "from": "server", "message": { "id": 0, "result": { "tools": [tool] } } }),
        ];
        for (at, result) in results.iter().enumerate() {
            let params = json!({ "name": tool["name"] });
            lines.push(
                json!({ "from": "client", "message": { "id": at + 1, "method": "tools/call", "params": params } }),
            );
            lines.push(json!({ "from": "server", "message": { "id": at + 1, "result": result } }));
        }
        let lines: Vec<String> = lines.iter().map(Value::to_string).collect();
        Surveyed::of_recording(Some("s"), &lines.join("\n")).unwrap()
    }

    /// The rules that are broken, with the evidence and the cost of each.
    fn found(tool: &Value, results: &[Value]) -> Vec<(&'static str, String, usize)> {
        let lint = Lint::of(&[server(tool, results)], &Shaper::default()).unwrap();
        lint.findings.into_iter().map(|finding| (finding.rule.id, finding.evidence, finding.cost)).collect()
    }

    fn plain() -> Value {
        json!({ "name": "get", "description": "Returns one", "inputSchema": { "type": "object" } })
    }

    fn text(text: impl ToString) -> Value {
        json!({ "content": [{ "type": "text", "text": text.to_string() }] })
    }

    #[test]
    fn nothing_is_found_in_what_is_well() {
        let results = [
            text("done"),
            text(json!({ "a": 1 })),
            json!({ "content": [], "structuredContent": { "n": 9007199254740992u64 } }),
        ];
        assert_eq!(found(&plain(), &results), []);
    }

    #[test]
    fn a_description_costs_what_is_cut() {
        let tool = |description: &str| json!({ "name": "get", "description": description });
        let end = " and the rest that nobody sees";
        let shown = "ö".repeat(2048);
        assert_eq!(found(&tool(&shown), &[]), []);
        let expected = ("long-description", "2,078 characters".to_owned(), count(end));
        assert_eq!(found(&tool(&format!("{shown}{end}")), &[]), [expected]);
    }

    #[test]
    fn pages_cost_the_tools_after_the_first() {
        let second = json!({ "name": "b", "description": "Nobody sees this" });
        let lines = [
            json!({ "from": "client", "message": { "id": 0, "method": "tools/list" } }),
            json!({ "from": "server", "message": { "id": 0, "result": { "tools": [plain()], "nextCursor": "2" } } }),
            json!({ "from": "client", "message": { "id": 1, "method": "tools/list", "params": { "cursor": "2" } } }),
            json!({ "from": "server", "message": { "id": 1, "result": { "tools": [second] } } }),
        ];
        let lines: Vec<String> = lines.iter().map(Value::to_string).collect();
        let lint = |lines: &[String]| {
            Lint::of(&[Surveyed::of_recording(Some("s"), &lines.join("\n")).unwrap()], &Shaper::default())
                .unwrap()
                .findings
        };
        let all = lint(&lines);
        assert_eq!((all[0].rule.id, &*all[0].evidence), ("paginated-tools", "the first of 2 pages has 1 of 2 tools"));
        assert_eq!((all[0].cost, all.len()), (count(&second.to_string()), 1));
        let known = lint(&lines[..2]);
        assert_eq!(known[0].evidence, "the first of 1 pages has 1 of 1 tools, and more");
    }

    #[test]
    fn a_list_without_a_bound_is_found_by_its_rows_or_its_schema() {
        let tool = |name: &str, argument: &str| {
            let list = json!({ "type": "object", "properties": { "items": { "type": "array" } } });
            json!({ "name": name, "inputSchema": { "properties": { argument: {} } }, "outputSchema": list })
        };
        let rows = text(json!({ "items": vec![json!({ "id": 1 }); 100] }));
        let rules = |tool: &Value, results: &[Value]| -> Vec<&str> {
            found(tool, results).into_iter().map(|(rule, ..)| rule).collect()
        };
        for argument in ["query", "topic", "issue_number", "header"] {
            assert_eq!(rules(&tool("list_things", argument), &[]), ["unbounded-list"], "{argument}");
            assert_eq!(rules(&tool("get", argument), std::slice::from_ref(&rows)), ["unbounded-list"], "{argument}");
        }
        for argument in ["limit", "pageSize", "per_page", "maxResults", "starting_offset", "n"] {
            assert_eq!(
                rules(&tool("list_things", argument), std::slice::from_ref(&rows)),
                [] as [&str; 0],
                "{argument}"
            );
        }
        assert_eq!(rules(&tool("get", "id"), &[text("[1,2,3]")]), [] as [&str; 0]);
    }

    #[test]
    fn indented_json_costs_its_white_space() {
        let value = json!({ "rows": [{ "id": 1, "name": "one" }, { "id": 2, "name": "two" }] });
        let pretty = serde_json::to_string_pretty(&value).unwrap();
        let cost = count(&pretty) - count(&value.to_string());
        let all = found(&plain(), &[text(&pretty), text(&value)]);
        assert_eq!((all.len(), all[0].0, all[0].2), (1, "pretty-json", cost));
    }

    #[test]
    fn content_that_repeats_is_found_in_each_form() {
        let both = |texts: &[String], structured: Value| {
            let content: Vec<Value> = texts.iter().map(|text| json!({ "type": "text", "text": text })).collect();
            json!({ "content": content, "structuredContent": structured })
        };
        let value = json!({ "a": 1.50, "b": ["x"] });
        let is_found = |result: Value| found(&plain(), &[result]).iter().any(|(rule, ..)| *rule == "repeated-content");
        assert!(is_found(both(&[r#"{"b": ["x"], "a": 1.5}"#.to_owned()], value.clone())));
        assert!(is_found(both(&["a word".to_owned()], json!({ "result": "a word" }))));
        assert!(is_found(both(&["{ }".to_owned()], json!({ "content": "{ }" }))));
        assert!(is_found(both(&["1".to_owned(), "2".to_owned()], json!({ "result": [1, 2] }))));
        assert!(!is_found(both(&["1".to_owned(), "3".to_owned()], json!({ "result": [1, 2] }))));
        assert!(!is_found(both(&["Two members.".to_owned()], value)));
        assert!(!is_found(both(&[], json!({}))));
    }

    #[test]
    fn integers_that_doubles_leave_out_are_named() {
        let result = |structured: &str| {
            let line = format!(r#"{{"content":[],"structuredContent":{structured}}}"#);
            json!({ "from": "server", "message": { "id": 1, "result": "RESULT" } })
                .to_string()
                .replace("\"RESULT\"", &line)
        };
        let found = |structured: &str| -> Vec<String> {
            let asked = json!({ "from": "client", "message": { "id": 1, "method": "tools/call", "params": { "name": "get" } } });
            let lines = format!("{asked}\n{}", result(structured));
            let surveyed = Surveyed::of_recording(Some("s"), &lines).unwrap();
            let lint = Lint::of(&[surveyed], &Shaper::default()).unwrap();
            lint.findings.into_iter().map(|finding| finding.evidence).collect()
        };
        assert_eq!(found(r#"{"id": 9007199254740993}"#), [r#""id": 9007199254740993"#]);
        assert_eq!(
            found(r#"{"ids":[-12345678901234567890, 99999999999999999]}"#),
            [r#""ids": -12345678901234567890, and 1 others"#]
        );
        assert_eq!(
            found(r#"{"a":"12345678901234567890","b":1e300,"c":9007199254740992,"d":12345678901234567890.5}"#),
            [] as [&str; 0]
        );
    }

    #[test]
    fn results_over_a_limit_and_long_lines_are_errors() {
        let all = found(&plain(), &[text("word ".repeat(2000)), text("a longer line\n".repeat(600))]);
        assert_eq!((all.len(), all[0].0), (1, "over-host-limit"));
        assert!(
            all[0]
                .1
                .starts_with("10,000 bytes, 2,001 tokens; it is over the 8,000 characters of Cline, and of VS Code"),
            "{}",
            all[0].1
        );
        assert_eq!(all[0].2, 2001 - 2001 * 800 / 1000);
        let lines = found(&plain(), &[text("x\n".repeat(2_500))]);
        let evidence = "5,000 bytes, 5,000 tokens, 2,501 lines; it is over the 25,000 characters or 1,000 lines of Qwen Code, and of opencode";
        assert_eq!((lines.len(), &*lines[0].1), (1, evidence));
        assert_eq!(found(&plain(), &[text("x\n".repeat(999))]), []);
        let long = found(&plain(), &[text("word ".repeat(10_241))]);
        assert_eq!((long[0].0, &*long[0].1), ("long-line", "a line of 51,205 bytes"));
    }

    #[test]
    fn each_format_says_the_same_and_keeps_hostile_names_apart() {
        let description = "word ".repeat(500);
        let tool = json!({ "name": "a,b:\n::error::\u{1b}[31m\u{202e}", "description": description });
        let lint = Lint::of(&[server(&tool, &[])], &Shaper::default()).unwrap();
        assert_eq!(lint.github().lines().count(), 1);
        assert!(
            lint.github().starts_with("::error title=long-description%3A a%2Cb%3A\\u{a}%3A%3Aerror"),
            "{}",
            lint.github()
        );
        let text = lint.text(80);
        assert!(text.lines().all(|line| line.len() <= 80) && !text.contains(['\u{1b}', '\u{202e}']), "{text}");
        assert!(text.ends_with(&format!("1 finding in 1 tool and 0 results: {} tokens\n", lint.cost())));
        let sarif = lint.sarif("tools.json");
        let result = &sarif["runs"][0]["results"][0];
        assert_eq!(
            (&result["ruleId"], &result["level"], &result["properties"]["cost"]),
            (&json!("long-description"), &json!("error"), &json!(lint.cost()))
        );
        assert_eq!(sarif["runs"][0]["tool"]["driver"]["rules"][0]["id"], "long-description");
        assert_eq!(result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"], "tools.json");
    }
}
