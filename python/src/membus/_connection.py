"""The connection to NATS: requests, subscriptions and reconnects."""

from __future__ import annotations

import asyncio
import logging
from dataclasses import dataclass
from typing import Any, Awaitable, Callable, Sequence
from urllib.parse import urlsplit

import nats.errors
from nats.aio.client import Client
from nats.aio.msg import Msg
from nats.aio.subscription import Subscription

from .errors import MembusError, RequestTimeoutError, TooLargeError, UnauthorizedError, UnavailableError

_log = logging.getLogger("membus")
#: Options that the client sets.
_OWN_OPTIONS = {"max_reconnect_attempts", "allow_reconnect", "error_cb", "disconnected_cb", "reconnected_cb", "closed_cb"}
_RECONNECT_WAIT_S = 0.25
_NO_RESPONDERS = "503"
_SERVER = "a NATS server must be nats://host:port, tls://host:port or host:port"


def _address(server: str) -> str:
    """Return the address of a server without credentials.

    Raises:
        ValueError: For an invalid URL.
    """
    shown = server.rpartition("@")[2]
    try:
        url = urlsplit(server if "://" in server else f"nats://{server}")
        is_server = url.scheme in ("nats", "tls", "ws", "wss") and bool(url.hostname) and url.port != 0
    except ValueError:
        is_server = False
    if not is_server:
        raise ValueError(f"{_SERVER}, got {shown or repr(shown)}")
    return shown


@dataclass(eq=False)
class _Listener:
    subject: str
    receive: Callable[[Msg], Awaitable[None]]
    on_close: Callable[[], None]
    subscription: Subscription | None = None
    refusal: str | None = None


