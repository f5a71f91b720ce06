"""The file store among others: many writers, sweeps, links and whatever else is in its folder."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
from toolshape import FileStore, ToolshapeError

MARKER = ".toolshape-store"
A, B, C = (digit * 64 + ".json" for digit in "abc")
CONTENT = "".join(f"line {i} of a long text\n" for i in range(40_000))

WRITERS = """
import sys, threading
from pathlib import Path
from toolshape import FileStore

folder, key, go = sys.argv[1:]
content = "".join(f"line {i} of a long text\\n" for i in range(40_000))
store = FileStore(folder)
ready = threading.Barrier(11)

def write():
    ready.wait()
    store.set(key, content, 60)

threads = [threading.Thread(target=write) for _ in range(10)]
for thread in threads:
    thread.start()
print("ready", flush=True)
sys.stdin.readline()
ready.wait()
for thread in threads:
    thread.join()
"""


def names(folder: Path) -> list[str]:
    """What is in a store's folder, except what marks it."""
    return sorted(set(os.listdir(folder)) - {MARKER})


def test_a_hundred_writers_make_one_file_and_no_reader_sees_half(tmp_path: Path) -> None:
    folder = tmp_path / "store"
    command = [sys.executable, "-c", WRITERS, str(folder), A, ""]
    writers = [subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) for _ in range(10)]
    store, done, read = FileStore(folder), threading.Event(), {None: 0, CONTENT: 0}
    halves = []

    def look() -> None:
        while not done.is_set():
            found = store.get(A)
            halves.extend([found] if found not in read else [])
            read[found if found in read else None] += 1

    readers = [threading.Thread(target=look) for _ in range(3)]
    sweeper = threading.Thread(target=lambda: [store.sweep() for _ in iter(done.is_set, True)])
    for writer in writers:
        assert writer.stdout and writer.stdout.readline() == "ready\n"
    for thread in [*readers, sweeper]:
        thread.start()
    for writer in writers:
        assert writer.stdin
        writer.stdin.write("go\n")
        writer.stdin.flush()
    for writer in writers:
        writer.communicate(timeout=60)
        assert writer.returncode == 0
    deadline = time.monotonic() + 10
    while not read[CONTENT] and time.monotonic() < deadline:
        time.sleep(0.01)
    done.set()
    for thread in [*readers, sweeper]:
        thread.join()
    assert names(folder) == [A]
    assert (folder / A).read_text("utf-8") == CONTENT
    assert not halves and read[CONTENT] > 0


def expire(file: Path) -> None:
    os.utime(file, (0, time.time() - 1))


def test_writers_and_sweeps_lose_nothing(tmp_path: Path) -> None:
    folder = tmp_path / "store"
    store, done = FileStore(folder), threading.Event()
    sweepers = [threading.Thread(target=lambda: [store.sweep() for _ in iter(done.is_set, True)]) for _ in range(3)]
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    for sweeper in sweepers:
        sweeper.start()
    keys, lost = [f"{i:064x}.json" for i in range(100)], []
    try:
        for key in keys:
            store.set(key, "[1]", 60)
            expire(folder / key)
            store.set(key, "[1]", 60)
            # A sweep that took it by mistake puts it back at once, or when its thread gets on.
            deadline = time.monotonic() + 10
            while (found := store.get(key)) is None and time.monotonic() < deadline:
                time.sleep(0.001)
            lost += [] if found == "[1]" else [key]
    finally:
        done.set()
        sys.setswitchinterval(interval)
        for sweeper in sweepers:
            sweeper.join()
    assert lost == []
    assert names(folder) == keys


def test_a_sweep_removes_by_age_then_by_size_and_nothing_of_others(tmp_path: Path) -> None:
    store = FileStore(tmp_path / "store", max_bytes=100)
    folder = tmp_path / "store"
    store.set(A, "x" * 40, 30)
    store.set(B, "y" * 40, 20)
    others = ["notes.txt", "a.json", f"{'a' * 63}.json", ".hidden"]
    for name in others:
        (folder / name).write_text("z" * 500)
    fresh, old = folder / f".{'1' * 32}.part", folder / f".{'2' * 32}.part"
    fresh.write_text("half")
    old.write_text("half")
    store.sweep()
    assert {A, B, fresh.name, old.name, *others} == set(names(folder))
    expire(folder / A)
    store.sweep()
    assert A not in names(folder) and B in names(folder)
    store.set(A, "x" * 40, 30)
    (folder / C).write_text("w" * 40)
    # Twenty seconds before A, and of the same owner, whose number is in the last digits.
    os.utime(folder / C, ns=(0, (folder / A).stat().st_mtime_ns - 20 * 10**9))
    store.sweep()
    assert (store.get(A), store.get(B), store.get(C)) == ("x" * 40, "y" * 40, None)
    assert set(others) < set(names(folder))


