//! Findings in SARIF 2.1.0 (OASIS Static Analysis Results Interchange Format), as code scanning reads them.

use serde_json::{Value, json};

use super::rule::Rule;
use super::{Finding, Lint, RULES};

const SCHEMA: &str = "https://json.schemastore.org/sarif-2.1.0.json";

impl Lint {
    /// As a SARIF log. `source` is the address of the file that the findings are about, relative to the repository: code
    /// scanning shows no finding without one.
    pub fn sarif(&self, source: &str) -> Value {
        let rules: Vec<Value> = RULES.iter().map(rule).collect();
        let results: Vec<Value> = self.findings.iter().map(|finding| result(finding, source)).collect();
        let driver = json!({ "name": "toolshape", "version": env!("CARGO_PKG_VERSION"), "rules": rules });
        json!({ "$schema": SCHEMA, "version": "2.1.0", "runs": [{ "tool": { "driver": driver }, "results": results }] })
    }
}

fn rule(rule: &Rule) -> Value {
    json!({
        "id": rule.id,
        "shortDescription": { "text": rule.what },
        "help": { "text": rule.fix },
        "defaultConfiguration": { "level": rule.level.name() },
    })
}

fn result(finding: &Finding, source: &str) -> Value {
    let name = finding.tool.as_ref().unwrap_or(&finding.server);
    let logical = json!({ "name": name, "fullyQualifiedName": finding.place, "kind": "function" });
    let physical = json!({ "artifactLocation": { "uri": source }, "region": { "startLine": 1 } });
    json!({
        "ruleId": finding.rule.id,
        "ruleIndex": RULES.iter().position(|rule| rule.id == finding.rule.id),
        "level": finding.rule.level.name(),
        "message": { "text": format!("{}: {}. {}", finding.place, finding.rule.what, finding.evidence()) },
        "locations": [{ "physicalLocation": physical, "logicalLocations": [logical] }],
        // What stays the same when only numbers change, so that a finding is known again.
        "partialFingerprints": { "ruleAndTool/v1": format!("{} {}", finding.rule.id, finding.place) },
        "properties": { "cost": finding.cost },
    })
}
