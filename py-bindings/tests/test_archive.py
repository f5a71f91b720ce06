"""Archives: what a result says about the store is true, and a store that fails does not break the tool."""

from __future__ import annotations

import asyncio
import hashlib
import json
import random
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from async_store import KEY, ROWS, TEXT, URI, AsyncStore, minified, redact, reply
from conftest import wait
from toolshape import Archive, FileStore, MemoryStore, Shaped, Shaper, ToolshapeError, count_tokens


class SlowStore(AsyncStore):
    async def get(self, key: str) -> str | None:
        await asyncio.sleep(60)
        return None

    async def set(self, key: str, value: str, ttl_seconds: float) -> None:
        await asyncio.sleep(60)


def pages(archive: Archive, tool: Any, **call: Any) -> Iterator[dict[str, Any]]:
    """What a server does that asks the archive first, page by page, as the notes say."""
    cursor = None
    while True:
        shaped = wait(archive.snapshot(tool="list", cursor=cursor, **call))
        shaped = shaped or wait(archive.shape(tool(), tool="list", cursor=cursor, **call))
        assert not shaped.is_error, shaped.text
        yield shaped.value
        cursor = shaped.value["nextCursor"]
        if cursor is None:
            return


def test_what_fits_passes_and_is_not_kept() -> None:
    store = AsyncStore()
    rows = ROWS[:5]
    shaped = wait(Archive(Shaper(), store).shape(rows, tool="list"))
    assert shaped.value is rows and shaped.unchanged
    assert store.kept == {}


@pytest.mark.parametrize("store", [MemoryStore(), AsyncStore()], ids=["sync", "async"])
def test_pages_come_from_what_the_first_one_kept(store: Any) -> None:
    runs = 0

    def tool() -> list[Any]:
        nonlocal runs
        runs += 1
        # Everything is other by the next time.
        return [{**row, "run": runs} for row in random.Random(runs).sample(ROWS, len(ROWS))]

    archive = Archive(Shaper(max_tokens=1000), store)
    seen = list(pages(archive, tool))
    assert runs == 1
    assert [page["source"] for page in seen] == ["live"] + ["snapshot"] * (len(seen) - 1)
    assert [row["id"] for page in seen for row in page["items"]] == [
        row["id"] for row in random.Random(1).sample(ROWS, len(ROWS))
    ]


@pytest.mark.parametrize("given", [ROWS, {"all": ROWS}, TEXT, iter(ROWS)], ids=["list", "object", "text", "iterator"])
def test_what_is_offloaded_is_in_the_store_byte_for_byte(given: Any) -> None:
    store = AsyncStore()
    archive = Archive(Shaper(overflow="offload", offload_over=1000), store, ttl_seconds=77)
    shaped = wait(archive.shape(given, tool="export"))
    whole = given if isinstance(given, str) else minified(ROWS if isinstance(given, Iterator) else given)
    assert shaped.value["offloaded"] is True
    (key,) = store.kept
    assert store.kept[key] == whole and store.times == [77]
    assert key == shaped.value["filename"] and key == store.opened(reply(shaped))
    assert key.split(".")[0] == hashlib.sha256(whole.encode()).hexdigest()


def test_json_text_keeps_its_spelling_in_the_store() -> None:
    store = AsyncStore()
    given = '{"a" : [' + ", ".join(["1.0", "-0", "1E2", "9007199254740993"] * 500) + '] ,"__proto__":1}'
    wait(Archive(Shaper(overflow="offload", offload_over=1000), store).shape_json(given, tool="export"))
    assert list(store.kept.values()) == [given.replace(" ", "")]


FAULTS: dict[str, tuple[Exception, str]] = {
    "ours": (ToolshapeError("the value has 7 bytes", "STORE_FAILED"), "the value has 7 bytes"),
    "the system's": (OSError(28, "disk full", "/secret/path"), "No space left on device"),
    "another's": (ConnectionError("secret.host refused"), "ConnectionError"),
    "no number": (OSError("secret"), "OSError"),
}


