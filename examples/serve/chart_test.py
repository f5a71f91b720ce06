"""Checks the chart as Helm, Kubernetes and Prometheus do: python chart_test.py TOOLSHAPE PROMTOOL, two programs."""

import json
import re
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
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

toolshape, promtool = sys.argv[1:]


def metrics() -> str:
    """What the gateway shows."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        listen = f"127.0.0.1:{free.getsockname()[1]}"
    config = Path(temporary) / "toolshape.json"
    config.write_text(json.dumps({"listen": listen, "upstreams": {"db": {"url": "http://127.0.0.1:1/mcp"}}}))
    gateway = subprocess.Popen([toolshape, "serve", "--config", config], stdout=subprocess.DEVNULL)
    try:
        for _ in range(100):
            try:
                return urllib.request.urlopen(f"http://{listen}/metrics", timeout=5).read().decode()
            except OSError:
                time.sleep(0.1)
        raise SystemExit("the gateway does not answer")
    finally:
        gateway.terminate()
        gateway.wait()


def prometheus(*arguments: object) -> list[str]:
    """What promtool finds."""
    done = subprocess.run([promtool, *map(str, arguments)], capture_output=True, text=True)
    return [] if done.returncode == 0 else [done.stdout + done.stderr]


with tempfile.TemporaryDirectory() as temporary:
    known = set(re.findall(r"^# TYPE (\S+)", metrics(), re.MULTILINE))
    check("promtool check rules", prometheus("check", "rules", CHART / "files/rules.yaml"))
    check("promtool test rules", prometheus("test", "rules", CHART / "files/rules_test.yaml"))
    rules = yaml.safe_load((CHART / "files/rules.yaml").read_text())
    queries = [rule["expr"] for group in rules["groups"] for rule in group["rules"]]
    dashboard = json.loads((CHART / "files/dashboard.json").read_text())
    shown = [target["expr"] for panel in dashboard["panels"] for target in panel["targets"]]
    # promtool reads a query where a rule has it.
    as_rules = [{"record": f"panel:{place}", "expr": query} for place, query in enumerate(shown)]
    file = Path(temporary) / "dashboard.yaml"
    file.write_text(yaml.safe_dump({"groups": [{"name": "dashboard", "rules": as_rules}]}))
    check("the dashboard's queries", prometheus("check", "rules", file))
# Each name in a query is one that the gateway has.
for query in queries + shown:
    names = re.findall(r"\b(?:toolshape|process)_\w+", query)
    unknown = [name for name in names if re.sub(r"_(total|bucket|sum|count|info)$", "", name) not in known]
    check(query, [f"{name} is not in /metrics" for name in unknown])
print(f"{passed} passed, {failed} failed")
sys.exit(failed > 0)
