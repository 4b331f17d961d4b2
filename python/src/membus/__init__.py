"""The memory of an agent over membus, a memory bus on NATS.

`membus.connect` for programs with threads, `membus.aio.connect` for asyncio; the same methods. Docs: README.md.
"""

from . import aio
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
from .sync import Memory, MemoryClient, Watch, connect

__all__ = [
    "ConflictError",
    "HostOutOfMemoryError",
    "HostRuntimeError",
    "InvalidMessageError",
    "MembusError",
    "Memory",
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
