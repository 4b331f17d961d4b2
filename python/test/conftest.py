from __future__ import annotations

import asyncio
import inspect
import itertools
from typing import Iterator

import pytest
from running_bus import RunningBus

_count = itertools.count(1)


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> bool | None:
    """Shared fixtures. Each coroutine test runs in its own event loop."""
    if not inspect.iscoroutinefunction(pyfuncitem.obj):
        return None
    names = inspect.signature(pyfuncitem.obj).parameters
    asyncio.run(pyfuncitem.obj(**{name: pyfuncitem.funcargs[name] for name in names}))
    return True


@pytest.fixture(scope="session")
def bus() -> Iterator[RunningBus]:
    """A bus for all tests that do not stop parts of it."""
    running = RunningBus()
    try:
        running.start_host()
        yield running
    finally:
        running.stop()


@pytest.fixture
def own_bus() -> Iterator[RunningBus]:
    """A bus for a single test, which may stop parts of it."""
    running = RunningBus()
    try:
        running.start_host()
        yield running
    finally:
        running.stop()


@pytest.fixture
def agent() -> str:
    """Return a name that no other test uses."""
    return f"agent-{next(_count)}"
