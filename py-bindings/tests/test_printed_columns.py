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
from decimal import Decimal
from typing import Any

from conftest import wait
from toolshape import Archive, MemoryStore, Shaper

STATEMENTS, SEED = int(os.environ.get("TOOLSHAPE_STATEMENTS", "400")), int(os.environ.get("TOOLSHAPE_SEED", "0"))
ROWS, OTHERS, OF_A_TABLE = 150, 100, 20
START = datetime(2024, 1, 1, tzinfo=timezone.utc)
BLANKS = ["n/a", "-", "", "null"]
GROUPS = ["a", "B", "c", "b"]

Random = random.Random
Make = Callable[[Random], Any]
Print = Callable[[Any], str]
# How a value is made, and how columns print it. A blank is NULL.
Printed = tuple[Make, dict[str, Print]]
Row = tuple[int, Any, str]


def spelled(form: str, comma: str = ",", point: str = ".") -> Print:
    return lambda value: form.format(value).translate(str.maketrans(",.", comma + point))


def clock(seconds: int) -> str:
    return f"{seconds // 3600:02}:{seconds // 60 % 60:02}:{seconds % 60:02}"


def half_day(seconds: int) -> str:
    return f"{seconds // 3600 % 12 or 12}:{seconds // 60 % 60:02} {'AM' if seconds < 43_200 else 'PM'}"


def with_offset(value: str) -> datetime:
    zone = timezone(timedelta(minutes=[0, 120, -300, 570][int(value[14:16]) % 4]))
    return datetime.fromisoformat(value).astimezone(zone)


def day(form: str) -> Print:
    return lambda value: datetime.fromisoformat(value).strftime(form)


def instant(form: str) -> Print:
    return lambda value: with_offset(value).strftime(form)


def between(least: int, most: int, parts: int = 1) -> Make:
    return lambda rng: rng.randint(least, most) / parts if parts > 1 else rng.randint(least, most)


def indian(value: int) -> str:
    whole, last = divmod(value, 1000)
    return re.sub(r"(?<=\d)(?=(\d\d)+$)", ",", str(whole)) + f",{last:03}"


def size(value: int) -> str:
    power = max(power for power in range(4) if value >= 1024**power)
    return f"{value // 1024**power} {['B', 'KiB', 'MiB', 'GiB'][power]}"


def scaled(value: int) -> str:
    return f"{value / 1000:g} MB/s" if value >= 1000 else f"{value} kB/s"


def milliseconds(value: int) -> str:
    return f"{value / 1000:g}s" if value >= 1000 else f"{value}ms"


