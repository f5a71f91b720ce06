"""Generated questions in SQL over columns of printed values: the answers are those of SQLite over the values.

``TOOLSHAPE_STATEMENTS`` is the number of questions, and ``TOOLSHAPE_SEED`` the first seed.
"""

from __future__ import annotations

import csv
import io
import json
import math
import os
import random
import re
import sqlite3
from collections.abc import Callable
from datetime import datetime, timedelta, timezone
from typing import Any

from conftest import wait
from toolshape import Archive, MemoryStore, Shaper

STATEMENTS, SEED = int(os.environ.get("TOOLSHAPE_STATEMENTS", "400")), int(os.environ.get("TOOLSHAPE_SEED", "0"))
ROWS, OF_A_TABLE = 150, 20
START = datetime(2024, 1, 1, tzinfo=timezone.utc)
BLANKS = ["n/a", "-", "", "null"]

Random = random.Random
# How a column prints its values, and how one is made. A blank is NULL.
Printed = tuple[Callable[[Random], Any], Callable[[Any], str]]


def grouped(comma: str, point: str) -> Callable[[Any], str]:
    return lambda value: f"{value:,.2f}".translate(str.maketrans({",": comma, ".": point}))


def clock(seconds: int) -> str:
    return f"{seconds // 3600:02}:{seconds // 60 % 60:02}:{seconds % 60:02}"


def with_offset(value: str) -> str:
    zone = timezone(timedelta(minutes=[0, 120, -300, 570][int(value[14:16]) % 4]))
    return datetime.fromisoformat(value).astimezone(zone).isoformat()


def day(form: str) -> Callable[[Any], str]:
    return lambda value: datetime.fromisoformat(value).strftime(form)


def integer(least: int, most: int) -> Callable[[Random], int]:
    return lambda rng: rng.randint(least, most)


def decimal(rng: Random) -> float:
    return rng.randint(-99_999, 999_999) / 100


def whole_day(rng: Random) -> str:
    return (START + timedelta(days=rng.randint(0, 700))).date().isoformat()


def instant(rng: Random) -> str:
    return (START + timedelta(minutes=rng.randint(0, 50_000))).isoformat()


NUMBERS: dict[str, Printed] = {
    "integer": (integer(-500, 500), str),
    "decimal": (decimal, lambda value: f"{value:.2f}"),
    "unit": (integer(0, 2000), lambda value: f"{value} ms"),
    "per cent": (decimal, lambda value: f"{value:.2f}%"),
    "dollars": (lambda rng: abs(decimal(rng)), lambda value: f"${value:,.2f}"),
    "comma": (decimal, lambda value: f"{value:.2f}".replace(".", ",")),
    "thousands": (decimal, grouped(",", ".")),
    "points": (lambda rng: rng.randint(-999_999, 9_999_999) / 100, grouped(".", ",")),
    "blanks between": (decimal, grouped(" ", ".")),
    "brackets": (integer(-500, 500), lambda value: f"({-value})" if value < 0 else str(value)),
    "long": (lambda rng: 2**63 + rng.randint(0, 10**6), str),
}
MOMENTS: dict[str, Printed] = {
    "ISO days": (whole_day, str),
    "names of months": (whole_day, day("%d %B %Y")),
    "short names": (whole_day, day("%b %d, %Y")),
    "instants": (instant, with_offset),
}
ORDERED: dict[str, Printed] = {
    "sizes": (lambda rng: rng.randint(1, 900) * 1024 ** rng.randint(0, 3), lambda value: size(value)),
    "durations": (integer(0, 80_000), lambda value: f"{value // 3600}h {value // 60 % 60}m {value % 60}s"),
    "clocks": (integer(0, 86_399), clock),
}
TEXTS: dict[str, Printed] = {
    "versions": (lambda rng: f"3.{rng.randint(0, 20)}", str),
    "codes": (lambda rng: f"{rng.randint(0, 30):03}", str),
}


def size(value: int) -> str:
    power = max(power for power in range(4) if value >= 1024**power)
    return f"{value // 1024**power} {['B', 'KiB', 'MiB', 'GiB'][power]}"


