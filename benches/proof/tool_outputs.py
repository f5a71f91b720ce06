"""Questions about long answers of web services, on a checkout of LongFuncEval/toolJSONprocessing, answered in SQL.

Usage: python tool_outputs.py CHECKOUT. The graders are the checkout's own. `tool_outputs.tsv` has a statement for each form of a question,
without which a model would have to count; the three that are not right are faults of the test, which counts the letters of a colour such
as Black as colours. *Can be had* counts, of what others show, all questions about a result that is whole, and of one that is not those
whose answer is a text in it.
"""

import ast
import asyncio
import json
import re
import sys
from pathlib import Path
from types import SimpleNamespace

from peers import is_whole, shown
from toolshape import Archive, MemoryStore, Shaper, count_tokens


def questions(checkout: Path) -> list[dict]:
    """With the tool's answer that each is about."""
    data = checkout / "generate_qa_pairs/data"
    results: dict[str, dict] = {}
    found = []
    for file in sorted((data / "qa_pairs").glob("*.json")):
        for one in json.loads(file.read_text()):
            path = one["api_response_path"]
            if path not in results:
                results[path] = json.loads((data / path).read_text())
            found.append(one | {"result": results[path][one["app"]][one["endpoint"]][one["api_query"]]})
    return found


def graders(checkout: Path) -> dict:
    """The names of evals.py; what is left out are models and units, which the matches do not use."""
    source = (checkout / "generate_qa_pairs/tasks/evals.py").read_text()
    source = re.sub(
        r"^from (sentence_transformers|pint|generate_qa_pairs\S*) import .*$", "", source, flags=re.MULTILINE
    )
    names: dict = {"LongResponseQASample": SimpleNamespace}
    exec(compile(source, "evals.py", "exec"), names)
    return names


def statement(forms: list[list[str]], question: str) -> str:
    for form, sql in forms:
        if found := re.fullmatch(form, question):
            return re.sub(r"\$(\d)", lambda group: found[int(group[1])].replace("'", "''"), sql)
    sys.exit(f"no statement for {question}")


def can_be_had(question: dict, one: str) -> bool:
    return is_whole(one) or question["task_type"] == "EXTRACTIVE" and question["gold_answer"] in one


def programs(checkout: Path) -> dict[str, str]:
    """The program of the test that computes the answers of a task, by its name."""
    found = {}
    for file in (checkout / "generate_qa_pairs/tasks").glob("*.py"):
        source = file.read_text()
        for task in ast.parse(source).body:
            for part in getattr(task, "body", []):
                if getattr(part, "name", "") == "get_answer":
                    found[task.name] = ast.unparse(part)
    return found


async def main() -> None:
    checkout = Path(sys.argv[1])
    names, asked = graders(checkout), questions(checkout)
    forms = [line.split("\t") for line in Path(__file__).with_suffix(".tsv").read_text().splitlines()[1:]]
    texts = {one["api_query"]: json.dumps(one["result"], ensure_ascii=False, separators=(",", ":")) for one in asked}
    print("| what is shown | can be had | tokens |\n|---|---|---|")
    for name, others in (await shown(list(texts.values()))).items():
        own = dict(zip(texts, others))
        count = sum(can_be_had(question, own[question["api_query"]]) for question in asked)
        print(f"| {name} | {count} | {sum(map(count_tokens, others)):,} |")

    sandbox = programs(checkout)
    tokens = sum(count_tokens(sandbox[one["task"]]) + count_tokens(one["gold_answer"]) for one in asked)
    print(f"| a sandbox with files, the test's programs | {len(asked)} | {tokens:,} |")

    archive, handles, first = Archive(Shaper(), MemoryStore()), {}, 0
    for query, text in texts.items():
        one = (await archive.shape(json.loads(text), tool="fetch")).text
        handles[query] = re.search(r"toolshape://result/([a-z]{16})", one)[1]
        first += count_tokens(one)
    right = tokens = 0
    for one in asked:
        sql = statement(forms, one["question"])
        found = (await archive.read_result({"handle": handles[one["api_query"]], "sql": sql})).text
        given = ", ".join(str(row[0]) for row in json.loads(found).get("rows", []))
        task = SimpleNamespace(gold_answer=one["gold_answer"], pred_answer=given)
        is_right = names[one["metrics"]["exact_match_metric"]](task)
        right += is_right
        tokens += count_tokens(sql) + count_tokens(found)
        if not is_right:
            print(f"{one['question'][:90]} {given[:80] or found[:80]}, not {one['gold_answer'][:80]}", file=sys.stderr)
    print(f"| toolshape, SQL | {right} | {first + tokens:,}, of which {first:,} at first |")
    print(f"right in SQL: {right} of {len(asked)}, {tokens / len(asked):.0f} tokens an answer")


if __name__ == "__main__":
    asyncio.run(main())
