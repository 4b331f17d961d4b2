"""Requests, their replies, and attempts until one is answered."""

from __future__ import annotations

import asyncio
import os
import random
import time
import uuid
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any, Callable, TypeVar

from ._connection import Connection
from ._schema import FIELDS, LIMITS
from ._values import check_values, decode, encode
from .errors import HostRuntimeError, MembusError, ParseError, TooLargeError, UnavailableError, error_of

T = TypeVar("T")
_PAUSE_FIRST_S = 0.05
_PAUSE_MAX_S = 2.0
_RETRY_TIMEOUT_MAX_S = 86_400.0
#: What the client writes itself.
_ENVELOPE = frozenset(("type", "id", "version", "ts", "session_id", "deadline_ms"))
#: Lists that the client reads itself.
_LISTS = {
    "memory/store/resp": ("stored", "errors", "receipts"),
    "memory/retrieve/resp": ("entries",),
    "memory/list/resp": ("items",),
    "memory/status/resp": ("errors", "receipts"),
}


@dataclass(frozen=True)
class Patience:
    """How long one attempt waits, and how long there are others after the first; seconds."""

    timeout_s: float = 5.0
    retry_timeout_s: float = 30.0

    def __post_init__(self) -> None:
        for name, low, high in (("timeout_s", 0.001, LIMITS["deadlineMs"] / 1000), ("retry_timeout_s", 0, _RETRY_TIMEOUT_MAX_S)):
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, (int, float)) or not low <= value <= high:
                raise ValueError(f"{name} must be {low}..{high} seconds, got {value!r}")

    def changed(self, timeout_s: float | None, retry_timeout_s: float | None) -> Patience:
        """The same with what a call says of its own."""
        if timeout_s is None and retry_timeout_s is None:
            return self
        return Patience(
            self.timeout_s if timeout_s is None else timeout_s,
            self.retry_timeout_s if retry_timeout_s is None else retry_timeout_s,
        )


@dataclass(frozen=True)
class Request:
    """A request as it is sent, and sent again: the same bytes each time, so that it has one effect [RETRY-1]."""

    type: str
    id: str
    subject: str
    payload: bytes


def new_id() -> str:
    """A UUIDv7: an idempotency key that no other call has."""
    value = int(time.time() * 1000) << 80 | int.from_bytes(os.urandom(10), "big")
    value = value & ~(0xF << 76) | 0x7 << 76
    return str(uuid.UUID(int=value & ~(0x3 << 62) | 0x2 << 62))


def request_fields(type: str, fields: dict[str, Any]) -> dict[str, Any]:
    """Raises `TypeError` for a field that the request does not have, naming the nearest: it must not widen a result."""
    for name in fields:
        if name in _ENVELOPE:
            raise TypeError(f"`{name}` is set by the client")
        if name not in FIELDS[type] and not name.startswith("x_"):
            raise TypeError(f"unknown field `{name}`{did_you_mean(name, FIELDS[type] - _ENVELOPE)}")
    check_values(fields)
    return fields


def did_you_mean(name: str, known: frozenset[str]) -> str:
    near = get_close_matches(name, known, 1)
    return f" (did you mean `{near[0]}`?)" if near else ""


class Exchange:
    """Sends requests over one connection and tries them again; knows what is in flight."""

    def __init__(self, connection: Connection) -> None:
        self.connection = connection
        self._closing = asyncio.Event()
        self._in_flight = 0
        self._idle = asyncio.Event()
        self._idle.set()

    def require_open(self) -> None:
        """Raises `UnavailableError` from the beginning of `close` on: it waits for what is in flight, and that must have an end."""
        if self._closing.is_set():
            raise UnavailableError("the client is closed", {"reason": "closed"})
        self.connection.require_open()

    async def send(self, request: Request, patience: Patience, read: Callable[[dict[str, Any]], T]) -> T:
        """What `read` makes of the reply. A retryable error, also of `read`, sends the same bytes again [RETRY-7]."""
        self.require_open()
        self._in_flight += 1
        self._idle.clear()
        try:
            return await self._answer(request, patience, read)
        finally:
            self._in_flight -= 1
            if self._in_flight == 0:
                self._idle.set()

    async def _answer(self, request: Request, patience: Patience, read: Callable[[dict[str, Any]], T]) -> T:
        started = time.monotonic()
        attempts = 0
        while True:
            attempts += 1
            try:
                data = await self.connection.request(request.subject, request.payload, patience.timeout_s)
                return read(_read_reply(data, request))
            except MembusError as error:
                error.detail.update({"attempts": attempts} if attempts > 1 else {})
                pause_s = error.retry_after_ms / 1000 + backoff_s(attempts)
                is_over = time.monotonic() - started + pause_s > patience.retry_timeout_s
                if not error.retryable or is_over or await self._closes_within(pause_s):
                    raise

    async def _closes_within(self, pause_s: float) -> bool:
        try:
            await asyncio.wait_for(self._closing.wait(), pause_s)
            return True
        except asyncio.TimeoutError:
            return False

    async def close(self) -> None:
        """Tries nothing again, waits for what is in flight, and closes the connection."""
        self._closing.set()
        await self._idle.wait()
        await self.connection.close()


def backoff_s(attempts: int) -> float:
    """Doubling from 50 ms to 2 s, less up to half at random, so that clients do not return together."""
    full_s = min(_PAUSE_MAX_S, _PAUSE_FIRST_S * 2.0 ** min(attempts - 1, 10))
    return full_s * (1 - random.random() / 2)


def _read_reply(data: bytes, request: Request) -> dict[str, Any]:
    """Raises what an `error` reply holds, and `HostRuntimeError` for what is no reply to this request."""
    try:
        reply = decode(data)
    except (ParseError, TooLargeError) as error:
        raise malformed(error.message) from error
    type = reply.get("type")
    if type == "error":
        raise error_of(reply)
    expected = "pong" if request.type == "ping" else request.type.removesuffix("req") + "resp"
    if type != expected:
        raise malformed("it is of another type")
    if reply.get("req_id") != request.id:
        raise malformed("it answers another request")
    for name in _LISTS.get(expected, ()):
        if not isinstance(reply.get(name), list):
            raise malformed(f"it has no list `{name}`")
    return reply


def malformed(why: str) -> HostRuntimeError:
    return HostRuntimeError(f"the host's reply cannot be read: {why}")


def write_request(type: str, id: str, subject: str, envelope: dict[str, Any], fields: dict[str, Any]) -> Request:
    return Request(type, id, subject, encode({"type": type, "id": id, **envelope, **fields}))
