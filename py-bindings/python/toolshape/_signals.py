"""Whether a signal's handler raised an exception, as timeouts that use ``signal.setitimer`` do."""

from __future__ import annotations

import signal
import threading
from types import TracebackType


def raised_by_handler(trace: TracebackType | None) -> bool:
    """Whether the handler of a signal is among the frames of an exception's traceback."""
    # Only the main thread runs handlers.
    if threading.current_thread() is not threading.main_thread():
        return False
    handlers = [signal.getsignal(number) for number in signal.valid_signals()]
    functions = [getattr(handler, "func", handler) for handler in handlers if callable(handler)]
    calls = [getattr(each, "__code__", None) or getattr(type(each).__call__, "__code__", None) for each in functions]
    codes = {code for code in calls if code is not None}
    while trace is not None:
        if trace.tb_frame.f_code in codes:
            return True
        trace = trace.tb_next
    return False
