"""Outputs of tools that a checkout of mksglu/context-mode has as fixtures: what a model is shown of each at first, in tokens.

Usage: python context_mode.py CHECKOUT.
*Kind* is as what toolshape reads a fixture that it shortens. What it stores is the whole fixture, which the script checks. A cut shows as
many tokens as toolshape's budget, half of them from the end.
"""

import json
import re
import sys
from pathlib import Path

from peers import ends, headroom
from toolshape import Shaper, count_tokens

BUDGET = 2_000


def value_of(text: str) -> object:
    try:
        return json.loads(text)
    except ValueError:
        return text


def main() -> None:
    print("| fixture | raw | kind | toolshape | `format: auto` | headroom | cut |\n|---|---|---|---|---|---|---|")
    sums = [0] * 5
    for file in sorted(Path(sys.argv[1], "tests/fixtures").glob("**/*.*")):
        text = file.read_text()
        value = value_of(text)
        shown = Shaper(max_tokens=BUDGET).shape(value, tool=file.stem, store=True)
        dense = Shaper(max_tokens=BUDGET, format="auto").shape(value, store=True)
        if shown.keep and value_of(shown.keep.content) != value:
            sys.exit(f"{file}: what is stored differs")
        texts = [text, shown.text, dense.text, headroom(text), ends(text, BUDGET)]
        tokens = [count_tokens(one) for one in texts]
        sums = [total + one for total, one in zip(sums, tokens)]
        found = re.match(r'\{[^{]*?"text":"(\w+)"', shown.text)
        kind = found[1] if found else "" if not shown.keep else "text" if isinstance(value, str) else "data"
        raw, *others = (f"{one:,}" for one in tokens)
        print(f"| {file.name} | {raw} | {kind} | {' | '.join(others)} |")
    print(
        "tokens: "
        + ", ".join(f"{name} {one:,}" for name, one in zip(["raw", "toolshape", "auto", "headroom", "cut"], sums))
    )


if __name__ == "__main__":
    main()
