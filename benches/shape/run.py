"""Measures everything in Python, each work in a process of its own, and writes what it found as JSON.

Usage: run.py <folder of the data> <file to write> [--quick]
       run.py time <work> <folder> <rounds> | memory <contender> <work> <folder> | start <what>
"""

import gc
import importlib
import importlib.metadata
import json
import logging
import sys
import time

from children import child, recorder
from resident import reset, resident

logging.disable(logging.WARNING)
STARTS = ["shape", "count", "tiktoken"]


def timed(work_name, folder, rounds):
    import contenders
    import tiktoken
    import works

    data = works.load(folder)
    work = works.WORKS[work_name](data)
    names = [name for name in contenders.NAMES if work.serializes or "ResponseLimiting" not in name]
    names = ["toolshape"] if work.is_stored else names
    runs = {name: contenders.contender(name, work) for name in names}
    runs |= {name: contenders.baseline(name) for name in work.baselines}
    milliseconds, texts = {name: [] for name in runs}, {}
    text = value = inputs = None
    gc.collect()
    gc.freeze()
    # The first round is not looked at: it meets the kind of value for the first time.
    for turn in range(rounds + 1):
        for name, run in runs.items():
            reads_all = name in work.baselines or "ResponseLimiting" in name
            calls = 1 if reads_all and work.pages else work.calls
            # What the one before was given and made is given back now, not at the expense of this one.
            text = value = inputs = None
            inputs = [
                (work.inputs(version), work.page(version))
                for version in range(turn * work.calls, turn * work.calls + calls)
            ]
            gc.collect()
            start = time.process_time()
            for value, page in inputs:
                text = run(value, page)
            took = (time.process_time() - start) * 1000 / calls
            if turn > 0:
                milliseconds[name].append(took)
            if name not in work.baselines:
                texts[name] = text
    encoding = tiktoken.get_encoding("o200k_base")
    tokens = {name: len(encoding.encode_ordinary(text)) for name, text in texts.items()}
    return {
        "work": work_name,
        "milliseconds": milliseconds,
        "tokens": tokens,
        "isJson": {name: parses(text) for name, text in texts.items()},
    }


def parses(text):
    try:
        json.loads(text)
    except ValueError:
        return False
    return True


def memory(name, work_name, folder):
    """The most that one call needs beyond its input; only Linux can reset it within a process's life."""
    import contenders
    import works

    work = works.WORKS[work_name](works.load(folder))
    run = contenders.contender(name, work)
    value, page = work.inputs(1), work.page(1)
    encoded = value if isinstance(value, str) else json.dumps(value)
    text_bytes = len(encoded.encode())
    del encoded
    if name == "toolshape":
        # The vocabulary, which the other one has loaded by now.
        importlib.import_module("toolshape").count_tokens("once")
    return {"contender": name, "work": work_name, "peakBytes": peak(lambda: run(value, page)), "textBytes": text_bytes}


def peak(run):
    gc.collect()
    reset()
    before = resident("VmRSS")
    run()
    return max(0, resident("VmHWM") - before)


def start_up(what):
    """From import to the first answer, in a process that has done nothing yet; processor milliseconds."""
    value = {"id": 1, "title": "The first result", "tags": ["one", "two"], "body": "It was a bright cold day. " * 40}
    text = json.dumps(value)
    start = time.process_time()
    if what == "shape":
        import toolshape

        toolshape.Shaper(max_tokens=2000).shape(value)
    elif what == "count":
        import toolshape

        toolshape.count_tokens(text)
    else:
        import tiktoken

        len(tiktoken.get_encoding("o200k_base").encode_ordinary(text))
    return (time.process_time() - start) * 1000


def package(name):
    distribution = importlib.metadata.distribution(name)
    size = sum(file.locate().stat().st_size for file in distribution.files or () if "__pycache__" not in str(file))
    return {"name": name, "version": distribution.version, "unpackedSize": size}


def everything(folder, file, quick):
    from works import WORKS

    rounds = 1 if quick else 7
    names = ["1,000 rows", "2 KB that fits"] if quick else list(WORKS)
    held = (
        ["20 MB text"]
        if quick
        else ["100,000 rows", "20 MB of rows, as JSON text", "20 MB text", "20 MB text with emoji"]
    )
    found = {"times": [], "memory": [], "startup": {what: [] for what in STARTS}}
    found["packages"] = [package(name) for name in ("toolshape", "tiktoken")]
    step = recorder("python", found, file)
    for name in names:
        with step(name):
            found["times"].append(child(__file__, "time", name, folder, rounds))
    for work in held:
        for name in ("toolshape", "json + tiktoken"):
            with step(f"memory: {work}, {name}"):
                found["memory"].append(child(__file__, "memory", name, work, folder))
    with step("start-up"):
        for _ in range(rounds):
            for what in STARTS:
                found["startup"][what].append(child(__file__, "start", what))


match sys.argv[1:]:
    case ["time", work, folder, rounds]:
        print(json.dumps(timed(work, folder, int(rounds))))
    case ["memory", name, work, folder]:
        print(json.dumps(memory(name, work, folder)))
    case ["start", what]:
        print(json.dumps(start_up(what)))
    case [folder, file, *options]:
        everything(folder, file, "--quick" in options)
