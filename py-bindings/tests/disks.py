"""Disks of a test's own that are full, failing or read-only: real ones, which only root on Linux can mount."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

if sys.platform == "linux":
    import fcntl


def run(*command: str | Path) -> str:
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()


def need(*programs: str) -> None:
    if sys.platform != "linux" or os.geteuid() != 0:
        pytest.skip("FAULT NOT MADE: mounting a disk takes root on Linux")
    for program in programs:
        if not shutil.which(program):
            pytest.skip(f"FAULT NOT MADE: there is no {program} here")


@contextmanager
def mounted(at: Path, *what: str) -> Iterator[Path]:
    at.mkdir()
    try:
        run("mount", *what, at)
    except subprocess.CalledProcessError as error:
        pytest.skip(f"FAULT NOT MADE: {error.stderr.strip()}")
    try:
        yield at
    finally:
        run("umount", "--lazy", at)


@contextmanager
def small(at: Path, kilobytes: int) -> Iterator[Path]:
    """A file system in memory with a limit."""
    need("mount")
    with mounted(at, "-t", "tmpfs", "-o", f"size={kilobytes}k,mode=755", "tmpfs"):
        yield at


@contextmanager
def read_only(at: Path) -> Iterator[None]:
    """A mounted file system, for reading alone meanwhile."""
    run("mount", "-o", "remount,ro", at)
    try:
        yield
    finally:
        run("mount", "-o", "remount,rw", at)


class Disk:
    """A mounted disk whose sectors are a file in memory, so that they can be made to fail."""

    def __init__(self, path: Path, memory: int) -> None:
        self.path = path
        self._memory = memory

    def fail_to_write(self) -> None:
        """It still takes writes into its cache, and then fails to write them down (EIO)."""
        assert sys.platform == "linux"
        os.sync()
        fcntl.fcntl(self._memory, fcntl.F_ADD_SEALS, fcntl.F_SEAL_WRITE)

    def fail_to_read(self, file: Path) -> None:
        """It no longer has the sectors of a file, nor does its cache: reading them fails (EIO)."""
        os.sync()
        with open(file, "rb") as cached:
            os.posix_fadvise(cached.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
        os.ftruncate(self._memory, 4096)


@contextmanager
def own(at: Path) -> Iterator[Disk]:
    """A disk of 16 MB."""
    need("mount", "mkfs.ext2", "losetup")
    assert sys.platform == "linux"
    memory = os.memfd_create("disk", os.MFD_ALLOW_SEALING)
    try:
        os.ftruncate(memory, 16 * 2**20)
        sectors = f"/proc/{os.getpid()}/fd/{memory}"
        run("mkfs.ext2", "-q", "-F", sectors)
        try:
            device = run("losetup", "--find", "--show", sectors)
        except subprocess.CalledProcessError as error:
            pytest.skip(f"FAULT NOT MADE: {error.stderr.strip()}")
        try:
            with mounted(at, device):
                yield Disk(at, memory)
        finally:
            run("losetup", "--detach", device)
    finally:
        os.close(memory)
