"""Requests, replies and retries."""

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
from ._request_tracer import UNTRACED, RequestTracer
from ._schema import FIELDS, LIMITS
from ._values import check_values, decode, encode
from .errors import HostRuntimeError, MembusError, ParseError, TooLargeError, UnavailableError, error_of

T = TypeVar("T")
_PAUSE_FIRST_S = 0.05
_PAUSE_MAX_S = 2.0
_RETRY_TIMEOUT_MAX_S = 86_400.0
#: Fields that the client sets.
_ENVELOPE = frozenset(("type", "id", "version", "ts", "session_id", "deadline_ms"))
#: Lists that the client reads from a reply.
_LISTS = {
    "memory/store/resp": ("stored", "errors", "receipts"),
    "memory/retrieve/resp": ("entries",),
    "memory/list/resp": ("items",),
    "memory/status/resp": ("errors", "receipts"),
}


@dataclass(frozen=True)
class RetryPolicy:
    """Seconds that one attempt waits, and seconds during which a failed request is retried."""

    timeout_s: float = 5.0
    retry_timeout_s: float = 30.0

    def __post_init__(self) -> None:
        for name, low, high in (("timeout_s", 0.001, LIMITS["deadlineMs"] / 1000), ("retry_timeout_s", 0, _RETRY_TIMEOUT_MAX_S)):
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, (int, float)) or not low <= value <= high:
                raise ValueError(f"{name} must be {low}..{high} seconds, got {value!r}")

    def changed(self, timeout_s: float | None, retry_timeout_s: float | None) -> RetryPolicy:
        """Return this policy with the values of a call."""
        if timeout_s is None and retry_timeout_s is None:
            return self
        return RetryPolicy(
            self.timeout_s if timeout_s is None else timeout_s,
            self.retry_timeout_s if retry_timeout_s is None else retry_timeout_s,
        )


@dataclass(frozen=True)
class Request:
    """A request with its encoded bytes. Retries send the same bytes, so that the request has one effect [RETRY-1]."""

    type: str
    id: str
    subject: str
    payload: bytes
    #: Number of entries of a store.
    entry_count: int | None = None


def new_id() -> str:
    """Return a UUIDv7 as a new idempotency key."""
    value = int(time.time() * 1000) << 80 | int.from_bytes(os.urandom(10), "big")
    value = value & ~(0xF << 76) | 0x7 << 76
    return str(uuid.UUID(int=value & ~(0x3 << 62) | 0x2 << 62))


def request_fields(type: str, fields: dict[str, Any]) -> dict[str, Any]:
    """Validate the fields of a request.

    Raises:
        TypeError: For an unknown field, with the nearest known one. An ignored criterion would select more entries.
    """
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
    """Sends requests over one connection, retries them, and counts the requests in flight."""

    def __init__(self, connection: Connection, tracer: RequestTracer | None = None) -> None:
        self.connection = connection
        self._tracer = tracer
        self._closing = asyncio.Event()
        self._in_flight = 0
        self._idle = asyncio.Event()
        self._idle.set()

    def require_open(self) -> None:
        """Raise `UnavailableError` after `close` was called, which waits only for requests that are already in flight."""
        if self._closing.is_set():
            raise UnavailableError("the client is closed", {"reason": "closed"})
        self.connection.require_open()

    async def send(self, request: Request, policy: RetryPolicy, read: Callable[[dict[str, Any]], T]) -> T:
        """Send a request and return the result of `read` for its reply. A retryable error, also from `read`, sends the
        same bytes again [RETRY-7].
        """
        self.require_open()
        self._in_flight += 1
        self._idle.clear()
        try:
            return await self._traced(request, policy, read)
        finally:
            self._in_flight -= 1
            if self._in_flight == 0:
                self._idle.set()

    async def _traced(self, request: Request, policy: RetryPolicy, read: Callable[[dict[str, Any]], T]) -> T:
        span = UNTRACED if self._tracer is None else self._tracer.start(request)
        try:
            reply, result = await self._send_until_answered(request, policy, lambda reply: (reply, read(reply)), span.headers)
        except BaseException as error:
            span.fail(error)
            raise
        span.succeed(reply)
        return result

    async def _send_until_answered(
        self, request: Request, policy: RetryPolicy, read: Callable[[dict[str, Any]], T], headers: dict[str, str] | None
    ) -> T:
        started = time.monotonic()
        attempts = 0
        while True:
            attempts += 1
            try:
                data = await self.connection.request(request.subject, request.payload, policy.timeout_s, headers)
                return read(_read_reply(data, request))
            except MembusError as error:
                error.detail.update({"attempts": attempts} if attempts > 1 else {})
                pause_s = error.retry_after_ms / 1000 + backoff_s(attempts)
                is_over = time.monotonic() - started + pause_s > policy.retry_timeout_s
                if not error.retryable or is_over or await self._closes_within(pause_s):
                    raise

    async def _closes_within(self, pause_s: float) -> bool:
        try:
            await asyncio.wait_for(self._closing.wait(), pause_s)
            return True
        except asyncio.TimeoutError:
            return False

    async def close(self) -> None:
        """Stop retrying, wait for requests in flight, and close the connection."""
        self._closing.set()
        await self._idle.wait()
        await self.connection.close()


def backoff_s(attempts: int) -> float:
    """Return a delay that doubles from 50 ms to 2 s, reduced randomly by up to half, so that clients do not retry
    simultaneously.
    """
    full_s = min(_PAUSE_MAX_S, _PAUSE_FIRST_S * 2.0 ** min(attempts - 1, 10))
    return full_s * (1 - random.random() / 2)


def _read_reply(data: bytes, request: Request) -> dict[str, Any]:
    """Decode and validate a reply.

    Raises:
        MembusError: The error of an `error` reply.
        HostRuntimeError: If the data is not a valid reply to this request.
    """
    try:
        reply = decode(data)
    except (ParseError, TooLargeError) as error:
        raise malformed(error.message) from error
    type = reply.get("type")
    if type == "error":
        raise error_of(reply)
    expected = "pong" if request.type == "ping" else request.type.removesuffix("req") + "resp"
    if type != expected:
        raise malformed("unexpected type")
    if reply.get("req_id") != request.id:
        raise malformed("it belongs to another request")
    for name in _LISTS.get(expected, ()):
        if not isinstance(reply.get(name), list):
            raise malformed(f"the list `{name}` is missing")
    return reply


def malformed(why: str) -> HostRuntimeError:
    return HostRuntimeError(f"invalid reply of the host: {why}")


def write_request(type: str, id: str, subject: str, envelope: dict[str, Any], fields: dict[str, Any]) -> Request:
    payload = encode({"type": type, "id": id, **envelope, **fields})
    return Request(type, id, subject, payload, len(fields["entries"]) if "entries" in fields else None)
