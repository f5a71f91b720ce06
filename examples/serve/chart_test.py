"""Checks the chart as Helm and Kubernetes do: python chart_test.py METRICS, a file with the text of /metrics."""

import json
import re
import sys
from pathlib import Path

import kubernetes_validate
import yaml
from helm_python.chart import Chart, lint

CHART = Path(__file__).parent / "chart"
VERSIONS = ("1.29", "1.30", "1.34", "1.37")
EVERYTHING = {
    name: {"enabled": True}
    for name in ("autoscaling", "networkPolicy", "serviceMonitor", "prometheusRule", "dashboard")
}

passed = failed = 0


def check(what: str, faults: list[str]) -> None:
    global passed, failed
    passed += not faults
    failed += bool(faults)
    print("ok" if not faults else "FAILED", what, *faults, sep="\n  " if faults else " ")


def objects(values: dict[str, object]) -> list[dict[str, object]]:
    rendered = Chart.load(CHART).render(values, name="of-a-test", namespace="mcp")
    return [found for text in rendered.values() for found in yaml.safe_load_all(text) if found]


def invalid(found: dict[str, object], version: str) -> list[str]:
    try:
        kubernetes_validate.validate(found, version, strict=True)
    except kubernetes_validate.ValidationError as error:
        return [f"{found['kind']}: {error.message}"]
    return []


report = lint(CHART, strict=True)
check("helm lint --strict", report["errors"])
for name, values in (("as it is", {}), ("with everything", EVERYTHING)):
    rendered = objects(values)
    kinds = sorted(str(found["kind"]) for found in rendered)
    own = [found for found in rendered if not str(found["apiVersion"]).startswith("monitoring.coreos.com")]
    for version in VERSIONS:
        check(f"Kubernetes {version}, {name}", [fault for found in own for fault in invalid(found, version)])
    print("  ", ", ".join(kinds))

# Each name in a query of the rules and the dashboard is one that the gateway has.
known = set(re.findall(r"^# TYPE (\S+)", Path(sys.argv[1]).read_text(), re.MULTILINE))
rules = yaml.safe_load((CHART / "files/rules.yaml").read_text())
queries = [rule["expr"] for group in rules["groups"] for rule in group["rules"]]
dashboard = json.loads((CHART / "files/dashboard.json").read_text())
queries += [target["expr"] for panel in dashboard["panels"] for target in panel["targets"]]
for query in queries:
    names = re.findall(r"toolshape_\w+", query)
    unknown = [name for name in names if re.sub(r"_(total|bucket|sum|count)$", "", name) not in known]
    check(query, [f"{name} is not in /metrics" for name in unknown])
print(f"{passed} passed, {failed} failed")
sys.exit(failed > 0)
