"""Exceptions that do not mean that a tool failed: frameworks raise them to stop, pause or redirect a run, and catch them above it.
They pass unchanged, whatever their size. This is the only list of them.
"""

from __future__ import annotations

# A class by the package that defines it and its name; classes derived from it are meant too. What is not an ``Exception``,
# such as ``asyncio.CancelledError``, passes without being named.
CLASSES = frozenset(
    {
        # A call that was cancelled.
        ("concurrent", "CancelledError"),
        ("temporalio", "CancelledError"),
        ("openai", "APIUserAbortError"),
        # Interrupts, commands to a parent, and graphs that are drained.
        ("langgraph", "GraphBubbleUp"),
        # Tools that run later, that a user has to allow, and that the model is to call again.
        ("pydantic_ai", "CallDeferred"),
        ("pydantic_ai", "ApprovalRequired"),
        ("pydantic_ai", "ModelRetry"),
        # Retry, Ignore, Reject.
        ("celery", "TaskPredicate"),
    }
)
# MCP's own errors. Where an SDK answers a request with them, clients read their code and data.
PROTOCOL_CLASSES = frozenset({("mcp", "McpError"), ("mcp", "MCPError")})


def is_control_flow(error: BaseException) -> bool:
    """Whether an exception controls a framework. A group does if all of its exceptions do."""
    if not isinstance(error, Exception):
        return True
    # Python 3.10 has no ExceptionGroup, but the package ``exceptiongroup`` has one like it.
    members = getattr(error, "exceptions", None)
    if isinstance(members, tuple) and members and all(isinstance(each, BaseException) for each in members):
        return all(is_control_flow(each) for each in members)
    return _is_of(error, CLASSES)


def is_protocol_error(error: BaseException) -> bool:
    """Whether an exception is an error of MCP itself."""
    return _is_of(error, PROTOCOL_CLASSES)


def _is_of(error: BaseException, classes: frozenset[tuple[str, str]]) -> bool:
    return any((each.__module__.partition(".")[0], each.__name__) in classes for each in type(error).__mro__)
