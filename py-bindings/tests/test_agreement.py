"""Objects and their JSON text come out the same: the two ways of reading check each other."""

from __future__ import annotations

import json
import random
from typing import Any

import pytest
from toolshape import Shaper, count_tokens

WORDS = [
    "id",
    "name",
    "updated_at",
    "naïve",
    "日本語",
    "a/b~c",
    "__proto__",
    "",
    "emoji 👩‍👩‍👧‍👦",
    "x" * 70,
    "\ud83d",
    '"\\\n',
]
POLICIES: list[dict[str, Any]] = [
    {"max_tokens": 200},
    {"max_tokens": 400, "format": "auto", "paginate_after": 5, "page_size": 5},
    {"max_tokens": 1000, "preview": "headTail"},
    {"max_tokens": 300, "preview": "tail", "format": "columns", "encoding": "cl100k_base"},
    {"max_tokens": 500, "overflow": "error", "encoding": "estimate"},
]


def scalar(rng: random.Random) -> Any:
    return rng.choice(
        [
            None,
            True,
            rng.randrange(-10, 1000),
            rng.getrandbits(80),
            rng.random(),
            rng.uniform(-1e20, 1e20),
            rng.choice(WORDS),
            " ".join(rng.choices(WORDS, k=rng.randrange(1, 200))),
            "\n".join(rng.choices(WORDS, k=rng.randrange(1, 400))),
        ]
    )


def value(rng: random.Random, depth: int) -> Any:
    kind = rng.randrange(4) if depth else 3
    if kind == 0:
        return [value(rng, depth - 1) for _ in range(rng.choice([0, 1, 3, 30]))]
    if kind == 1:
        row = {rng.choice(WORDS): None for _ in range(rng.randrange(1, 6))}
        return [{key: scalar(rng) for key in row} for _ in range(rng.choice([2, 20, 120]))]
    if kind == 2:
        return {rng.choice(WORDS) + str(i % 7): value(rng, depth - 1) for i in range(rng.randrange(12))}
    return scalar(rng)


@pytest.mark.parametrize("seed", range(60))
def test_objects_and_text_agree(seed: int) -> None:
    rng = random.Random(seed)
    given = [value(rng, 3)] if rng.random() < 0.5 else {"total": 3, "items": value(rng, 3)}
    text = json.dumps(given, ensure_ascii=False, separators=(",", ":"))
    for policy in POLICIES:
        shaper = Shaper(**policy)
        call = {"tool": "t", "page": rng.choice([None, 1, 2])}
        ours, theirs = shaper.shape(given, **call), shaper.shape_json(text, **call)
        if ours.unchanged:
            assert theirs.unchanged and ours.value is given
        else:
            assert ours.text == theirs.text
        assert ours.receipt["steps"] == theirs.receipt["steps"]
        assert ours.is_error == theirs.is_error
        assert ours.tokens <= policy["max_tokens"]
        assert ours.tokens == count_tokens(ours.text, ours.receipt["encoding"])
        json.loads(ours.text)
        ours.text.encode("utf-8")