class Connection:
    """A connection of nats-py that reconnects automatically, without a time limit.

    When the connection is lost, all requests in flight fail with `unavailable`. They may have had their effect, but
    their replies are lost. New requests wait for the next connection until their timeout.
    """

    def __init__(self, servers: str | list[str], connect_timeout_s: float, options: dict[str, Any]) -> None:
        refused = _OWN_OPTIONS & options.keys()
        if refused:
            raise TypeError(f"{', '.join(sorted(refused))}: set by the client, remove the option")
        self._servers = [servers] if isinstance(servers, str) else list(servers)
        if not self._servers:
            raise ValueError(f"no server given: {_SERVER}")
        self._addresses = ", ".join(_address(server) for server in self._servers)
        self._connect_timeout_s = connect_timeout_s
        self._options = {"inbox_prefix": "_INBOX", "name": "membus", "reconnect_time_wait": _RECONNECT_WAIT_S, **options}
        self._client = Client()
        self._inbox = ""
        self._connected = asyncio.Event()
        self._opening = asyncio.Lock()
        self._waiting: dict[str, tuple[str, asyncio.Future[Msg]]] = {}
        self._count = 0
        self._listeners: set[_Listener] = set()
        self._closed = False
        self._reopening: asyncio.Task[None] | None = None

    async def open(self) -> None:
        """Connect to one of the servers.

        Raises:
            UnavailableError: If no server can be reached.
            UnauthorizedError: If the server rejects the credentials.
        """
        refusals: asyncio.Queue[Exception] = asyncio.Queue()
        client = Client()
        connecting = asyncio.ensure_future(self._connect(client, refusals))
        refused = asyncio.ensure_future(self._all_refuse(refusals))
        try:
            await asyncio.wait({connecting, refused}, timeout=self._connect_timeout_s, return_when=asyncio.FIRST_COMPLETED)
        except asyncio.CancelledError:
            connecting.cancel()
            refused.cancel()
            await client.close()
            raise
        error = connecting.exception() if connecting.done() else None
        if isinstance(error, TypeError):
            # An unknown option of nats-py. No connection is open yet.
            refused.cancel()
            raise error
        if connecting.done() and error is None:
            refused.cancel()
            try:
                return await self._opened(client)
            except (nats.errors.Error, asyncio.TimeoutError) as lost:
                error = lost
        last = error or (refused.result() if refused.done() else TimeoutError("no answer"))
        connecting.cancel()
        refused.cancel()
        await client.close()
        at = self._addresses
        if isinstance(last, nats.errors.AuthorizationError) or "authorization violation" in str(last).lower():
            raise UnauthorizedError(f"the NATS server at {at} rejected the credentials") from last
        raise UnavailableError(f"cannot connect to NATS at {at}: {last}", {"reason": "connect", "servers": at}) from last

    async def _connect(self, client: Client, refusals: asyncio.Queue[Exception]) -> None:
        async def on_error(error: Exception) -> None:
            refusals.put_nowait(error) if client is not self._client else self._on_error(error)

        async def on_lost() -> None:
            if client is self._client:
                self._lost("disconnected")

        async def on_back() -> None:
            self._connected.set()

        async def on_closed() -> None:
            if client is self._client:
                self._given_up()

        callbacks: dict[str, Any] = {"error_cb": on_error, "disconnected_cb": on_lost, "reconnected_cb": on_back}
        await client.connect(self._servers, max_reconnect_attempts=-1, closed_cb=on_closed, **callbacks, **self._options)

    def _given_up(self) -> None:
        """Reconnect in the background if there are subscriptions. Without them, the next request opens a new
        connection.
        """
        has_subscribers = any(listener.receive != self._on_reply for listener in self._listeners)
        if has_subscribers and not self._closed and self._reopening is None:
            self._reopening = asyncio.ensure_future(self._reopen())

    async def _reopen(self) -> None:
        while self._client.is_closed and not self._closed:
            try:
                await self._ready(self._connect_timeout_s)
            except MembusError:
                await asyncio.sleep(_RECONNECT_WAIT_S)
        self._reopening = None

    async def _all_refuse(self, refusals: asyncio.Queue[Exception]) -> Exception:
        """Return the error of the last server after all have failed."""
        for _ in self._servers:
            last = await refusals.get()
        return last

    async def _opened(self, client: Client) -> None:
        """Subscribe to replies and restore other subscriptions.

        Raises:
            UnauthorizedError: If the server does not permit the reply subjects. Another `inbox_prefix` may be
                permitted.
        """
        self._client = client
        self._inbox = client.new_inbox()
        replies = _Listener(f"{self._inbox}.*", self._on_reply, lambda: None)
        self._listeners = {replies, *(each for each in self._listeners if each.receive != self._on_reply)}
        for listener in self._listeners:
            listener.subscription = await client.subscribe(listener.subject, cb=listener.receive)
        await _flushed(client)
        if replies.refusal is not None:
            await client.close()
            raise UnauthorizedError(replies.refusal)
        self._connected.set()

    @property
    def max_payload(self) -> int:
        return self._client.max_payload

    def require_open(self) -> None:
        if self._closed:
            raise UnavailableError("the client is closed", {"reason": "closed"})

    async def request(self, subject: str, payload: bytes, timeout_s: float, headers: dict[str, str] | None = None) -> bytes:
        """Return the bytes of the reply.

        Raises:
            MembusError: `UnavailableError`, `RequestTimeoutError`, `UnauthorizedError` or `TooLargeError`.
        """
        loop = asyncio.get_running_loop()
        deadline = loop.time() + timeout_s
        await self._ready(timeout_s)
        size = len(payload) + _header_bytes(headers)
        if size > self.max_payload:
            raise _over_max_payload(self.max_payload, size)
        self._count += 1
        token = str(self._count)
        future: asyncio.Future[Msg] = loop.create_future()
        self._waiting[token] = (subject, future)
        try:
            await self._client.publish(subject, payload, f"{self._inbox}.{token}", headers)
            return (await asyncio.wait_for(future, max(0, deadline - loop.time()))).data
        except (asyncio.TimeoutError, nats.errors.TimeoutError):
            raise RequestTimeoutError("the host did not reply in time") from None
        except nats.errors.Error as error:
            raise UnavailableError(f"the connection to NATS is lost: {error}", {"reason": "disconnected"}) from error
        finally:
            del self._waiting[token]

    async def _ready(self, timeout_s: float) -> None:
        self.require_open()
        if self._client.is_connected:
            return
        if self._client.is_closed:
            # nats-py closes a connection permanently after an unknown error of the server.
            async with self._opening:
                if self._client.is_closed and not self._closed:
                    await self.open()
            return
        self._connected.clear()
        try:
            await asyncio.wait_for(self._connected.wait(), timeout_s)
        except asyncio.TimeoutError:
            raise UnavailableError("not connected to NATS", {"reason": "disconnected"}) from None
        self.require_open()

    async def _on_reply(self, message: Msg) -> None:
        _, future = self._waiting.get(message.subject.rpartition(".")[2], ("", None))
        if future is None or future.done():
            return
        if not message.data and (message.headers or {}).get("Status") == _NO_RESPONDERS:
            future.set_exception(UnavailableError("no host responds on this subject: start one with `membus up`", {"reason": "no_responders"}))
        else:
            future.set_result(message)

    def _on_error(self, error: Exception) -> None:
        """Fail the requests and subscriptions that the server has rejected. nats-py reports their subjects in lower
        case: `... for publish to "a2e.default.alice.ping"`.
        """
        text = str(error)
        _log.warning("NATS: %s", text)
        if "permissions violation" not in text:
            return
        for subject, future in self._waiting.values():
            if f'publish to "{subject.lower()}"' in text and not future.done():
                future.set_exception(UnauthorizedError(text))
        for listener in self._listeners:
            if f'subscription to "{listener.subject.lower()}"' in text:
                listener.refusal = text

    def _lost(self, reason: str) -> None:
        for _, future in self._waiting.values():
            if not future.done():
                future.set_exception(UnavailableError(f"the connection is {reason}", {"reason": reason}))

    async def listen(
        self,
        subjects: Sequence[str],
        receive: Callable[[Msg], Awaitable[None]],
        on_close: Callable[[], None] = lambda: None,
    ) -> Callable[[], Awaitable[None]]:
        """Subscribe to subjects. The server has registered the subscriptions when this returns.

        Returns:
            A function that ends the subscriptions.

        Raises:
            UnauthorizedError: If the server rejects a subscription.
            UnavailableError: If the server cannot be reached.
        """
        await self._ready(self._connect_timeout_s)
        listeners = [_Listener(subject, receive, on_close) for subject in subjects]

        async def end() -> None:
            self._listeners.difference_update(listeners)
            for listener in listeners:
                if listener.subscription is not None and not self._client.is_closed:
                    await listener.subscription.unsubscribe()

        self._listeners.update(listeners)
        try:
            for listener in listeners:
                listener.subscription = await self._client.subscribe(listener.subject, cb=receive)
            await _flushed(self._client)
        except (nats.errors.Error, asyncio.TimeoutError) as error:
            self._listeners.difference_update(listeners)
            raise UnavailableError(f"cannot subscribe: {error}", {"reason": "disconnected"}) from error
        for listener in listeners:
            if listener.refusal is not None:
                await end()
                raise UnauthorizedError(listener.refusal)
        return end

    async def close(self) -> None:
        """Fail requests in flight with `unavailable`, flush published messages, and close the connection."""
        self._closed = True
        if self._reopening is not None:
            self._reopening.cancel()
            await asyncio.wait([self._reopening])
        self._lost("closed")
        for listener in self._listeners:
            listener.on_close()
        self._connected.set()
        if self._client.is_connected:
            try:
                await self._client.flush()
            except (nats.errors.Error, asyncio.TimeoutError):
                pass
        await self._client.close()


async def _flushed(client: Client) -> None:
    """Wait until the server has received everything that was written.

    The PING of nats-py may overtake pending writes. The first PONG proves that they are written, the second that the
    server has received them.
    """
    await client.flush()
    await client.flush()


def _header_bytes(headers: dict[str, str] | None) -> int:
    """Return the size of headers in a message. The server counts them, and nats-py does not."""
    if not headers:
        return 0
    lines = sum(len(f"{name}: {value}\r\n".encode()) for name, value in headers.items())
    return len("NATS/1.0\r\n\r\n") + lines


def _over_max_payload(maximum: int, got: int) -> MembusError:
    detail = {"limit": "messageBytes", "max": maximum, "got": got}
    return TooLargeError(f"message too large: {got} bytes, limit of the connection {maximum}", detail)
