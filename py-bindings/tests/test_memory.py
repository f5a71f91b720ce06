"""Memory: what a large value took is given back."""

from __future__ import annotations

import gc
import subprocess
import sys
import weakref
from typing import Any

import pytest
from toolshape import Shaper

PROGRAM = """
import gc, resource, sys
from toolshape import Shaper

def megabytes():
    with open("/proc/self/statm") as statm:
        return int(statm.read().split()[1]) * resource.getpagesize() / 1e6

def peak():
    # Not getrusage: its peak is carried over from the process that started this one.
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) for line in status if line.startswith("VmHWM:")) * 1024 / 1e6

shaper = Shaper()
# With the vocabulary, which is read at the first count.
shaper.shape([1]).tokens
before = megabytes()
work = {
    "text": lambda: shaper.shape("größe und text\\n" * 6_500_000),
    "json": lambda: shaper.shape_json("[" + ",".join(['{"id":1234567,"name":"some row"}'] * 3_000_000) + "]"),
    "left alone": lambda: Shaper(tools={"x": False}).shape(["some text " * 10] * 1_000_000, tool="x"),
}[sys.argv[1]]
work()
gc.collect()
shaper.shape([1])
print(before, megabytes(), peak())
"""


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
@pytest.mark.parametrize("work", ["text", "json", "left alone"])
def test_after_100_mb_the_process_is_back_where_it_was(work: str) -> None:
    done = subprocess.run([sys.executable, "-c", PROGRAM, work], capture_output=True, text=True, check=True)
    before, after, peak = map(float, done.stdout.split())
    print(f"{work}: {before:.0f} MB before, {peak:.0f} MB at the most, {after:.0f} MB after")
    assert after < before + 20
    assert peak < before + 100 * 4


RESULT = """
import asyncio, resource, sys
from toolshape import Archive, MemoryStore, Shaper

def peak():
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) for line in status if line.startswith("VmHWM:")) * 1024 / 1e6

archive = Archive(Shaper(), MemoryStore(max_bytes=2**30, max_value_bytes=2**30))
asyncio.run(archive.shape_json("[" + "1," * 5000 + "1]"))
before = peak()
text = "".join(["[", '{"id":1234567,"name":"some row"},' * 3_000_000, "1]"])
# The peak from here on.
with open("/proc/self/clear_refs", "w") as refs:
    refs.write("5")
shaped = asyncio.run(archive.shape_result({"content": [{"type": "text", "text": text}]}))
assert shaped.keep.content is text
print(len(text) / 1e6, peak() - before)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_a_result_of_100_mb_passes_within_two_and_a_half_times_its_size() -> None:
    done = subprocess.run([sys.executable, "-c", RESULT], capture_output=True, text=True, check=True)
    size, peak = map(float, done.stdout.split())
    print(f"{size:.0f} MB: {peak:.0f} MB at the most")
    assert peak < 2.5 * size


class Node:
    """Something with a weak reference, to see it go."""

    def __init__(self) -> None:
        self.rows: list[Any] = []

    def tolist(self) -> list[Any]:
        return [1]


def test_a_result_keeps_its_value_alive_no_longer_than_itself() -> None:
    node = Node()
    shaped = Shaper().shape(node)
    alive = weakref.ref(node)
    assert shaped.value is node
    # A cycle through the result is found by the collector.
    node.rows.append(shaped)
    del node, shaped
    gc.collect()
    assert alive() is None


def test_faults_and_iterators_leave_nothing_behind() -> None:
    node = Node()
    alive = weakref.ref(node)
    with pytest.raises(Exception, match="object has no JSON form"):
        Shaper().shape([iter([node]), node, object()])
    del node
    gc.collect()
    assert alive() is None
