"""Memory of AI agents over membus, a memory bus on NATS.

Use `membus.connect` in programs with threads, and `membus.aio.connect` with asyncio. Both have the same methods. See
README.md.
"""

from . import aio
from ._loop_thread import Watch
from ._schema import MemoryEntry, MemoryEvent, StoreEntry
from ._values import key_hash
from .errors import (
    ConflictError,
    HostOutOfMemoryError,
    HostRuntimeError,
    InvalidMessageError,
    MembusError,
    MemoryFullError,
    MemoryNotFoundError,
    OverloadedError,
    ParseError,
    RequestTimeoutError,
    SchemaViolationError,
    TooLargeError,
    UnauthorizedError,
    UnavailableError,
    UnsupportedError,
    VersionMismatchError,
)
from .sync import AgentMemory, MemoryClient, connect

__all__ = [
    "ConflictError",
    "HostOutOfMemoryError",
    "HostRuntimeError",
    "InvalidMessageError",
    "MembusError",
    "AgentMemory",
    "MemoryClient",
    "MemoryEntry",
    "MemoryEvent",
    "MemoryFullError",
    "MemoryNotFoundError",
    "OverloadedError",
    "ParseError",
    "RequestTimeoutError",
    "SchemaViolationError",
    "StoreEntry",
    "TooLargeError",
    "UnauthorizedError",
    "UnavailableError",
    "UnsupportedError",
    "VersionMismatchError",
    "Watch",
    "aio",
    "connect",
    "key_hash",
]
