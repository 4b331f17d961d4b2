"""Memory of AI agents over membus, a memory bus on NATS.

Use `membus.connect` in programs with threads, and `membus.aio.connect` with asyncio. Both have the same methods.
`Memory` and `AsyncMemory` over these clients remember facts and conversations of users. See README.md.
"""

from . import aio
from ._budget import Budget, with_budget
from ._chat_model import ChatModel, ModelError
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
from .context import AsyncContextWindow
from .conversation import AsyncConversation
from .long_term import AsyncLongTermMemory
from .memory import AsyncMemory
from .sync import AgentMemory, MemoryClient, connect
from .sync_memory import ContextWindow, Conversation, LongTermMemory, Memory

__all__ = [
    "AgentMemory",
    "AsyncContextWindow",
    "AsyncConversation",
    "AsyncLongTermMemory",
    "AsyncMemory",
    "Budget",
    "ChatModel",
    "ConflictError",
    "ContextWindow",
    "Conversation",
    "HostOutOfMemoryError",
    "HostRuntimeError",
    "InvalidMessageError",
    "LongTermMemory",
    "MembusError",
    "Memory",
    "MemoryClient",
    "MemoryEntry",
    "MemoryEvent",
    "MemoryFullError",
    "MemoryNotFoundError",
    "ModelError",
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
    "with_budget",
]