def test_the_same_again_lives_longer_and_never_shorter(tmp_path: Path) -> None:
    folder = tmp_path / "store"
    store = FileStore(folder)
    store.set(A, "[1]", 100)
    first = (folder / A).stat()
    store.set(A, "[1]", 10)
    assert (folder / A).stat().st_mtime == first.st_mtime
    store.set(A, "[1]", 1000)
    later = (folder / A).stat()
    assert later.st_mtime - first.st_mtime == pytest.approx(900, abs=5)
    assert later.st_ino == first.st_ino and time.time() - later.st_atime < 5
    # Other content under the name is not what the name means: it is replaced, and its times are ignored.
    store.set(A, "[2]", 10)
    assert store.get(A) == "[2]"
    assert (folder / A).stat().st_mtime < first.st_mtime


@pytest.mark.skipif(os.name != "posix", reason="plants what Windows has not")
@pytest.mark.parametrize("plant", ["symlink", "dangling", "hard link", "folder", "pipe"])
def test_what_is_planted_under_a_name_is_not_read_and_not_written_through(plant: str, tmp_path: Path) -> None:
    folder, victim = tmp_path / "store", tmp_path / "victim.json"
    store = FileStore(folder)
    store.set(B, "[]", 60)
    victim.write_text('"of another"')
    os.utime(victim, (0, time.time() + 1000))
    planted = folder / A
    if plant == "symlink":
        planted.symlink_to(victim)
    elif plant == "dangling":
        planted.symlink_to(tmp_path / "nowhere")
    elif plant == "hard link":
        planted.hardlink_to(victim)
    elif plant == "folder":
        planted.mkdir()
    else:
        os.mkfifo(planted)
    assert store.get(A) is None
    store.sweep()
    if plant == "folder":
        with pytest.raises(ToolshapeError, match="Is a directory"):
            store.set(A, "[1]", 60)
        assert store.get(A) is None
    else:
        store.set(A, "[1]", 60)
        assert store.get(A) == "[1]"
        assert planted.is_file() and not planted.is_symlink() and planted.stat().st_nlink == 1
    assert victim.read_text() == '"of another"'
    assert not (tmp_path / "nowhere").exists()
    assert names(folder) == [A, B]


@pytest.mark.skipif(os.name != "posix", reason="modes are POSIX's")
@pytest.mark.parametrize("fault", ["linked", "open", "a file"])
def test_a_folder_that_is_not_ours_alone_is_refused_and_left_as_it_was(fault: str, tmp_path: Path) -> None:
    folder = tmp_path / "store"
    store = FileStore(folder)
    shutil.rmtree(folder)
    if fault == "linked":
        (tmp_path / "elsewhere").mkdir(mode=0o700)
        folder.symlink_to(tmp_path / "elsewhere")
    elif fault == "open":
        folder.mkdir()
        folder.chmod(0o755)
    else:
        folder.write_text("here")
    for attempt in (lambda: FileStore(folder), lambda: store.set(A, "[1]", 60), lambda: store.get(A), store.sweep):
        with pytest.raises(ToolshapeError) as raised:
            attempt()
        assert raised.value.code == "STORE_FAILED"
        assert str(tmp_path) not in str(raised.value)
    if fault == "linked":
        assert names(tmp_path / "elsewhere") == []
    elif fault == "open":
        assert folder.stat().st_mode & 0o777 == 0o755 and names(folder) == []


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root can give a folder away")
def test_a_folder_of_another_user_is_refused(tmp_path: Path) -> None:
    folder = tmp_path / "store"
    folder.mkdir(mode=0o700)
    os.chown(folder, 12345, 12345)
    with pytest.raises(ToolshapeError, match="another user"):
        FileStore(folder).set(A, "[1]", 60)
    os.chown(folder, 0, 0)
    store = FileStore(folder)
    store.set(A, "[1]", 60)
    os.chown(folder / A, 12345, 12345)
    assert store.get(A) is None


def test_a_folder_that_vanishes_is_made_again(tmp_path: Path) -> None:
    folder = tmp_path / "store"
    store = FileStore(folder)
    shutil.rmtree(folder)
    store.sweep()
    store.delete(A)
    store.set(A, "[1]", 60)
    shutil.rmtree(folder)
    assert store.get(A) is None
    store.set(A, "[1]", 60)
    assert store.get(A) == "[1]"


def test_a_tilde_is_the_users_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    FileStore("~/results").set("0" * 64 + ".txt", "a", 60)
    assert (tmp_path / "results" / ("0" * 64 + ".txt")).read_text() == "a"
    assert not (tmp_path / "~").exists()
