"""Templates of logs: grouping accuracy by the evaluator of logparser3, on a checkout of logpai/loghub or logpai/loghub-2.0.

A line is right if the lines with its template are exactly those that people gave the same template. toolshape does not know the format
of any log. Drain is run twice: as toolshape, and with the format and the patterns that its authors wrote for each log.
Usage: python loghub.py CHECKOUT TEMPLATES, a program that prints the number of the template of each line.
"""

import ast
import contextlib
import io
import subprocess
import sys
import tempfile
from pathlib import Path

import pandas
from logparser import Drain
from logparser.utils.evaluator import get_accuracy


def settings() -> dict[str, dict]:
    """Those of Drain's own benchmark, a program that runs when it is imported."""
    source = Path(Drain.__file__).with_name("benchmark.py").read_text()
    assigned = (one for one in ast.parse(source).body if isinstance(one, ast.Assign))
    return next(ast.literal_eval(one.value) for one in assigned if one.targets[0].id == "benchmark_settings")


def drain(log: Path, form: str, patterns: list[str], depth: int, similarity: float) -> pandas.Series:
    with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stdout(io.StringIO()):
        parser = Drain.LogParser(
            log_format=form, indir=str(log.parent), outdir=folder, depth=depth, st=similarity, rex=patterns
        )
        parser.parse(log.name)
        return pandas.read_csv(f"{folder}/{log.name}_structured.csv")["EventId"]


def main() -> None:
    checkout, program = sys.argv[1:3]
    print("| log | templates | toolshape | Drain without format | Drain with format |\n|---|---|---|---|---|")
    columns, known = [], settings()
    for log in sorted(Path(checkout).glob("**/*_2k.log")):
        corrected = Path(f"{log}_structured_corrected.csv")
        truth = pandas.read_csv(corrected if corrected.exists() else f"{log}_structured.csv")["EventId"]
        printed = subprocess.run([program, log], capture_output=True, text=True, check=True).stdout
        own = known[log.name.removesuffix("_2k.log")]
        found = [
            pandas.Series(printed.split()),
            drain(log, "<Content>", [], 4, 0.5),
            drain(log, own["log_format"], own["regex"], own["depth"], own["st"]),
        ]
        if any(len(one) != len(truth) for one in found):
            sys.exit(f"{log}: {len(truth)} lines are known, {[len(one) for one in found]} are grouped")
        columns.append([get_accuracy(truth, one)[3] for one in found])
        row = " | ".join(f"{one:.3f}" for one in columns[-1])
        print(f"| {log.parent.name} | {truth.nunique()} | {row} |", flush=True)
    means = [sum(column) / len(column) for column in zip(*columns)]
    lowest = min(column[0] for column in columns)
    print(f"toolshape {means[0]:.3f}, lowest {lowest:.3f}; Drain {means[1]:.3f} without format, {means[2]:.3f} with it")


if __name__ == "__main__":
    main()
