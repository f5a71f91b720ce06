"""The functions that toolshape adds to SQLite, beside DuckDB's on the same rows.

Usage: python functions.py. Values and texts are drawn by a seed; each pair of expressions is asked of every group of them. Numbers are
equal within 1e-9 of their size, since DuckDB sums doubles one after another.
"""

import asyncio
import json
import math
import random
import re

import duckdb
from toolshape import Archive, MemoryStore, Shaper, expand

GROUPS, ROWS = 200, 40
OF_GROUPS = [
    ("median(x)", "median(x)"),
    *((f"percentile(x, {p})", f"quantile_cont(x, {p / 100})") for p in (0, 5, 25, 50, 90, 95, 99.5, 100)),
    ("sum(x)", "sum(x)"),
    ("avg(x)", "avg(x)"),
    ("string_agg(t, ';' ORDER BY n)", "string_agg(t, ';' ORDER BY n)"),
]
PATTERNS = [
    "[0-9]+",
    "^[a-z]",
    "a|ö",
    "(?i)ERR",
    "x{2,}",
    r"\bid\b",
    "e.*r$",
    "[^a-z ]",
    r"\d+\.\d",
    "^$",
    r"(\w+)@(\w+)",
]
OF_ROWS = [
    ("floor(x)", "floor(x)"),
    ("ceil(x)", "ceil(x)"),
    ("trunc(x)", "trunc(x)"),
    ("sqrt(abs(x))", "sqrt(abs(x))"),
    ("mod(n, 7)", "n % 7"),
    ("length(t)", "length(t)"),
    ("substr(t, 2, 3)", "substr(t, 2, 3)"),
    ("instr(t, 'r')", "instr(t, 'r')"),
    ("replace(t, 'r', 'RR')", "replace(t, 'r', 'RR')"),
    ("trim(t)", "trim(t, ' ')"),
    *((f"t REGEXP '{one}'", f"regexp_matches(t, '{one}')") for one in PATTERNS),
    *(
        (
            f"coalesce(capture(t, '{one}'), '')",
            f"regexp_extract(t, '{one}', {'1' if '(' in one[2:] or one[0] == '(' and one[1] != '?' else '0'})",
        )
        for one in PATTERNS
    ),
    *((f"regexp_replace(t, '{one}', '_')", f"regexp_replace(t, '{one}', '_', 'g')") for one in PATTERNS if one != "^$"),
]


def rows() -> list[dict]:
    chance = random.Random(20260)
    parts = ["err", "Error", "id", "x", "xx", "ö", "a", " ", "17", "3.5", "ada@home", "", "\n", "r", "É"]

    def number(group: int) -> float | int | None:
        if chance.random() < 0.1:
            return None
        return (chance.randrange(-50, 50), round(chance.uniform(-9, 9), 3), chance.lognormvariate(0, 9))[group % 3]

    return [
        {"g": group, "n": at, "x": number(group), "t": "".join(chance.choices(parts, k=chance.randrange(6)))}
        for group in range(GROUPS)
        for at in range(group % ROWS + 1)
    ]


def is_same(ours: object, theirs: object) -> bool:
    if isinstance(ours, (int, float)) and isinstance(theirs, (int, float)):
        return math.isclose(ours, theirs, rel_tol=1e-9, abs_tol=1e-12)
    return ours == theirs


async def main() -> None:
    data = rows()
    store = MemoryStore()
    # With the budget of the answers nothing would be stored.
    archive, small = Archive(Shaper(max_tokens=1_000_000), store), Archive(Shaper(max_tokens=400), store)
    handle = re.search(r"toolshape://result/([a-z]{16})", (await small.shape(data)).text)[1]
    theirs = duckdb.connect()
    theirs.execute("CREATE TABLE result (g INTEGER, n INTEGER, x DOUBLE, t VARCHAR)")
    theirs.executemany("INSERT INTO result VALUES (?, ?, ?, ?)", [list(row.values()) for row in data])
    compared, wrong = 0, []

    async def compare(ours: str, other: str, rest: str, most: int) -> None:
        nonlocal compared
        expected = [list(row) for row in theirs.execute(f"SELECT {other} FROM result {rest}").fetchall()]
        found = []
        for start in range(0, most, 1000):
            asked = {"handle": handle, "sql": f"SELECT {ours} FROM result {rest} LIMIT 1000 OFFSET {start}"}
            found += json.loads(expand((await archive.read_result(asked)).text)).get("rows", [])
        compared += len(expected)
        pairs = list(zip(found, expected))
        different = [pair for pair in pairs if not is_same(pair[0][0], pair[1][0])]
        if different or len(found) != len(expected):
            wrong.append(f"{ours}: {len(different)} of {len(expected)} ({len(found)} found), as {different[:2]}")

    for ours, other in OF_GROUPS:
        await compare(ours, other, "GROUP BY g ORDER BY g", GROUPS)
    for ours, other in OF_ROWS:
        await compare(ours, other, "ORDER BY g, n", len(data))
    print(*wrong, sep="\n")
    print(
        f"results that differ from DuckDB's: in {len(wrong)} of {len(OF_GROUPS) + len(OF_ROWS)} expressions, {compared:,} compared"
    )


if __name__ == "__main__":
    asyncio.run(main())
