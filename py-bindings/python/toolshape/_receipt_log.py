"""The logger ``toolshape``: a line for each result that was changed, on standard error unless a server configures it."""

from __future__ import annotations

import logging
import os
import sys

from ._toolshape import call
from .types import Receipt

LOGGER = logging.getLogger("toolshape")
# The values of the environment variable TOOLSHAPE_LOG: a line for every result, or none.
LEVELS = {"all": logging.DEBUG, "off": logging.CRITICAL + 1}


class _StandardError(logging.Handler):
    """Hands records to the handlers of the root logger, whenever the server sets them; without any, writes bare lines to the
    current standard error. Standard output belongs to the protocol.
    """

    def emit(self, record: logging.LogRecord) -> None:
        own = [handler for handler in logging.getLogger().handlers if not _breaks_lines(handler)]
        for handler in own:
            if record.levelno >= handler.level:
                handler.handle(record)
        if own:
            return
        try:
            print(self.format(record), file=sys.stderr, flush=True)
        except Exception:
            self.handleError(record)


def _breaks_lines(handler: logging.Handler) -> bool:
    """Whether a handler is what SDKs set on the root logger, which breaks lines at 80 characters."""
    return type(handler).__module__.partition(".")[0] == "rich"


def _configure() -> None:
    """Sets the logger up, unless the server did."""
    if not LOGGER.handlers and LOGGER.level == logging.NOTSET:
        LOGGER.addHandler(_StandardError())
        LOGGER.setLevel(LEVELS.get(os.environ.get("TOOLSHAPE_LOG", ""), logging.INFO))
        LOGGER.propagate = False


def explain(receipt: Receipt) -> str:
    """Why a result looks as it does, from its receipt: a sentence a line, for people."""
    return str(call("explain", receipt=receipt))


def log_receipt(receipt: Receipt) -> None:
    """Logs a result: ``INFO`` if it was changed, ``DEBUG`` if it passed. The record has the ``receipt``."""
    level = logging.INFO if receipt["steps"] else logging.DEBUG
    if LOGGER.isEnabledFor(level):
        LOGGER.log(level, "%s", call("receiptLine", receipt=receipt), extra={"receipt": receipt})


_configure()
