"""Every row of the table in ``docs/mcp.md``, for both SDKs of Python: their own clients, servers and transports."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from adapters import of_results, of_servers, of_tools  # noqa: F401 (they name the rows that they try)
from adapters.clients import Servers
from adapters.setting import BEHAVIOURS, Setting, setting
from adapters.table import COLUMNS, ROWS, Column
from anyio.from_thread import BlockingPortal, start_blocking_portal


def test_every_row_is_tried() -> None:
    assert set(BEHAVIOURS) == set(ROWS)


@pytest.fixture(scope="module")
def servers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Servers]:
    running = Servers(tmp_path_factory.mktemp("errors"))
    yield running
    running.stop()


@pytest.fixture(scope="module")
def portal() -> Iterator[BlockingPortal]:
    with start_blocking_portal() as started:
        yield started


@pytest.fixture(scope="module", params=COLUMNS, ids=str)
def column(request: pytest.FixtureRequest, portal: BlockingPortal, servers: Servers) -> Iterator[Setting]:
    with portal.wrap_async_context_manager(setting(servers, request.param)) as ready:
        yield ready


@pytest.mark.parametrize("name", ROWS)
def test_row(name: str, column: Setting, portal: BlockingPortal) -> None:
    reason = column.column.reason_against(name)
    if reason is not None:
        pytest.skip(reason)
    portal.call(BEHAVIOURS[name], column)
