"""Threads: they share a shaper, and do not wait for one another's long texts."""

from __future__ import annotations

import json
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from toolshape import Shaper, ToolshapeError, count_tokens

SHAPER = Shaper(max_tokens=1000, tools={"small": {"max_tokens": 300}})


def longest_gap_while(work: Any) -> tuple[float, float]:
    """The longest time that another thread stood still while this one worked, and how long that took."""
    gap, running = 0.0, threading.Event()
    done = False

    def tick() -> None:
        nonlocal gap
        last = time.perf_counter()
        running.set()
        while not done:
            now = time.perf_counter()
            gap, last = max(gap, now - last), now
            time.sleep(0.0005)

    thread = threading.Thread(target=tick)
    thread.start()
    running.wait()
    start = time.perf_counter()
    work()
    took = time.perf_counter() - start
    done = True
    thread.join()
    return gap, took


@pytest.mark.parametrize("work", ["shape_json", "count_tokens"])
def test_other_threads_go_on_while_a_long_text_is_read(work: str) -> None:
    row = json.dumps({"id": 12345, "text": "some words in a row"})
    text = "[" + ",".join([row] * 3_000_000) + "]"
    job = {"shape_json": lambda: SHAPER.shape_json(text), "count_tokens": lambda: count_tokens(text)}[work]
    best = min((gap / took, took) for gap, took in (longest_gap_while(job) for _ in range(3)))
    share, took = best
    assert took > 0.02, "too fast to measure"
    assert share < 0.5


def test_threads_share_one_shaper() -> None:
    rows = [{"id": i, "name": f"row {i}"} for i in range(500)]
    wanted = {page: SHAPER.shape(rows, tool="list", page=page).text for page in range(1, 26)}

    def hammer(seed: int) -> None:
        for i in range(200):
            page = (seed * 7 + i) % 25 + 1
            assert SHAPER.shape(rows, tool="list", page=page).text == wanted[page]
            assert SHAPER.shape(rows, tool="small").tokens <= 300
            if i % 10 == 0:
                with pytest.raises(ToolshapeError):
                    SHAPER.shape([object()])

    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    try:
        with ThreadPoolExecutor(8) as pool:
            list(pool.map(hammer, range(8)))
    finally:
        sys.setswitchinterval(interval)


def test_threads_share_one_result() -> None:
    shaped = SHAPER.shape([{"id": i} for i in range(500)])
    with ThreadPoolExecutor(8) as pool:
        values = list(pool.map(lambda _: shaped.value, range(64)))
        receipts = list(pool.map(lambda _: shaped.receipt, range(64)))
    assert all(value is values[0] for value in values)
    assert all(receipt is receipts[0] for receipt in receipts)