NUMBERS: dict[str, Printed] = {
    "integers": (
        between(-500, 500),
        {
            "plain": str,
            "unit": "{} ms".format,
            "items": "{} items".format,
            "brackets": lambda value: f"({-value})" if value < 0 else str(value),
            "signs": "{:+}".format,
            "minus": lambda value: str(value).replace("-", "\u2212"),
        },
    ),
    "decimals": (
        between(-99_999, 999_999, 100),
        {
            "plain": "{:.2f}".format,
            "per cent": "{:.2f}%".format,
            "comma": spelled("{:.2f}", point=","),
            "comma, per cent": spelled("{:.2f} %", point=","),
            "thousands": spelled("{:,.2f}"),
            "points": spelled("{:,.2f}", comma=".", point=","),
            "blanks": spelled("{:,.2f}", comma=" "),
            "apostrophes": spelled("{:,.2f}", comma="'"),
            "lines": spelled("{:_.2f}"),
            "powers": "{:.6e}".format,
        },
    ),
    "amounts": (
        between(0, 9_999_999, 100),
        {
            "dollars": "${:,.2f}".format,
            "code": "USD {:,.2f}".format,
            "euros": spelled("{:,.2f} €", comma=".", point=","),
        },
    ),
    "wholes": (
        lambda rng: rng.choice([rng.randint(1000, 999_999), rng.randint(1_000_000, 99_999_999)]),
        {
            "commas": "{:,}".format,
            "points": spelled("{:,}", comma="."),
            "no-break": spelled("{:,}", comma="\u202f"),
            "India": indian,
            "plain": str,
        },
    ),
    "powers": (
        lambda rng: rng.choice([rng.randint(1, 999), rng.randint(1, 9) * 1000]),
        {"bare": lambda value: f"{value // 1000}e3" if value % 1000 == 0 else str(value)},
    ),
}
# Beyond 64 bits or 15 digits; to the reference they are numbers in the same order.
LONG: dict[str, Printed] = {
    "long integers": (lambda rng: 2**63 + rng.randint(0, 10**6), {"plain": str}),
    "long decimals": (lambda rng: Decimal(rng.randint(-(10**24), 10**25)) / 10**20, {"plain": "{:.20f}".format}),
}
MOMENTS: dict[str, Printed] = {
    "days": (
        lambda rng: (START + timedelta(days=rng.randint(0, 700))).date().isoformat(),
        {
            "ISO": str,
            "long names": day("%d %B %Y"),
            "short names": day("%b %d, %Y"),
            "day first": day("%d.%m.%Y"),
            "day first, slashes": day("%d/%m/%Y"),
            "month first": day("%m/%d/%Y"),
        },
    ),
    "instants": (
        lambda rng: (START + timedelta(minutes=rng.randint(0, 50_000))).isoformat(),
        {
            "ISO": lambda value: with_offset(value).isoformat(),
            "blank": lambda value: with_offset(value).isoformat(sep=" "),
            "mail": instant("%a, %d %b %Y %H:%M:%S %z"),
            "access log": instant("%d/%b/%Y:%H:%M:%S %z"),
        },
    ),
}
ORDERED: dict[str, Printed] = {
    "sizes": (lambda rng: rng.randint(1, 900) * 1024 ** rng.randint(0, 3), {"binary": size}),
    "durations": (
        between(0, 80_000),
        {
            "parts": lambda value: f"{value // 3600}h {value // 60 % 60}m {value % 60}s",
            "ISO": lambda value: f"PT{value // 3600}H{value // 60 % 60}M{value % 60}S",
        },
    ),
    "milliseconds": (between(1, 90_000), {"parts": milliseconds}),
    # Tables of which one has only one unit are not compared.
    "rates": (between(1, 3000), {"scaled": scaled}),
    "clocks": (between(0, 86_399), {"whole": clock}),
    "half days": (lambda rng: rng.randint(0, 1439) * 60, {"names": half_day}),
}
TEXTS: dict[str, Printed] = {
    "versions": (lambda rng: f"3.{rng.randint(0, 20)}", {"plain": str}),
    "releases": (lambda rng: f"1.{rng.randint(0, 20)}.{rng.randint(0, 3)}", {"plain": str}),
    "codes": (lambda rng: f"{rng.randint(0, 30):03}", {"plain": str}),
    "hashes": (lambda rng: f"{rng.randint(0, 400) * 7919 % 4096:03x}", {"plain": str}),
    "telephones": (lambda rng: f"+4722{rng.randint(0, 99):06}", {"plain": str}),
    "addresses": (lambda rng: f"10.0.{rng.randint(0, 12)}.{rng.randint(0, 3)}", {"plain": str}),
}
KINDS = {**NUMBERS, **LONG, **MOMENTS, **ORDERED, **TEXTS}


def delimited(mark: str) -> Callable[[list[list[str]]], str]:
    def of(rows: list[list[str]]) -> str:
        out = io.StringIO()
        csv.writer(out, delimiter=mark, lineterminator="\n").writerows(rows)
        return out.getvalue()

    return of


def grid(rows: list[list[str]]) -> str:
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = [" " + " | ".join(map(str.rjust, row, widths)) for row in rows]
    return "\n".join([lines[0], "+".join("-" * (width + 2) for width in widths), *lines[1:]]) + "\n"


def piped(rows: list[list[str]]) -> str:
    lines = ["| " + " | ".join(row) + " |" for row in [rows[0], ["---"] * len(rows[0]), *rows[1:]]]
    return "\n".join(lines) + "\n"


def objects(rows: list[list[str]]) -> str:
    members = [dict(zip(rows[0], row, strict=True)) for row in rows[1:]]
    return json.dumps([{**row, "id": int(row["id"])} for row in members])


TABLES = [delimited(","), delimited(";"), delimited("\t"), grid, piped, objects]


