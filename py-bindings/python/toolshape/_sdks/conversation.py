"""What the requests of one client have in common, in ``mcp`` 1.x and 2.x."""

from __future__ import annotations

from typing import Any


class _Alone:
    """The one client of a process that is spoken to over its pipes."""


ALONE = _Alone()


def conversation(context: Any) -> object:
    """The session of a request's client, for as long as it is connected; ``None`` if the SDK has none.

    ``mcp`` 2 makes a session for each request, of a connection that lasts; from the revision 2026-07-28 on the connection is
    one of the request too. Without HTTP there is one client then.
    """
    if context is None:
        return None
    session = context.session
    connection = getattr(session, "_connection", None)
    if connection is None:
        return session
    if str(connection.protocol_version) < "2026":
        return connection
    return ALONE if getattr(context, "request", None) is None else None
