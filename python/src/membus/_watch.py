"""Events of what happens to entries (protocol/spec/02-subjects.md, `Events`)."""

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
#: Events that wait to be looked at; those that come while it is full are missed.
WAITING_MAX = 10_000


class AsyncWatch:
    """Events as they come, from the moment `watch` has returned: `async for event in watch`. Ends with `stop`, and with the client.

    At most once each: what happens while disconnected is missed, and so is what comes while 10,000 events wait here, which `missed`
    counts [EVENT-2].
    """

    def __init__(self, namespace: str | None) -> None:
        self._namespace = namespace
        self._queue: asyncio.Queue[MemoryEvent | None] = asyncio.Queue()
        self._unsubscribe: Callable[[], Awaitable[None]] | None = None
        #: Events that found no room.
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
            # Any object: what is looked at here has been checked, the rest is the host's word.
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
        """Ends it: what waits is still given, then the iteration ends."""
        self._end()
        unsubscribe, self._unsubscribe = self._unsubscribe, None
        if unsubscribe is not None:
            await unsubscribe()

    def _end(self) -> None:
        """Whoever finds the end puts it back: others may wait for it."""
        self._queue.put_nowait(None)

    async def __aenter__(self) -> AsyncWatch:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.stop()


async def watch_events(
    connection: Connection, identity: Identity, *, tier: str | None, action: str | None, namespace: str | None, agents: str
) -> AsyncWatch:
    """Raises `ValueError` for a tier, action, namespace or `agents` that there is not."""
    for name, value, known in (("tier", tier, TIERS), ("action", action, ACTIONS), ("agents", agents, ("own", "all"))):
        if value is not None and value not in known:
            raise ValueError(f"{name} must be one of {', '.join(known)}, got {value!r}")
    if namespace is not None and namespace != "**" and not is_namespace(namespace.removesuffix("/**")):
        raise ValueError(f"namespace must be a path of 1..8 segments, or one followed by /**, got {namespace!r}")
    watch = AsyncWatch(namespace)
    tiers = TIERS if tier is None else (tier,)
    await watch._open(connection, [identity.events(each, action, agents == "all") for each in tiers])
    return watch