def number_forms(some: Any, operator: str) -> list[str]:
    return [
        "SELECT sum(v), avg(v) FROM t",
        "SELECT g, sum(v) FROM t GROUP BY g ORDER BY g",
        f"SELECT sum(v + 1) FROM t WHERE abs(v) > {abs(some) / 2}",
        "SELECT sum(v * id) FROM t WHERE g <> 'a'",
        "SELECT max(v) - min(v) FROM t",
        "SELECT id, sum(v) OVER (PARTITION BY g ORDER BY id) FROM t ORDER BY id LIMIT 6",
        f"SELECT g, sum(v) FROM t GROUP BY g HAVING sum(v) {operator} {some} ORDER BY g",
        "SELECT count(*) FROM t WHERE v > (SELECT avg(v) FROM t)",
        f"SELECT sum(CASE WHEN v {operator} {some} THEN v ELSE 0 END) FROM t",
        "SELECT sum(a.v - b.v) FROM t a JOIN u b ON a.id = b.id",
        "SELECT round(sum(v) * 1.0 / count(v), 1) FROM t",
    ]


def ordered_forms(rng: Random) -> list[str]:
    down = rng.choice(["", " DESC"])
    return [
        f"SELECT id FROM t WHERE v IS NOT NULL ORDER BY v{down}, id LIMIT 5",
        f"SELECT id FROM t WHERE v IS NOT NULL ORDER BY g COLLATE NOCASE, v{down}, id LIMIT 5 OFFSET 3",
        "SELECT count(*) FROM t a JOIN t b ON a.v < b.v WHERE a.g = 'a'",
        "SELECT count(*) FROM t a JOIN u b ON a.v >= b.v",
        "SELECT min(id) FROM t WHERE v = (SELECT max(v) FROM t)",
        f"SELECT id, rank() OVER (ORDER BY v{down}) FROM t WHERE v IS NOT NULL AND g = 'c' ORDER BY id LIMIT 6",
        "SELECT id, lag(id) OVER (ORDER BY v, id) FROM t WHERE v IS NOT NULL ORDER BY v, id LIMIT 6",
        "SELECT count(*) FROM t a WHERE EXISTS (SELECT 1 FROM u b WHERE b.g = a.g AND b.v > a.v)",
        "SELECT a.id FROM t a WHERE a.v = (SELECT min(v) FROM t b WHERE b.g = a.g) ORDER BY a.id LIMIT 6",
        "WITH most AS (SELECT g, max(v) AS m FROM t GROUP BY g) SELECT count(*) FROM t JOIN most USING (g) WHERE v = m",
    ]


def question(rng: Random, kind: str, values: list[Any]) -> str:
    """A statement whose answer has ids, counts and numbers alone, which no table prints."""
    literals = sorted(rng.choices([value for value in values if value is not None], k=2))
    some, most = (str(one) if kind in NUMBERS or kind in LONG else f"'{one}'" for one in literals)
    operator = rng.choice(["<", "<=", ">", ">=", "=", "<>"])
    forms = ["SELECT count(v), count(*) FROM t", "SELECT count(DISTINCT v) FROM t"]
    forms += ["SELECT g, count(DISTINCT v) FROM t GROUP BY g ORDER BY g"]
    forms += ["SELECT count(*) FROM t a JOIN u b ON a.v = b.v", "SELECT count(*) FROM t WHERE v IN (SELECT v FROM u)"]
    forms += ["SELECT count(*) FROM t a LEFT JOIN u b ON a.v = b.v WHERE b.id IS NULL"]
    forms += ["SELECT count(*) FROM (SELECT v FROM t UNION SELECT v FROM u)"]
    forms += ["SELECT count(*) FROM (SELECT v FROM t GROUP BY v HAVING count(*) > 1)"]
    if kind in TEXTS:
        operator = rng.choice(["=", "<>"])
        forms += ["SELECT id FROM t ORDER BY v, id LIMIT 5", f"SELECT count(*) FROM t WHERE v LIKE '{some[1:3]}%'"]
    else:
        forms += ordered_forms(rng)
    if kind not in ORDERED:
        forms += [f"SELECT count(*) FROM t WHERE v {operator} {some}"] * 3
        forms += [f"SELECT g, count(*) FROM t WHERE v {operator} {some} GROUP BY g ORDER BY g"]
        forms += [f"SELECT count(*) FROM t WHERE v IN ({some}, {most})", f"SELECT count(*) FROM t WHERE {some} = v"]
        forms += [f"SELECT g, count(*) FROM t GROUP BY g HAVING max(v) {operator} {some} ORDER BY g"]
    if kind not in ORDERED and kind not in TEXTS:
        forms += [f"SELECT count(*) FROM t WHERE v BETWEEN {some} AND {most}"] * 2
        forms += [f"SELECT count(*) FROM t WHERE NOT (v {operator} {some}) OR g = 'c'"]
    if kind in NUMBERS:
        forms += number_forms(literals[0], operator)
    return rng.choice(forms)


