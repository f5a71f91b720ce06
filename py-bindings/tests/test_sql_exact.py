"""Sums, means, medians, groups and joins in SQL are those of exact fractions, over generated rows and descriptions of services."""

from __future__ import annotations

import json
import random
import re
from collections import Counter, defaultdict
from fractions import Fraction
from importlib.resources import files
from typing import Any

import pytest
from conftest import wait
from toolshape import Archive, MemoryStore, Shaper

Rows = list[dict[str, Any]]


def generated(seed: int, decimals: bool) -> Rows:
    """Rows with numbers of very different sizes, some missing, spelled as JSON spells them."""
    rng = random.Random(seed)
    rows = []
    for number in range(3000):
        digits = rng.choice([1, 3, 6, 9]) if decimals else 0
        scale = 10 ** rng.choice([0, 0, 2, 6])
        value = rng.randrange(-999, 10**6) * scale
        spelled: Any = float(f"{value // 10**digits}.{abs(value) % 10**digits:0{digits}d}") if digits else value
        rows.append(
            {
                "id": number,
                "group": f"g{rng.randrange(12)}",
                "x": None if rng.random() < 0.03 else spelled,
                "key": rng.randrange(400),
            }
        )
    return rows


def exact(value: Any) -> Fraction:
    """The shortest decimal that is this number, which is how it is spelled."""
    return Fraction(repr(value))


def median(values: list[Fraction]) -> Fraction:
    ordered, middle = sorted(values), len(values) // 2
    return ordered[middle] if len(values) % 2 else (ordered[middle - 1] + ordered[middle]) / 2


class Asked:
    """Rows that are kept, and the answers about them."""

    def __init__(self, **tables: Any) -> None:
        self.archive = Archive(Shaper(), MemoryStore())
        self.handles: dict[str, str] = {}
        for name, value in tables.items():
            shaped = wait(self.archive.shape(value, tool=name))
            self.handles[name] = re.findall(r"toolshape://result/([a-z]{16})", shaped.text)[0]

    def rows(self, sql: str) -> list[list[Any]]:
        for name, handle in self.handles.items():
            sql = sql.replace("{" + name + "}", handle)
        found: list[list[Any]] = []
        cursor: dict[str, Any] = {}
        while True:
            answer = wait(self.archive.read_result({"sql": sql, "pageSize": 10, **cursor})).value
            assert "rows" in answer, answer
            found.extend(answer["rows"])
            if "nextCursor" not in answer:
                assert len(found) == answer["totalItems"]
                return found
            cursor = {"cursor": answer["nextCursor"]}


def groups(rows: Rows, by: str, of: str) -> dict[Any, list[Fraction]]:
    found: dict[Any, list[Fraction]] = defaultdict(list)
    for row in rows:
        if row[of] is not None:
            found[row[by]].append(exact(row[of]))
    return found


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("decimals", [False, True])
def test_groups_are_those_of_fractions(seed: int, decimals: bool) -> None:
    rows = generated(seed, decimals)
    asked = Asked(t=rows)
    sql = 'SELECT "group", count(x), sum(x), avg(x), median(x), min(x), max(x) FROM {t} GROUP BY 1 ORDER BY 1'
    expected = [
        [
            key,
            len(own),
            *(float(number) for number in (sum(own), sum(own) / len(own), median(own), min(own), max(own))),
        ]
        for key, own in sorted(groups(rows, "group", "x").items())
    ]
    assert asked.rows(sql) == expected
    everything = [exact(row["x"]) for row in rows if row["x"] is not None]
    whole = "SELECT sum(x), total(x), avg(x), median(x), count(*), count(DISTINCT key) FROM {t}"
    assert asked.rows(whole) == [
        [
            float(sum(everything)),
            float(sum(everything)),
            float(sum(everything) / len(everything)),
            float(median(everything)),
            len(rows),
            len({row["key"] for row in rows}),
        ]
    ]


@pytest.mark.parametrize("seed", range(2))
def test_joins_are_those_of_a_loop(seed: int) -> None:
    left, right = generated(seed, True), generated(seed + 100, False)[:500]
    csv = "key,x\n" + "\n".join(f"{row['key']},{'' if row['x'] is None else row['x']}" for row in right)
    asked = Asked(a=left, b=right, c=csv)
    by_key: dict[int, Rows] = defaultdict(list)
    for row in right:
        by_key[row["key"]].append(row)
    pairs = [(one, other) for one in left for other in by_key[one["key"]]]
    both = [(one, other) for one, other in pairs if one["x"] is not None and other["x"] is not None]
    for table in "bc":
        sql = f"SELECT count(*), sum(p.x), sum(q.x) FROM {{a}} p JOIN {{{table}}} q ON p.key = q.key"
        sums = [
            float(sum(exact(row["x"]) for row in side if row["x"] is not None))
            for side in ([one for one, _ in pairs], [other for _, other in pairs])
        ]
        assert asked.rows(sql) == [[len(pairs), *sums]]
        sql = f"SELECT count(*) FROM {{a}} p LEFT JOIN {{{table}}} q ON p.key = q.key WHERE q.key IS NULL"
        assert asked.rows(sql) == [[sum(1 for row in left if not by_key[row["key"]])]]
        sql = f"SELECT count(*) FROM {{a}} p JOIN {{{table}}} q USING (key) WHERE p.x IS NOT NULL AND q.x IS NOT NULL"
        assert asked.rows(sql) == [[len(both)]]


def test_descriptions_of_services_are_counted() -> None:
    endpoints = json.loads((files("botocore") / "data" / "endpoints.json").read_text())["partitions"][0]["services"]
    rows = [
        {
            "service": service,
            "region": region,
            "deprecated": "deprecated" in place,
            "variants": place.get("variants", []),
        }
        for service, own in endpoints.items()
        for region, place in own["endpoints"].items()
    ]
    asked = Asked(t=rows)
    expected = sorted(Counter(row["region"] for row in rows).items(), key=lambda pair: (-pair[1], pair[0]))
    assert asked.rows("SELECT region, count(*) FROM {t} GROUP BY 1 ORDER BY 2 DESC, 1") == [
        list(pair) for pair in expected
    ]
    hosts = [variant["hostname"] for row in rows for variant in row["variants"] if "hostname" in variant]
    sql = "SELECT count(*), count(DISTINCT v.value->>'hostname') FROM {t}, json_each(variants) v WHERE v.value->>'hostname' IS NOT NULL"
    assert asked.rows(sql) == [[len(hosts), len(set(hosts))]]
    lengths = Counter(len(row["variants"]) for row in rows)
    sql = "SELECT json_array_length(variants), count(*), avg(deprecated) FROM {t} GROUP BY 1 ORDER BY 1"
    shares = {
        size: Fraction(sum(row["deprecated"] for row in rows if len(row["variants"]) == size), count)
        for size, count in lengths.items()
    }
    assert asked.rows(sql) == [[size, count, float(shares[size])] for size, count in sorted(lengths.items())]