def question(rng: Random, kind: str, values: list[Any]) -> str:
    """A statement whose answer has ids, counts and numbers alone, which no table prints."""
    some = rng.choice([value for value in values if value is not None])
    literal = str(some) if kind in NUMBERS else f"'{some}'"
    operator = rng.choice(["<", "<=", ">", ">=", "=", "<>"])
    forms = ["SELECT count(v), count(*) FROM t", "SELECT count(DISTINCT v) FROM t"]
    forms += ["SELECT g, count(DISTINCT v) FROM t GROUP BY g ORDER BY g"]
    if kind in TEXTS:
        operator = rng.choice(["=", "<>"])
    else:
        forms += [f"SELECT id FROM t WHERE v IS NOT NULL ORDER BY v {rng.choice(['', 'DESC'])}, id LIMIT 5"]
        forms += ["SELECT count(*) FROM t a JOIN t b ON a.v < b.v WHERE a.g = 'a'"]
        forms += ["SELECT min(id) FROM t WHERE v = (SELECT max(v) FROM t)"]
    if kind not in ORDERED:
        forms += [f"SELECT count(*) FROM t WHERE v {operator} {literal}"] * 3
        forms += [f"SELECT g, count(*) FROM t WHERE v {operator} {literal} GROUP BY g ORDER BY g"]
    if kind in NUMBERS and kind != "long":
        forms += ["SELECT sum(v), avg(v) FROM t", "SELECT g, sum(v) FROM t GROUP BY g ORDER BY g"]
        forms += [f"SELECT sum(v + 1) FROM t WHERE abs(v) > {abs(some) / 2}"]
        forms += ["SELECT sum(v * id) FROM t WHERE g <> 'a'"]
    return rng.choice(forms)


def reference(rows: list[tuple[int, Any, str]], sql: str, is_long: bool) -> list[list[Any]]:
    connection = sqlite3.connect(":memory:")
    connection.execute("CREATE TABLE t (id INTEGER, v, g TEXT)")
    # SQLite holds no more than 64 bits: what is above the first such number sorts and counts in the same way.
    held = [(at, value - 2**63 if is_long and value is not None else value, group) for at, value, group in rows]
    connection.executemany("INSERT INTO t VALUES (?, ?, ?)", held)
    return [list(row) for row in connection.execute(sql)]


def are_equal(found: Any, known: Any) -> bool:
    if isinstance(found, float) or isinstance(known, float):
        return found is not None and known is not None and math.isclose(float(found), known, rel_tol=1e-9, abs_tol=1e-6)
    return bool(found == known)


def test_printed_columns_answer_as_their_values_do() -> None:
    wrong = []
    kinds = {**NUMBERS, **MOMENTS, **ORDERED, **TEXTS}
    for nth in range(math.ceil(STATEMENTS / OF_A_TABLE)):
        rng = Random(SEED + nth)
        kind = rng.choice(list(kinds))
        make, printed = kinds[kind]
        blanks = 0 if kind in TEXTS else rng.choice([0, 0, 10])
        values = [None if rng.randrange(100) < blanks else make(rng) for _ in range(ROWS)]
        rows = [(at, value, rng.choice("abc")) for at, value in enumerate(values)]
        out = io.StringIO()
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow(["id", "v", "g"])
        for at, value, group in rows:
            writer.writerow((at, rng.choice(BLANKS) if value is None else printed(value), group))
        archive = Archive(Shaper(max_tokens=400), MemoryStore())
        first = wait(archive.shape(out.getvalue(), tool="t"))
        found = re.search("toolshape://result/([a-z]{16})", first.text)
        assert found, first.text
        handle = found[1]
        for _ in range(OF_A_TABLE):
            sql = question(rng, kind, values)
            known_sql = sql
            if kind == "long":
                for value in {value for value in values if value is not None}:
                    known_sql = known_sql.replace(str(value), str(value - 2**63))
            asked = sql.replace("FROM t", f"FROM {handle}").replace("JOIN t", f"JOIN {handle}")
            answer = wait(archive.read_result({"sql": asked})).text
            answered = json.loads(answer).get("rows")
            known = reference(rows, known_sql, kind == "long")
            same = answered is not None and len(answered) == len(known)
            cells = list(zip(answered or [], known, strict=False))
            if not same or not all(are_equal(*cell) for pair in cells for cell in zip(*pair, strict=True)):
                wrong.append(f"{SEED + nth} {kind}: {sql}: {answer[:200]}, not {known[:5]}")
    assert not wrong, f"{len(wrong)}:\n" + "\n".join(wrong[:20])
