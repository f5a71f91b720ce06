"""The file store touches nothing of others, and says in the folder whose it is."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import machine
import pytest
from toolshape import FileStore, ToolshapeError

MARKER = ".toolshape-store"
MARKER_TEXT = b"""\
toolshape: a store of results, layout 1

Files here are deleted when they expire, or when they are too large together. Keep nothing else in this folder.
"""
A = "a" * 64 + ".json"

pytestmark = pytest.mark.skipif(os.name != "posix", reason="plants what Windows has not")


def old_results(folder: Path) -> None:
    (folder / A).write_text("[1]")
    (folder / f".{'0' * 32}.part").write_text("x")
    (folder / ("b" * 64 + ".json")).symlink_to("/etc/hostname")
    os.utime(folder / A, (0, 0))


def marked(folder: Path, content: str) -> None:
    (folder / MARKER).write_text(content)


FILLS: dict[str, Callable[[Path], object]] = {
    "files": lambda folder: (folder / "thesis.tex").write_text("x"),
    "a hidden file": lambda folder: (folder / ".bashrc").write_text("x"),
    "a folder": lambda folder: (folder / "photos").mkdir(),
    "results of an older version": old_results,
    "a linked marker": lambda folder: (folder / MARKER).symlink_to("/nowhere"),
    "a marker that is a folder": lambda folder: (folder / MARKER).mkdir(),
    "another marker": lambda folder: marked(folder, "a store of wine\n"),
    "a longer marker": lambda folder: marked(folder, MARKER_TEXT.decode() + "more"),
}


def picture(folder: Path) -> list[object]:
    return [
        (name, (found := os.lstat(folder / name)).st_mode, found.st_mtime_ns) for name in sorted(os.listdir(folder))
    ]


@pytest.mark.parametrize("what", FILLS)
def test_a_folder_of_another_use_is_refused_and_left_as_it_is(what: str, tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    folder.mkdir(mode=0o700)
    FILLS[what](folder)
    before = picture(folder)
    store = FileStore(tmp_path / "store")
    (tmp_path / "store" / MARKER).unlink()
    (tmp_path / "store").rmdir()
    folder.rename(tmp_path / "store")
    folder = tmp_path / "store"
    works = (
        lambda: FileStore(folder),
        lambda: store.get(A),
        lambda: store.set(A, "[]", 60),
        lambda: store.delete(A),
        store.sweep,
    )
    for work in works:
        with pytest.raises(
            ToolshapeError, match="is not a store's: .*; name a new or empty folder, or empty this one$"
        ) as raised:
            work()
        assert raised.value.code == "STORE_FAILED"
    assert picture(folder) == before


@pytest.mark.parametrize("part", [b"", MARKER_TEXT[:50]])
def test_a_marker_whose_writer_was_killed_is_written_again(part: bytes, tmp_path: Path) -> None:
    FileStore(tmp_path / "store")
    (tmp_path / "store" / MARKER).write_bytes(part)
    assert FileStore(tmp_path / "store").get(A) is None
    assert (tmp_path / "store" / MARKER).read_bytes() == MARKER_TEXT
    assert (tmp_path / "store" / MARKER).stat().st_mode & 0o777 == 0o600


def test_both_languages_mark_a_folder_alike(tmp_path: Path) -> None:
    FileStore(tmp_path / "store")
    assert (tmp_path / "store" / MARKER).read_bytes() == MARKER_TEXT
    source = Path(__file__).parents[2] / "pkg-templates/src/stores/marker.ts"
    text = source.read_text("utf-8")
    found = re.search(r"MARKER_TEXT = `(.*?)`", text, re.DOTALL)
    assert found and found[1].encode() == MARKER_TEXT and f'MARKER = "{MARKER}"' in text


@machine.needed
def test_a_folder_that_one_language_marked_the_other_uses(tmp_path: Path) -> None:
    with machine.node_store("files", tmp_path / "node") as node:
        node.set(A, "[1]")
        assert FileStore(tmp_path / "node").get(A) == "[1]"


@machine.needed
def test_both_languages_know_whose_a_file_is(tmp_path: Path) -> None:
    folder = tmp_path / "store"
    FileStore(folder).set(A, "x" * 300, 10, "mine")
    script = f"""
      import {{ FileStore }} from "toolshape/file-store";
      const store = new FileStore({str(folder)!r}, {{ maxBytes: 1000 }});
      await store.set("b".repeat(64) + ".json", "x".repeat(200), 10, "mine");
      for (let at = 0; at < 9; at++) await store.set(String(at).repeat(64) + ".json", "x".repeat(200), 60, "theirs");
    """
    subprocess.run(
        ["node", "--input-type=module", "--eval", script], cwd=machine.given("TOOLSHAPE_NODE_STORES"), check=True
    )
    for i in range(9):
        FileStore(folder, max_bytes=1000).set(f"{i}e{'0' * 62}.json", "x" * 200, 60, "theirs")
    assert FileStore(folder).get(A) and FileStore(folder).get("b" * 64 + ".json")


def test_many_processes_that_begin_at_once_share_a_new_folder(tmp_path: Path) -> None:
    script = (
        f"from toolshape import FileStore; s = FileStore({str(tmp_path / 'deep' / 'store')!r}); s.set({A!r}, '[1]', 60)"
    )
    started = [subprocess.Popen([sys.executable, "-c", script]) for _ in range(8)]
    assert [process.wait(60) for process in started] == [0] * 8
    assert sorted(os.listdir(tmp_path / "deep" / "store")) == [MARKER, A]


def test_a_sweep_deletes_regular_files_alone(tmp_path: Path) -> None:
    store, past = FileStore(tmp_path / "store"), time.time() - 10**6
    (tmp_path / "store" / A).symlink_to("/etc/hostname")
    os.utime(tmp_path / "store" / A, (past, past), follow_symlinks=False)
    (tmp_path / "store" / ("b" * 64 + ".txt")).mkdir()
    os.utime(tmp_path / "store" / ("b" * 64 + ".txt"), (past, past))
    store.sweep()
    assert sorted(os.listdir(tmp_path / "store")) == [MARKER, A, "b" * 64 + ".txt"]