@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize("given", [ROWS, {"all": ROWS}, TEXT, iter(ROWS)], ids=["list", "object", "text", "iterator"])
@pytest.mark.parametrize("overflow", ["shape", "offload"])
def test_a_store_that_fails_is_told_of_and_the_result_comes_all_the_same(given: Any, fault: str, overflow: Any) -> None:
    error, reason = FAULTS[fault]
    errors: list[Exception] = []
    shaper = Shaper(max_tokens=800, overflow=overflow, offload_over=1000)
    archive = Archive(shaper, AsyncStore(error), on_store_error=errors.append)
    if isinstance(given, Iterator):
        given = iter(ROWS)
    shaped = wait(archive.shape(given, tool="list"))
    assert errors == [error]
    assert not shaped.is_error and shaped.keep is None and reply(shaped) is None
    assert shaped.value.get("storeFailed", shaped.value.get("_storeFailed")) == reason
    assert "secret.host" not in shaped.text and "/secret" not in shaped.text
    assert shaped.tokens == count_tokens(shaped.text) <= 800
    # As it would have been without a store, except for telling so.
    if overflow == "shape" and not isinstance(given, Iterator):
        assert shaped.text == shaper.shape(given, tool="list", store_failure=reason).text
    assert "row 0" in shaped.text or "line 0" in shaped.text


def test_a_value_too_large_for_the_store_is_told() -> None:
    archive = Archive(Shaper(), MemoryStore(max_bytes=1000))
    shaped = wait(archive.shape(ROWS, tool="list"))
    assert "more than the 1000 of the whole store" in shaped.value["storeFailed"]


def test_a_store_that_is_slow_has_failed() -> None:
    archive = Archive(Shaper(), SlowStore(), timeout_seconds=0.05)
    shaped = wait(archive.shape(ROWS, tool="list"))
    assert shaped.value["storeFailed"] == "the store did not answer within 0.05 seconds"
    archive = Archive(Shaper(), SlowStore(), timeout_seconds=0.05)
    cursor = wait(Archive(Shaper(), AsyncStore()).shape(ROWS, tool="list")).value["nextCursor"]
    assert wait(archive.snapshot(tool="list", cursor=cursor)) is None


