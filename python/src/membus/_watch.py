"""Events of changes to entries (protocol/spec/02-subjects.md, `Events`)."""

from __future__ import annotations

import asyncio
from typing import Awaitable, Callable

from nats.aio.msg import Msg

from ._connection import Connection
from ._identity import Identity, is_namespace, selects
from ._schema import TIERS, MemoryEvent
from ._values import decode
from .errors import MembusError

ACTIONS = ("stored", "forgotten", "expired", "evicted")
#: Maximum number of waiting events. Further events are dropped.
WAITING_MAX = 10_000


class AsyncWatch:
    """An iterator over events: `async for event in watch`. Ends with `stop`, or when the client is closed.

    Each event is delivered at most once. Events during a disconnect are lost. If 10,000 events are waiting, further
    ones are dropped and counted in `missed` [EVENT-2].
    """

    def __init__(self, namespace: str | None) -> None:
        self._namespace = namespace
        self._queue: asyncio.Queue[MemoryEvent | None] = asyncio.Queue()
        self._unsubscribe: Callable[[], Awaitable[None]] | None = None
        #: Number of dropped events.
        self.missed = 0

    async def _open(self, connection: Connection, subjects: list[str]) -> None:
        self._unsubscribe = await connection.listen(subjects, self._receive, self._end)

    async def _receive(self, message: Msg) -> None:
        try:
            event = decode(message.data)
        except MembusError:
            return
        if event.get("type") != "memory/event" or not isinstance(event.get("namespace"), str):
            return
        if self._namespace is not None and not selects(self._namespace, event["namespace"]):
            return
        if self._queue.qsize() >= WAITING_MAX:
            self.missed += 1
        else:
            # The fields used here are checked. Other fields are trusted.
            self._queue.put_nowait(event)  # type: ignore[arg-type]

    def __aiter__(self) -> AsyncWatch:
        return self

    async def __anext__(self) -> MemoryEvent:
        event = await self._queue.get()
        if event is None:
            self._end()
            raise StopAsyncIteration
        return event

    async def stop(self) -> None:
        """End the watch. Waiting events are still delivered."""
        self._end()
        unsubscribe, self._unsubscribe = self._unsubscribe, None
        if unsubscribe is not None:
            await unsubscribe()

    def _end(self) -> None:
        """Queue the end marker. It is queued again after use, because several iterations may wait for it."""
        self._queue.put_nowait(None)

    async def __aenter__(self) -> AsyncWatch:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.stop()


async def watch_events(
    connection: Connection, identity: Identity, *, tier: str | None, action: str | None, namespace: str | None, agents: str
) -> AsyncWatch:
    """Start a watch.

    Raises:
        ValueError: For an unknown tier, action or `agents`, or an invalid namespace.
    """
    for name, value, known in (("tier", tier, TIERS), ("action", action, ACTIONS), ("agents", agents, ("own", "all"))):
        if value is not None and value not in known:
            raise ValueError(f"{name} must be one of {', '.join(known)}, got {value!r}")
    if namespace is not None and namespace != "**" and not is_namespace(namespace.removesuffix("/**")):
        raise ValueError(f"namespace must be a path of 1..8 segments, or one followed by /**, got {namespace!r}")
    watch = AsyncWatch(namespace)
    tiers = TIERS if tier is None else (tier,)
    await watch._open(connection, [identity.events(each, action, agents == "all") for each in tiers])
    return watch
