"""Shapes the output of MCP tools so that it never floods a model's context.

>>> from toolshape import Shaper
>>> shaper = Shaper(max_tokens=2000)
>>> shaped = shaper.shape([{"id": 1}], tool="list_articles")
>>> shaped.text
'[{"id":1}]'
"""

from importlib import import_module

from ._error import ToolshapeError
from ._toolshape import (
    Keep,
    Shaped,
    ShapedResult,
    Shaper,
    __version__,
    count_tokens,
    decode,
    decode_bytes,
    encode,
    encode_with_special,
    expand,
    fits_tokens,
    load_encoding,
    read_result_tool,
    summarize_tool,
    truncate_to_tokens,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ._expected import assert_fits
    from ._receipt_log import explain
    from .archive import Archive
    from .stores import FileStore, MemoryStore, Store
else:
    # What asyncio and logging are imported for. The command needs neither, and its client waits for it.
    _LATER = {
        "Archive": ".archive",
        "FileStore": ".stores",
        "MemoryStore": ".stores",
        "Store": ".stores",
        "assert_fits": "._expected",
        "explain": "._receipt_log",
    }

    def __getattr__(name):
        if name not in _LATER:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        value = getattr(import_module(_LATER[name], __name__), name)
        globals()[name] = value
        return value


__all__ = [
    "Archive",
    "FileStore",
    "Keep",
    "MemoryStore",
    "Shaped",
    "ShapedResult",
    "Shaper",
    "Store",
    "ToolshapeError",
    "__version__",
    "assert_fits",
    "count_tokens",
    "decode",
    "decode_bytes",
    "encode",
    "encode_with_special",
    "expand",
    "explain",
    "fits_tokens",
    "load_encoding",
    "read_result_tool",
    "summarize_tool",
    "truncate_to_tokens",
]
