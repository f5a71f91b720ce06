"""Times calls and their parts, as in parts.mjs: ``python -m end_to_end.parts <size> <rounds> <rounds before>``."""

import asyncio
import gc
import hashlib
import inspect
import json
import sys
import time
from functools import partial

from toolshape import Archive, Shaper

from end_to_end.rows import SIZES, rows_of, version_of
from end_to_end.servers import BUDGET
from end_to_end.stores import STORES, new_store

TTL = 60
SCHEMA = {
    "type": "object",
    "properties": {"items": {"type": "array", "items": {"type": "object"}}},
    "required": ["items"],
}


def dumps(value):
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False)


def block(text):
    return {"type": "text", "text": text}


class Inputs:
    """What the works are given in each version."""

    def __init__(self, count):
        self.rows = rows_of(count)

    def list(self, version):
        """Rows as most tools return them."""
        return version_of(self.rows, version)

    def value(self, version):
        """The rows in an object, as APIs have them and structured content has to be."""
        return {"items": self.list(version)}

    def text(self, version):
        return dumps(self.list(version))

    def envelope(self, version):
        return dumps(self.value(version))

    def one(self, version):
        return {"content": [block(self.text(version))]}

    def both(self, version):
        value = self.value(version)
        return {"content": [block(dumps(value))], "structuredContent": value}

    def thirds(self, version):
        third = len(self.rows) // 3
        parts = [self.rows[:third], self.rows[third : 2 * third], self.rows[2 * third :]]
        return [version_of(part, f"{version}.{nth}") for nth, part in enumerate(parts)]

    def three_lists(self, version):
        """The object that three texts are shown as."""
        return dumps({f"text {nth}": part for nth, part in enumerate(self.thirds(version), 1)})

    def three(self, version):
        return {"content": [block(dumps(part)) for part in self.thirds(version)]}

    def named(self, version):
        return hashlib.sha256(str(version).encode()).hexdigest() + ".json", self.text(version)


def contenders(size):
    """Parts and whole calls: of each its name, its input and the function to time."""
    inputs = Inputs(SIZES[size])
    plain, preserving = Shaper(max_tokens=BUDGET), Shaper(max_tokens=BUDGET, schema="preserve")
    yield "JSON.stringify", inputs.list, dumps
    yield "SHA-256", inputs.text, lambda text: hashlib.sha256(text.encode()).hexdigest()
    for place in ["no store", *STORES]:
        store = None if place == "no store" else new_store(place)
        if store is not None:
            yield f"set, {place}", inputs.named, lambda given, store=store: store.set(*given, TTL)
        by = plain if store is None else Archive(plain, store)
        keeping = preserving if store is None else Archive(preserving, store)
        # What an adapter says with every call of a tool that promises a schema.
        tool = {"name": "list_orders", "inputSchema": {"type": "object"}, "outputSchema": SCHEMA}
        widened, preserved = (each.plan(tool, has_store=store is not None)["call"] for each in (plain, preserving))
        yield f"shapeJson, {place}", inputs.text, by.shape_json
        yield f"shapeJson of an envelope, {place}", inputs.envelope, by.shape_json
        yield f"shapeJson of three lists, {place}", inputs.three_lists, by.shape_json
        yield f"shape, {place}", inputs.list, by.shape
        yield f"a text, {place}", inputs.one, by.shape_result
        yield f"a text and structured, {place}", inputs.both, by.shape_result
        yield f"three texts, {place}", inputs.three, by.shape_result
        yield f"output schema, widened, {place}", inputs.both, partial(by.shape_result, **widened)
        yield f"output schema, preserved, {place}", inputs.both, partial(keeping.shape_result, **preserved)


async def timed(size, rounds, before):
    """Processor time of the process, in milliseconds. Nobody is given the same text twice."""
    runs = list(contenders(size))
    milliseconds, version = {name: [] for name, _, _ in runs}, 0
    gc.collect()
    gc.freeze()
    for turn in range(-int(before), int(rounds)):
        for name, make, run in runs:
            version += 1
            given = make(version)
            gc.collect()
            start = time.process_time()
            done = run(given)
            if inspect.isawaitable(done):
                done = await done
            took = (time.process_time() - start) * 1000
            if turn >= 0:
                milliseconds[name].append(took)
            else:
                check(name, done)
            given = done = None
    return {"size": size, "milliseconds": milliseconds}


def check(name, done):
    """A result that was not shaped, or not stored, would cost nothing."""
    if not hasattr(done, "receipt"):
        return
    text = done.text if hasattr(done, "text") else json.dumps(done.result)
    is_stored = "toolshape://result/" in text
    if not done.receipt["steps"] or is_stored == name.endswith("no store"):
        raise RuntimeError(f"{name}: {text}")


if __name__ == "__main__":
    print(json.dumps(asyncio.run(timed(*sys.argv[1:]))))
