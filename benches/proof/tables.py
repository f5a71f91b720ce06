"""Questions that people asked of tables of Wikipedia, on a checkout of ppasupat/WikiTableQuestions, answered in SQL.

Usage: python tables.py CHECKOUT                   asks the statements of `tables.tsv`, and grades them with the checkout's evaluator.py
       python tables.py CHECKOUT show FROM TO      what a reader sees: first results, and the questions about each
       python tables.py CHECKOUT ask NUMBER SQL    what a reader may call
Questions are drawn by a seed from those about tables that are not in training data. `tables.tsv` has the number of a question and the
statement that a reader wrote who saw what `show` and `ask` print, or `=` and the answer to a table that is shown whole. All cells of an
answer are its items. How many of the same tables are recognized as rows when they are CSV is counted too.
"""

import asyncio
import csv
import json
import random
import re
import sys
from pathlib import Path

from peers import is_whole, shown
from toolshape import Archive, MemoryStore, Shaper, count_tokens

SEED, COUNT = 20260, 500
BUDGET = 400  # In tokens: most tables of the test would fit into the default, and no statement would be needed.


def rows_of(file: Path) -> list[dict[str, str]]:
    with file.open(encoding="utf-8") as opened:
        return list(csv.DictReader(opened, delimiter="\t", quoting=csv.QUOTE_NONE))


def drawn(checkout: Path) -> list[dict[str, str]]:
    """By their tables, so that a reader sees each once."""
    all_of_them = rows_of(checkout / "data/pristine-unseen-tables.tsv")
    return sorted(random.Random(SEED).sample(all_of_them, COUNT), key=lambda one: one["context"])


def evaluator(checkout: Path) -> dict:
    """The names of evaluator.py, which is in Python 2; its main program is left out."""
    source = (checkout / "evaluator.py").read_text(encoding="utf-8").split("def main(")[0]
    for old, new in ((r"\bur(?=[\"'])", "r"), (r"\b(unicode|basestring)\b", "str"), (r"\blong\b", "int")):
        source = re.sub(old, new, source)
    names: dict = {}
    exec(compile(source.replace('u"""', '"""', 1), "evaluator.py", "exec"), names)
    return names


async def first(archive: Archive, checkout: Path, context: str) -> tuple[str, str, str | None]:
    """A table, what is shown of it, and its handle if it is not whole."""
    table = table_of(checkout / context)
    text = json.dumps(table, ensure_ascii=False, separators=(",", ":"))
    shown = (await archive.shape(table, tool="table")).text
    found = re.search(r"toolshape://result/([a-z]{16})", shown)
    return text, shown, found and found[1]


def table_of(file: Path) -> list[dict[str, str]]:
    """A list of objects, as a tool returns it; a title that occurs again has its number."""
    lines = file.with_suffix(".tsv").read_text(encoding="utf-8").rstrip("\n").split("\n")
    titles, *rows = ([unescaped(cell) for cell in line.split("\t")] for line in lines)
    names = [title if titles.index(title) == at else f"{title} {at + 1}" for at, title in enumerate(titles)]
    return [dict(zip(names, row)) for row in rows]


def unescaped(cell: str) -> str:
    return cell.replace(r"\n", "\n").replace(r"\p", "|").replace(r"\\", "\\")


async def answer(archive: Archive, handle: str, sql: str) -> str:
    """What `read_result` returns; a line break in the name of a column is `\\n` here."""
    return (await archive.read_result({"handle": handle, "sql": sql.replace("\\n", "\n")})).text


def items_of(shown: str) -> list[str]:
    cells = [cell for row in json.loads(shown).get("rows", []) for cell in row]
    return ["" if cell is None else str(cell) for cell in cells]


async def main() -> None:
    checkout, what = Path(sys.argv[1]), sys.argv[2:]
    archive, questions = Archive(Shaper(max_tokens=BUDGET), MemoryStore()), drawn(checkout)
    if what[:1] == ["show"]:
        before = ""
        for number in range(int(what[1]), int(what[2])):
            one = questions[number]
            if one["context"] != before:
                before = one["context"]
                print(f"\n## {(await first(archive, checkout, before))[1]}")
            print(f"{number}\t{one['utterance']}")
        return
    if what[:1] == ["ask"]:
        _, _, handle = await first(archive, checkout, questions[int(what[1])]["context"])
        print(await answer(archive, handle, what[2]))
        return

    names = evaluator(checkout)
    known = {row["id"]: row for row in rows_of(checkout / "tagged/data/pristine-unseen-tables.tagged")}
    statements = [line.split("\t") for line in Path(__file__).with_suffix(".tsv").read_text().splitlines()[1:]]
    right = tokens = refused = 0
    wrong, tables = [], {}
    for number, sql in statements:
        one = questions[int(number)]
        text, seen, handle = await first(archive, checkout, one["context"])
        found = json.dumps({"rows": [sql[1:].split("|")]}) if sql[0] == "=" else await answer(archive, handle, sql)
        refused += '"rows":' not in found
        target = known[one["id"]]
        lists = (names["tsv_unescape_list"](target[key]) for key in ("targetValue", "targetCanon"))
        items = items_of(found) if '"rows":' in found else []
        is_right = names["check_denotation"](names["to_value_list"](*lists), names["to_value_list"](items))
        right += is_right
        tokens += count_tokens(sql) + count_tokens(found)
        if one["context"] not in tables:
            tables[one["context"]] = text
            tokens += count_tokens(seen)
        if not is_right:
            wrong.append(f"{number}\t{one['utterance']}\t{' | '.join(items)[:80]}\tnot {target['targetValue']}")
    as_csv = [(checkout / context).read_text(encoding="utf-8") for context in {one["context"] for one in questions}]
    seen = [(await archive.shape(text, tool="csv")).text for text in as_csv]
    cut = [one for text, one in zip(as_csv, seen) if one != text]
    as_rows = sum('"text":"csv"' in one for one in cut)
    print(*wrong, sep="\n")
    print(f"| what is shown of {len(tables)} tables | whole | tokens |\n|---|---|---|")
    for name, others in (await shown(list(tables.values()))).items():
        print(f"| {name} | {sum(map(is_whole, others))} | {sum(map(count_tokens, others)):,} |")
    print(f"| toolshape, with {len(statements)} statements, {refused} refused | | {tokens:,} |")
    print(f"of {len(cut)} tables in CSV over the budget, {as_rows} are read as rows")
    print(f"right: {right} of {len(statements)}, {100 * right / len(statements):.1f} %")


if __name__ == "__main__":
    asyncio.run(main())
