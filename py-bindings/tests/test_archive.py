"""Archives: what a result tells of the store is true, and a store that fails does not break the tool."""

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
from async_store import KEY, ROWS, TEXT, URI, AsyncStore, kept, minified, redact, told
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
    assert key == shaped.value["filename"] and key == store.opened(told(shaped))
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
    assert not shaped.is_error and shaped.keep is None and told(shaped) is None
    assert shaped.value.get("storeFailed", shaped.value.get("_storeFailed")) == reason
    assert "secret.host" not in shaped.text and "/secret" not in shaped.text
    assert shaped.tokens == count_tokens(shaped.text) <= 800
    # As it would have been without a store, but for telling so.
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
    cursor = wait(Archive(Shaper(), AsyncStore()).shape(ROWS, tool="list")).value["nextCursor"]
    assert wait(archive.snapshot(tool="list", cursor=cursor)) is None


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

    assert told(asyncio.run(run()))
    assert store.thread is not threading.main_thread()


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
        ({"redacts": "all"}, "redacts takes effect only with redact"),
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
    takes = "; it takes a store: an object with the methods get, set and delete"
    told = f"store is {says}{takes}" if "store" in options else says
    assert refused.value.code == "INVALID_CALL" and str(refused.value) == told


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
    handles = {told(wait(archive.shape(ROWS, scope=scope))) for scope in ("mine", "yours", None)}
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
    # A store that has all of it is told of by each that has something to tell.
    assert [told(result) is not None for result in shaped] == [True, True, False, True]


def test_results_that_come_together_fit_together_though_the_store_fails() -> None:
    archive = Archive(Shaper(), AsyncStore(ConnectionError("away")))
    shaped = wait(archive.shape_together(returned(), 1500))
    assert sum(result.tokens for result in shaped) <= 1500
    assert shaped[2].value == ROWS[:3]
    for result, start in zip(shaped, ("row 0", "row 0", "row 0", "line 0")):
        assert start in result.text and "toolshape://" not in result.text
    failed = [result.value.get("storeFailed") for result in shaped if isinstance(result.value, dict)]
    assert failed == ["ConnectionError"] * 3


def test_any_part_of_what_is_kept_can_be_read() -> None:
    archive = Archive(Shaper(), AsyncStore())
    handle = kept(archive)
    for spelled in (handle, f"toolshape://result/{handle}"):
        assert wait(archive.read_result({"handle": spelled, "pointer": "/7/name"})).value == "row 7"
    found = wait(archive.read_result({"handle": handle, "jsonPath": "$[?@.id > 397].name"}))
    assert [match["value"] for match in found.value["items"]] == ["row 398", "row 399"]
    found = wait(archive.read_result({"handle": handle, "search": "sk-00000123"}))
    assert "/123/secret" in found.text and found.tokens <= 2000
    assert wait(archive.read_result({"handle": handle, "schema": True})).value["items"]["required"]
    page = wait(archive.read_result({"handle": handle, "page": 3, "pageSize": 5, "fields": ["id"]}))
    assert page.value["items"] == [{"id": i} for i in range(10, 15)]


@pytest.mark.parametrize(
    "handle", ["", "../x", "%2e%2e", "f" * 63, "F" * 64, "f" * 64 + "\0", ["f" * 64], 7, None], ids=repr
)
def test_what_is_no_handle_is_refused_in_a_result_and_the_store_is_not_asked(handle: Any) -> None:
    archive = Archive(Shaper(), AsyncStore(AssertionError("asked")), on_store_error=pytest.fail)
    shaped = wait(archive.read_result({"handle": handle}))
    assert shaped.is_error and shaped.value["error"] == "INVALID_HANDLE"
    assert wait(archive.read_result({})).value["error"] == "INVALID_HANDLE"
    if isinstance(handle, str):
        with pytest.raises(ToolshapeError) as raised:
            wait(archive.resource(handle))
        assert raised.value.code == "INVALID_HANDLE"


@pytest.mark.parametrize("fault", ["never there", "changed", "another scope", "no scope"])
def test_what_is_not_the_callers_is_not_found(fault: str) -> None:
    store = AsyncStore()
    archive = Archive(Shaper(cursor_key=KEY), store)
    handle, scope = kept(archive, scope="mine"), {"scope": "mine"}
    assert not wait(archive.read_result({"handle": handle}, **scope)).is_error
    if fault == "never there":
        handle = "0" * 64
    elif fault == "changed":
        (key,) = store.kept
        store.kept[key] += " "
    else:
        scope = {"scope": "yours"} if fault == "another scope" else {}
    shaped = wait(archive.read_result({"handle": handle}, **scope))
    assert shaped.is_error and shaped.value["error"] == "NOT_FOUND"
    assert "row" not in shaped.text
    with pytest.raises(ToolshapeError) as raised:
        wait(archive.resource(f"toolshape://result/{handle}", **scope))
    assert raised.value.code == "NOT_FOUND"


def test_a_store_that_cannot_be_read_is_told_in_a_result() -> None:
    errors: list[Exception] = []
    archive = Archive(Shaper(), AsyncStore(ConnectionError("secret.host")), on_store_error=errors.append)
    shaped = wait(archive.read_result({"handle": "0" * 64}))
    assert shaped.is_error and shaped.value["error"] == "STORE_FAILED"
    assert shaped.value["message"] == "the store cannot be read: ConnectionError" and "hint" in shaped.value
    assert isinstance(errors[0], ConnectionError)
    with pytest.raises(ToolshapeError) as raised:
        wait(archive.resource("toolshape://result/" + "0" * 64))
    assert raised.value.code == "STORE_FAILED"


def test_a_resource_is_json_or_text_and_shaped_as_any_result() -> None:
    archive = Archive(Shaper(max_tokens=500), AsyncStore())
    short = Archive(Shaper(max_tokens=400), AsyncStore())
    large = wait(archive.resource(uri := f"toolshape://result/{kept(archive)}"))
    assert large["uri"] == uri and large["mimeType"] == "application/json"
    assert json.loads(large["text"])["paginated"] and count_tokens(large["text"]) <= 500
    text = "word " * 600
    handle = told(wait(short.shape(text)))
    assert wait(short.resource(f"toolshape://result/{handle}"))["mimeType"] == "application/json"
    short._shaper = Shaper()
    assert wait(short.resource(uri := f"toolshape://result/{handle}")) == {
        "uri": uri,
        "mimeType": "text/plain",
        "text": text,
    }


def test_options_are_checked() -> None:
    for option in ("ttl_seconds", "timeout_seconds"):
        for value in (0, -1, float("inf"), "60", None):
            with pytest.raises(ToolshapeError) as raised:
                Archive(Shaper(), MemoryStore(), **{option: value})  # type: ignore[arg-type]
            assert (raised.value.code, raised.value.path) == ("INVALID_CALL", f"/{option}")


def test_a_file_store_serves_another_process(tmp_path: Path) -> None:
    first = wait(Archive(Shaper(), FileStore(tmp_path / "s")).shape(ROWS, tool="list"))
    later = Archive(Shaper(), FileStore(tmp_path / "s"))
    second = wait(later.snapshot(tool="list", cursor=first.value["nextCursor"]))
    assert second.value["source"] == "snapshot" and second.value["items"][0]["id"] == len(first.value["items"])
