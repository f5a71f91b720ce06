"""Every row of the table in the docs, for both SDKs of Python: their own clients, servers and transports."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from adapters.clients import Servers
from adapters.coded import CODED
from adapters.setting import Setting, setting
from adapters.steps import try_row
from adapters.table import COLUMNS, ROWS
from anyio.from_thread import BlockingPortal, start_blocking_portal


def test_every_row_is_tried() -> None:
    assert {name for name, row in ROWS.items() if not row.get("steps")} == set(CODED)


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
    steps = ROWS[name].get("steps")
    portal.call(*((try_row, steps, column) if steps else (CODED[name], column)))
