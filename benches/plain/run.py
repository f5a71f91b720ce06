"""Times the plain module in wasmtime and the wheel, in turns, and prints processor milliseconds of a call as JSON.

Usage: run.py <module> <folder of the works> <rounds>
"""

import json
import sys
import time
from pathlib import Path

from host import Toolshape
from toolshape import Shaper

module, folder, rounds = sys.argv[1], Path(sys.argv[2]), int(sys.argv[3])
given = json.loads((folder / "works.json").read_text("utf-8"))
host = Toolshape(module)
shaper, _ = host.call("shaper", policy=given["policy"])
native = Shaper(max_tokens=given["policy"]["maxTokens"])


def plain(text, store):
    result, parts = host.call("shapeJson", text.encode(), shaper=shaper, text=1, call={**given["call"], "store": store})
    return text if result["text"] is None else parts[result["text"]].decode()


def wheel(text, store):
    shaped = native.shape_json(text, **given["call"], store=store)
    return shaped.text if shaped.tokens > 0 else ""


contenders = {"the plain module": plain, "the wheel": wheel}
found = {}
for name, work in given["works"].items():
    text = (folder / work["file"]).read_text("utf-8")
    samples = found[name] = {contender: [] for contender in contenders}
    # The first round is for compilers and caches.
    for at in range(rounds + 1):
        texts = set()
        for contender, shape in contenders.items():
            start = time.process_time()
            for _ in range(work["calls"]):
                texts.add(shape(text, work["store"]))
            took = (time.process_time() - start) * 1000 / work["calls"]
            if at > 0:
                samples[contender].append(took)
        if len(texts) != 1:
            raise ValueError(f"{name}: the results differ")
print(json.dumps(found))