class Hanging(AsyncStore):
    """Hangs on request, and counts how often it is asked."""

    def __init__(self) -> None:
        super().__init__()
        self.asked, self.hangs = 0, True

    async def get(self, key: str) -> str | None:
        self.asked += 1
        await asyncio.sleep(60 if self.hangs else 0)
        return await super().get(key)

    async def set(self, key: str, value: str, ttl_seconds: float) -> None:
        self.asked += 1
        await asyncio.sleep(60 if self.hangs else 0)
        await super().set(key, value, ttl_seconds)


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The time by which a store is left alone."""
    now = [0.0]
    monkeypatch.setattr("toolshape._breaker.monotonic", lambda: now[0])
    return now


def test_a_store_that_hangs_is_left_alone_for_a_while(clock: list[float]) -> None:
    store, errors = Hanging(), list[Exception]()
    archive = Archive(Shaper(), store, timeout_seconds=1, on_store_error=errors.append)
    paused = "the store did not answer a short while ago, and is tried again after 10 seconds"

    async def run() -> None:
        first = await archive.shape(ROWS, tool="list")
        assert first.value["storeFailed"] == "the store did not answer within 1 seconds"
        for _ in range(5):
            assert (await archive.shape(ROWS, tool="list")).value["storeFailed"] == paused
        read = await archive.read_result({"handle": "a" * 16})
        assert read.is_error and paused in read.text
        # To store the content, and to read the ticket.
        assert store.asked == 2 and [str(error) for error in errors[1:]] == [paused] * 6
        clock[0] += 10
        # Of those that come together after the pause one tries; it finds that the store still hangs.
        again = await asyncio.gather(*(archive.shape(ROWS, tool="list") for _ in range(5)))
        reasons = [one.value["storeFailed"] for one in again]
        assert sorted(reasons) == sorted([paused] * 4 + ["the store did not answer within 1 seconds"])
        assert store.asked == 3
        clock[0] += 10
        store.hangs = False
        assert reply(await archive.shape(ROWS, tool="list"))
        assert all([reply(one) for one in await asyncio.gather(*(archive.shape(ROWS, tool="list") for _ in range(5)))])

    asyncio.run(run())


def test_a_client_with_a_time_limit_of_its_own_hangs_too(clock: list[float]) -> None:
    class Client(AsyncStore):
        async def set(self, key: str, value: str, ttl_seconds: float) -> None:
            clock[0] += 0.6
            raise ConnectionError("Timeout reading from secret.host")

    archive = Archive(Shaper(), Client())
    output_text = [wait(archive.shape(ROWS, tool="list")).value["storeFailed"] for _ in range(2)]
    assert output_text == [
        "ConnectionError",
        "the store did not answer a short while ago, and is tried again after 10 seconds",
    ]


def test_a_store_that_answers_is_asked_each_time() -> None:
    refusing, hanging = AsyncStore(ConnectionError()), Hanging()
    for archive, output_text in [
        (Archive(Shaper(), refusing), "ConnectionError"),
        # Its own, and not that of the time limit.
        (Archive(Shaper(), AsyncStore(TimeoutError())), "TimeoutError"),
        (
            Archive(Shaper(), hanging, timeout_seconds=0.02, pause_seconds=0),
            "the store did not answer within 0.02 seconds",
        ),
    ]:
        assert [wait(archive.shape(ROWS, tool="list")).value["storeFailed"] for _ in range(3)] == [output_text] * 3
    assert hanging.asked == 6


class Blocking(MemoryStore):
    """Stands still, as a disk may, until it is let go; and says in which thread."""

    def __init__(self) -> None:
        super().__init__()
        self.go = threading.Event()
        self.thread: threading.Thread | None = None

    def set(self, key: str, value: str, ttl_seconds: float) -> None:
        self.thread = threading.current_thread()
        self.go.wait(10)
        super().set(key, value, ttl_seconds)


def test_other_calls_go_on_while_a_store_works() -> None:
    store = Blocking()

    async def run() -> Shaped:
        call = asyncio.create_task(Archive(Shaper(), store).shape(ROWS, tool="list"))
        await asyncio.sleep(0.05)
        assert not call.done()
        store.go.set()
        return await call

    assert reply(asyncio.run(run()))
    assert store.thread is not threading.main_thread()


def test_a_store_in_memory_is_asked_without_a_thread() -> None:
    async def run(store: MemoryStore) -> bool:
        assert reply(await Archive(Shaper(), store).shape(ROWS, tool="list"))
        return any(thread.name.startswith("asyncio_") for thread in threading.enumerate())

    derived = Blocking()
    derived.go.set()
    assert [asyncio.run(run(store)) for store in (MemoryStore(), derived)] == [False, True]


def test_a_long_text_is_shaped_in_a_thread_and_a_short_one_is_not() -> None:
    async def run(length: int) -> bool:
        text = json.dumps(["word " * 20] * (length // 100))
        assert reply(await Archive(Shaper(), MemoryStore()).shape_json(text, tool="list"))
        return any(thread.name.startswith("asyncio_") for thread in threading.enumerate())

    assert [asyncio.run(run(length)) for length in (350_000, 3_500_000)] == [False, True]


def test_a_call_can_be_cancelled() -> None:
    async def run() -> None:
        call = asyncio.create_task(Archive(Shaper(), SlowStore()).shape(ROWS, tool="list"))
        await asyncio.sleep(0.05)
        call.cancel()
        with pytest.raises(asyncio.CancelledError):
            await call

    asyncio.run(run())


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"redact": "secret"}, "redact is of type str; it takes a function"),
        ({"redact": str}, "redact is the class str, not an instance of it; it takes a function"),
        ({"redacts": "all"}, "redacts requires redact"),
        ({"redact": redact, "redacts": "some"}, 'redacts is "some"; it takes "stored" or "all"'),
        ({"on_store_error": []}, "on_store_error is of type list; it takes a function"),
        ({"store": {}}, "of type dict without set, delete"),
        ({"store": object()}, "of type object without get, set, delete"),
        ({"store": AsyncStore}, "the class AsyncStore, not an instance of it"),
    ],
)
def test_an_archive_refuses_what_an_option_does_not_take(options: dict[str, Any], says: str) -> None:
    given = {"store": AsyncStore(), **options}
    with pytest.raises(ToolshapeError) as refused:
        Archive(Shaper(), given.pop("store"), **given)
    takes = "; it takes a store: an object with the methods get, set and delete, as a FileStore has"
    reply = f"store is {says}{takes}" if "store" in options else says
    assert refused.value.code == "INVALID_CALL" and str(refused.value) == reply


def test_a_hook_that_raises_breaks_nothing() -> None:
    def hook(error: Exception) -> None:
        raise RuntimeError("in the hook")

    archive = Archive(Shaper(), AsyncStore(OSError(5, "x")), on_store_error=hook)
    assert wait(archive.shape(ROWS, tool="list")).value["storeFailed"] == "Input/output error"


@pytest.mark.parametrize("fault", ["gone", "changed", "another scope", "away", "bytes"])
def test_a_snapshot_that_cannot_be_had_lets_the_tool_run(fault: str) -> None:
    store, errors = AsyncStore(), list[Exception]()
    archive = Archive(Shaper(cursor_key=KEY), store, on_store_error=errors.append)
    first = wait(archive.shape(ROWS, tool="list", scope="mine"))
    call = {"tool": "list", "cursor": first.value["nextCursor"], "scope": "mine"}
    assert wait(archive.snapshot(**call)).value["source"] == "snapshot"
    (key,) = store.kept
    if fault == "gone":
        store.kept.clear()
    elif fault == "changed":
        store.kept[key] = store.kept[key].replace("row 50", "row 51")
    elif fault == "another scope":
        call["scope"] = "yours"
    elif fault == "away":
        store.fail = ConnectionError("away")
    else:
        store.kept[key] = store.kept[key].encode()  # type: ignore[assignment]
    assert wait(archive.snapshot(**call)) is None
    assert len(errors) == (1 if fault in ("away", "bytes") else 0)
    store.fail = None
    shaped = wait(archive.shape(ROWS, **call))
    if fault == "another scope":
        assert shaped.is_error and shaped.value["error"] == "INVALID_CURSOR"
    else:
        assert shaped.value["source"] == "live" and shaped.value["page"] == 2


def test_scopes_need_a_key_and_keep_apart() -> None:
    with pytest.raises(ToolshapeError) as raised:
        wait(Archive(Shaper(), AsyncStore()).shape(ROWS, scope="mine"))
    assert (raised.value.code, raised.value.path) == ("INVALID_CALL", "/scope")
    store = AsyncStore()
    archive = Archive(Shaper(cursor_key=KEY), store)
    handles = {reply(wait(archive.shape(ROWS, scope=scope))) for scope in ("mine", "yours", None)}
    assert len(handles) == 3 and len(store.kept) == 3


def test_what_was_not_stored_is_never_told_of() -> None:
    """A store that fails at random: whatever a result names is there."""
    rng = random.Random(1)

    class Unreliable(AsyncStore):
        async def set(self, key: str, value: str, ttl_seconds: float) -> None:
            if rng.random() < 0.5:
                raise OSError(rng.choice([5, 28, 122]), "x")
            await super().set(key, value, ttl_seconds)

    named = 0
    for i in range(200):
        store = Unreliable()
        shaper = Shaper(
            max_tokens=rng.choice([200, 500, 2000]), overflow=rng.choice(["shape", "offload"]), offload_over=3000
        )
        given = rng.choice([ROWS, {"all": ROWS}, TEXT, {"a": TEXT, "b": ROWS}, [TEXT] * 3])
        shaped = wait(Archive(shaper, store).shape(given, tool="list", arguments={"i": i}))
        for handle in URI.findall(shaped.text):
            assert store.opened(handle) in store.kept
            named += 1
        if not store.kept:
            assert "toreFailed" in shaped.text and "toolshape://" not in shaped.text
    assert named > 50


def returned() -> list[Any]:
    """What three tools returned together, one of them what can be read once."""
    return [
        {"json": minified(ROWS), "call": {"tool": "large"}},
        {"value": iter(ROWS[:100]), "call": {"tool": "middle"}},
        {"value": ROWS[:3], "call": {"tool": "small"}},
        {"value": TEXT},
    ]


@pytest.mark.parametrize("hook", [None, redact])
def test_results_that_come_together_fit_together_and_are_kept(hook: Any) -> None:
    store = AsyncStore()
    shaped = wait(Archive(Shaper(), store, redact=hook).shape_together(returned(), 1500))
    assert sum(result.tokens for result in shaped) <= 1500
    assert shaped[2].value == ROWS[:3]
    wholes = [minified(ROWS), minified(ROWS[:100]), TEXT]
    assert set(store.kept.values()) == {hook(whole) if hook else whole for whole in wholes}
    for result in shaped:
        assert all(store.opened(handle) in store.kept for handle in URI.findall(result.text))
    # Each result that leaves something out names the store that has all of it.
    assert [reply(result) is not None for result in shaped] == [True, True, False, True]


def test_results_that_come_together_fit_together_though_the_store_fails() -> None:
    archive = Archive(Shaper(), AsyncStore(ConnectionError("away")))
    shaped = wait(archive.shape_together(returned(), 1500))
    assert sum(result.tokens for result in shaped) <= 1500
    assert shaped[2].value == ROWS[:3]
    for result, start in zip(shaped, ("row 0", "row 0", "row 0", "line 0")):
        assert start in result.text and "toolshape://" not in result.text
    failed = [result.value.get("storeFailed") for result in shaped if isinstance(result.value, dict)]
    assert failed == ["ConnectionError"] * 3


def test_options_are_checked() -> None:
    for option in ("ttl_seconds", "timeout_seconds"):
        for value in (0, -1, float("inf"), "60", None):
            with pytest.raises(ToolshapeError) as raised:
                Archive(Shaper(), MemoryStore(), **{option: value})  # type: ignore[arg-type]
            assert (raised.value.code, raised.value.path) == ("INVALID_CALL", f"/{option}")
    with pytest.raises(ToolshapeError, match="pause_seconds is -1; it takes a number from 0"):
        Archive(Shaper(), MemoryStore(), pause_seconds=-1)


def test_a_file_store_serves_another_process(tmp_path: Path) -> None:
    first = wait(Archive(Shaper(), FileStore(tmp_path / "s")).shape(ROWS, tool="list"))
    later = Archive(Shaper(), FileStore(tmp_path / "s"))
    second = wait(later.snapshot(tool="list", cursor=first.value["nextCursor"]))
    assert second.value["source"] == "snapshot" and second.value["items"][0]["id"] == len(first.value["items"])


def test_a_result_of_several_that_has_another_key_is_refused() -> None:
    # Its cursors would belong to no tool.
    given: Any = [{"value": [1]}, {"value": [1], "tool": "x"}]
    for shape in [
        Shaper().shape_together,
        lambda results: wait(Archive(Shaper(), MemoryStore()).shape_together(results)),
    ]:
        with pytest.raises(ToolshapeError, match="call: { tool") as raised:
            shape(given)
        assert (raised.value.code, raised.value.path) == ("INVALID_CALL", "/1/tool")


def test_images_are_stored_next_to_the_text_that_is_shortened_and_read_as_blocks() -> None:
    archive = Archive(Shaper(max_tokens=800, images=1), AsyncStore())
    shots = [{"type": "image", "data": f"AAA{at}", "mimeType": "image/png"} for at in range(3)]
    returned = {"content": [{"type": "text", "text": minified(ROWS)}, *shots]}
    text, first, note = wait(archive.shape_result(returned, tool="shots")).result["content"]
    left_out = json.loads(note["text"])
    assert first == shots[0] and left_out["imagesLeftOut"] == 2
    read = wait(archive.read_result({"handle": left_out["uri"], "pointer": "/1"}))
    assert json.loads(read.image) == shots[2]
    rows = wait(archive.read_result({"handle": json.loads(text["text"])["uri"], "pointer": "/399"}))
    assert rows.value["id"] == 399
