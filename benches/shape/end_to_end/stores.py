"""The stores that a result is kept in, as in stores.mjs."""

import atexit
import os
import shutil
import tempfile

URL = os.environ.get("TOOLSHAPE_REDIS_URL")
STORES = ["memory", "folder", *(["Redis"] if URL else [])]


def new_store(name, **limits):
    """A store with nothing in it, with its default limits or others."""
    from toolshape.stores import FileStore, MemoryStore

    if name == "memory":
        return MemoryStore(**limits)
    if name == "folder":
        folder = tempfile.mkdtemp(prefix="toolshape-bench-")
        atexit.register(shutil.rmtree, folder)
        return FileStore(folder, **limits)
    from redis.asyncio import BlockingConnectionPool, Redis
    from toolshape.stores.redis import RedisStore

    return RedisStore(Redis(connection_pool=BlockingConnectionPool.from_url(URL)), **limits)