def reference(tables: dict[str, list[Row]], sql: str, is_long: bool) -> list[list[Any]]:
    connection = sqlite3.connect(":memory:")
    ranks: dict[Any, int] = {}
    if is_long:
        values = {value for rows in tables.values() for _, value, _ in rows if value is not None}
        ranks = {value: at for at, value in enumerate(sorted(values))}
        sql = re.sub(r"-?\d+(\.\d+)?", lambda found: str(ranks.get(Decimal(found[0]), found[0])), sql)
    for name, rows in tables.items():
        connection.execute(f"CREATE TABLE {name} (id INTEGER, v, g TEXT)")
        held = [(at, ranks.get(value, value), group) for at, value, group in rows]
        connection.executemany(f"INSERT INTO {name} VALUES (?, ?, ?)", held)
    return [list(row) for row in connection.execute(sql)]


def are_equal(found: Any, known: Any) -> bool:
    if isinstance(found, float) or isinstance(known, float):
        return found is not None and known is not None and math.isclose(float(found), known, rel_tol=1e-9, abs_tol=1e-6)
    return bool(found == known)


def table(rng: Random, kind: str, count: int) -> tuple[str, str, list[Row]]:
    """How the values are printed, the text, and the values."""
    make, forms = KINDS[kind]
    form = rng.choice(list(forms))
    blanks = 0 if kind in TEXTS else rng.choice([0, 0, 10])
    values = [None if rng.randrange(100) < blanks else make(rng) for _ in range(count)]
    rows = [(at, value, rng.choice(GROUPS)) for at, value in enumerate(values)]
    cells = [[str(at), rng.choice(BLANKS) if value is None else forms[form](value), g] for at, value, g in rows]
    layout = rng.randrange(len(TABLES))
    return f"{form}, {layout}", TABLES[layout]([["id", "v", "g"], *cells]), rows


def test_printed_columns_answer_as_their_values_do() -> None:
    wrong = []
    for nth in range(math.ceil(STATEMENTS / OF_A_TABLE)):
        rng = Random(SEED + nth)
        kind = rng.choice(list(KINDS))
        archive = Archive(Shaper(max_tokens=400), MemoryStore())
        handles, tables, forms = {}, {}, ""
        for name, count in {"t": ROWS, "u": OTHERS}.items():
            form, text, tables[name] = table(rng, kind, count)
            first = wait(archive.shape(text, tool=name, arguments={}))
            found = re.search("toolshape://result/([a-z]{16})", first.text)
            assert found, first.text
            handles[name] = found[1]
            forms += f" {name}: {form};"
        for _ in range(OF_A_TABLE):
            sql = question(rng, kind, [value for _, value, _ in tables["t"]])
            asked = re.sub(r"\b(FROM|JOIN) ([tu])\b", lambda found: f"{found[1]} {handles[found[2]]}", sql)
            answer = wait(archive.read_result({"sql": asked})).text
            answered = json.loads(answer).get("rows")
            known = reference(tables, sql, kind in LONG)
            same = answered is not None and len(answered) == len(known)
            cells = list(zip(answered or [], known, strict=False))
            if not same or not all(are_equal(*cell) for pair in cells for cell in zip(*pair, strict=True)):
                wrong.append(f"{SEED + nth} {kind},{forms} {sql}: {answer[:300]}, not {known[:6]}")
    assert not wrong, f"{len(wrong)}:\n" + "\n".join(wrong[:20])
