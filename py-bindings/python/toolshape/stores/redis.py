"""A store in Redis or Valkey that every language can read: the value of ``toolshape:<key>`` is the result's text."""

from __future__ import annotations

import base64
import re
import secrets
import zlib
from collections.abc import Iterator
from contextlib import suppress

from redis.asyncio import Redis

from .._error import ToolshapeError
from ._ledger import STORE_BYTES, VALUE_BYTES, Ledger
from ._store import check_key, check_ttl

# The prefix that marks binary data in unstorage; a text that begins with it is stored as binary data.
MARK = "base64:"
# With what gzip begins; it is in no UTF-8.
GZIP = b"\x1f\x8b"

# The most characters that are sent with one command: a client copies each command several times.
PART = 2**22
# How long a value that is not whole yet stays at the most, in milliseconds.
UNFINISHED = 60_000
# What decides the hash slot of a key that has it
# (https://redis.io/docs/latest/operate/oss_and_stack/reference/cluster-spec/#hash-tags).
HASH_TAG = re.compile("[^{]*{[^}]+}")


class RedisStore:
    """Keeps results in a Redis that several machines share, in Python and TypeScript.

    ``UnstorageStore`` of the npm package, with unstorage's Redis driver, reads and writes the same entries. The caller
    owns the client and closes it. Give it short timeouts (``socket_connect_timeout``, ``socket_timeout``), because a
    tool call waits for its store, and a ``BlockingConnectionPool``, because the default pool refuses calls over its limit. What this process wrote has at most ``max_bytes``; ``max_value_bytes`` and
    ``max_share`` as in ``MemoryStore``.
    """

    def __init__(
        self,
        client: Redis,
        *,
        prefix: str = "toolshape:",
        max_bytes: int = STORE_BYTES,
        max_value_bytes: int = VALUE_BYTES,
        max_share: float = 1,
    ) -> None:
        self._client = client
        self._prefix = prefix
        self._ledger = Ledger(max_bytes, max_value_bytes, max_share)

    async def get(self, key: str) -> str | None:
        """The value of ``key``, or ``None``."""
        value: str | bytes | None = await self._client.get(self._prefix + check_key(key))
        text = value.decode("utf-8") if isinstance(value, bytes) else value
        if text is None or not text.startswith(MARK):
            return text
        return _unpacked(base64.b64decode(text.removeprefix(MARK))).decode("utf-8")

    async def set(self, key: str, value: str, ttl_seconds: float, owner: str | None = None) -> None:
        """Keeps ``value``; raises the client's errors, and ``STORE_FAILED`` if it has no room."""
        name = self._prefix + check_key(key)
        check_ttl(ttl_seconds)
        size = len(value) if value.isascii() else sum(len(part) for part in _parts(value))
        expires = max(1, round(ttl_seconds * 1000))

        async def write() -> None:
            beside = None if len(value) <= PART or value.startswith(MARK) else self._beside(name)
            if beside is not None:
                await self._write_in_parts(name, beside, value, expires)
                return
            content = value.encode("utf-8")
            stored = MARK.encode("ascii") + base64.b64encode(content) if value.startswith(MARK) else content
            await self._client.set(name, stored, px=expires)

        await self._ledger.keep_async((key, size, owner, ttl_seconds), self._remove, write)

    def _beside(self, name: str) -> str | None:
        """A key with the prefix, which access lists may ask for, in the hash slot of ``name``, which clusters ask for; ``None``
        for a prefix with braces that are not a hash tag.
        """
        ending = secrets.token_hex(8)
        if HASH_TAG.match(name):
            return f"{name}.{ending}"
        return None if "{" in name or "}" in name else f"{self._prefix}{{{name}}}.{ending}"

    async def _write_in_parts(self, name: str, beside: str, value: str, expires: int) -> None:
        """Writes a value under a temporary name, then renames it. Each command may come twice, as clients repeat them."""
        try:
            written = 0
            for part in _parts(value):
                if written == 0:
                    await self._client.set(beside, part, px=UNFINISHED)
                else:
                    await self._client.setrange(beside, written, part)
                written += len(part)
            # A key that was gone meanwhile was made again without a time, and with zeros in it.
            if await self._client.pttl(beside) <= 0:
                raise ToolshapeError("a part of the value was gone before the rest was written", "STORE_FAILED")
            await self._client.rename(beside, name)
            await self._client.pexpire(name, expires)
        except Exception:
            # Else it would fill the Redis until it expires, as it does where nothing can be asked any more.
            with suppress(Exception):
                await self._client.delete(beside)
            raise

    async def delete(self, key: str) -> None:
        """Deletes ``key``, if it exists."""
        await self._remove(check_key(key))
        self._ledger.forget(key)

    async def _remove(self, key: str) -> None:
        await self._client.delete(self._prefix + key)


def _unpacked(data: bytes) -> bytes:
    """Binary data, or what it is the gzip (RFC 1952) of, as a program writes it."""
    if not data.startswith(GZIP):
        return data
    try:
        opened = zlib.decompressobj(zlib.MAX_WBITS | 16)
        unpacked = opened.decompress(data, VALUE_BYTES + 1)
    except zlib.error as error:
        raise ToolshapeError("the stored value is damaged", "STORE_FAILED") from error
    if len(unpacked) > VALUE_BYTES or not opened.eof:
        what = "too large" if len(unpacked) > VALUE_BYTES else "damaged"
        raise ToolshapeError(f"the stored value is {what}", "STORE_FAILED")
    return unpacked


def _parts(value: str) -> Iterator[bytes]:
    return (value[start : start + PART].encode("utf-8") for start in range(0, len(value), PART))
