"""The schemas that toolshape writes, judged by a checkout of json-schema-org/JSON-Schema-Test-Suite and the package jsonschema.

Usage: python schemas.py CHECKOUT. Of each draft, the groups count whose schema can be a tool's, and the instances that are objects, where
jsonschema agrees with the suite about the schema as it is.
*Output* is the widened schema: it rejects what the suite rejects, accepts what it accepts, and a shaped result. *Input* lists the
arguments of toolshape too: the verdicts stay. *With page*: a valid instance stays valid with the argument `page`, which a schema that limits
names or their number cannot allow.
"""

import json
import sys
from collections.abc import Iterator
from pathlib import Path

import jsonschema
from toolshape import Shaper

DRAFTS = {
    "draft2020-12": jsonschema.Draft202012Validator,
    "draft2019-09": jsonschema.Draft201909Validator,
    "draft7": jsonschema.Draft7Validator,
}
KINDS = ("output", "input", "with page")
SHAPED = {"truncated": True, "note": "The rest is stored."}


def verdict(validator: type, schema: dict, value: object) -> object:
    """Whether a value is valid, or the kind of error that the schema causes."""
    try:
        return validator(schema).is_valid(value)
    except Exception as error:  # The packages that resolve references have their own kinds.
        return type(error).__name__


def groups(folder: Path, validator: type) -> Iterator[tuple[str, dict, list[dict]]]:
    for file in sorted(folder.glob("*.json")):
        for group in json.loads(file.read_text()):
            if not isinstance(group["schema"], dict):
                continue
            schema = {**group["schema"], "type": "object"}
            tests = [
                test
                for test in group["tests"]
                if isinstance(test["data"], dict) and verdict(validator, schema, test["data"]) == test["valid"]
            ]
            if group["schema"].get("type", "object") == "object" and tests:
                yield f"{file.stem}: {group['description']}", schema, tests


def main() -> None:
    shaper = Shaper(controls="tool")
    print("| draft | groups | output | input | with page |\n|---|---|---|---|---|")
    failures = []
    for draft, validator in DRAFTS.items():
        right, all_of_them, count = [0] * 3, [0] * 3, 0
        for name, schema, tests in groups(Path(sys.argv[1], "tests", draft), validator):
            count += 1
            tool = shaper.tool({"name": "list_it", "inputSchema": schema, "outputSchema": schema}, has_store=True)[
                "tool"
            ]
            output, written = tool["outputSchema"], tool["inputSchema"]
            checks = [(0, output, SHAPED, True)]
            for test in tests:
                data = test["data"]
                checks += [(0, output, data, test["valid"]), (1, written, data, test["valid"])]
                if test["valid"]:
                    checks.append((2, written, {**data, "page": 1}, True))
            for at, changed, value, expected in checks:
                found = verdict(validator, changed, value)
                right[at] += found == expected
                all_of_them[at] += 1
                if found != expected:
                    kind = KINDS[at]
                    failures.append(f"{draft} {kind} {name}: {json.dumps(value)} is {found}, not {expected}")
        cells = " | ".join(f"{one} of {total}" for one, total in zip(right, all_of_them))
        print(f"| {draft} | {count} | {cells} |")
    print(*(one for one in failures if "with page" not in one), sep="\n")
    print(f"verdicts that differ: {len(failures)}, {sum('with page' in one for one in failures)} of them with page")


if __name__ == "__main__":
    main()
