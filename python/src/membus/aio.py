"""The memory of an agent, for asyncio.

    memory = await membus.aio.connect(agent="alice")
    await memory.remember("user_name", "Alice", tags=["identity"])
    print(await memory.recall("user_name"))
    await memory.close()
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, AsyncIterator, Iterable, Literal, Mapping, Sequence

from ._connection import Connection
from ._exchange import Exchange, RetryPolicy, write_request
from ._identity import Identity
from ._memory_requests import MemoryRequests, check_id
from ._pages import content_by_tier, follow_pages, require_complete, require_whole
from ._request_tracer import load_tracer
from ._schema import (
    TIERS,
    Ack,
    ForgetRequest,
    ForgetResponse,
    KeyReference,
    ListItem,
    ListRequest,
    ListResponse,
    MemoryEntry,
    MemoryKey,
    MemoryTier,
    Pong,
    RetrieveRequest,
    RetrieveResponse,
    StatusResponse,
    StoreReceipt,
)
from ._store import StoreResult, add_failure, add_reply, check_entries, only_tier, read_store_reply, refusal_of, split
from ._values import require_number
from ._watch import AsyncWatch, watch_events
from .errors import MembusError

if TYPE_CHECKING:
    from typing_extensions import Unpack


class AsyncAgentMemory(MemoryRequests):
    """The memory of one agent, in one session and one namespace. Created by `connect`.

    Arguments and results use the names of the protocol. Every method accepts `timeout_s`, the seconds that one attempt
    waits. It also accepts `retry_timeout_s`, the seconds during which a request is retried with the same id after a
    retryable error.

    Every method raises `MembusError` for an error of the bus or the host, after the retries that the error allows. It
    raises `TypeError` or `ValueError` for invalid arguments, before anything is sent.
    """

    @property
    def agent(self) -> str:
        return self._identity.agent

    @property
    def tenant(self) -> str:
        return self._identity.tenant

    @property
    def session(self) -> str:
        return self._identity.session

    @property
    def namespace(self) -> str:
        return self._identity.namespace

    def for_agent(self, agent: str) -> AsyncAgentMemory:
        """Return the memory of another agent over the same connection. The server must permit this connection to act as
        that agent.
        """
        return AsyncAgentMemory(self._exchange, replace(self._identity, agent=agent), self._policy)

    def for_session(self, session: str) -> AsyncAgentMemory:
        """Return this memory with the working tier of another session, over the same connection."""
        return AsyncAgentMemory(self._exchange, replace(self._identity, session=session), self._policy)

    def in_namespace(self, namespace: str) -> AsyncAgentMemory:
        """Return this memory with another namespace, such as `a/b/c`, over the same connection."""
        return AsyncAgentMemory(self._exchange, replace(self._identity, namespace=namespace), self._policy)

    async def store(
        self,
        entries: Mapping[str, Any] | Iterable[Mapping[str, Any]],
        *,
        id: str | None = None,
        ack: Ack | None = None,
        requires: Sequence[str] | None = None,
        partial: bool = False,
        timeout_s: float | None = None,
        retry_timeout_s: float | None = None,
    ) -> StoreResult:
        """Store any number of entries in the namespace of this view, split into requests of suitable size.

        Args:
            entries: One `StoreEntry` or several, each with `key` and `content` and optional fields. A retrieved entry
                can be changed and stored again.
            id: Idempotency key of 1..120 printable characters. Repeating the call with the same id, even from another
                process, has no further effect [RETRY-1].
            ack: "stored" (durable and embedded, the default) or "queued" (durable).
            requires: Names of features that the host must support.
            partial: Whether refused entries are returned as `errors` instead of raising an error.

        Returns:
            The result of each entry. A refused entry, such as one over 256 KiB, does not affect others.

        Raises:
            MembusError: If an entry is refused, unless `partial` is true. The error is that of the first refused entry,
                and its `result` has the outcome of each entry. Also if the first request fails. If a later request
                fails, the call ends and all remaining entries count as refused [STORE-2].
        """
        checked, errors = check_entries([entries] if isinstance(entries, Mapping) else entries)
        policy = self._policy.changed(timeout_s, retry_timeout_s)
        given = {"ack": ack, "requires": None if requires is None else list(requires)}
        fields = {"namespace": self.namespace, **{name: value for name, value in given.items() if value is not None}}

        def write(part_id: str, part: list[dict[str, Any]]) -> Any:
            subject = self._identity.subject("memory/store/req", only_tier(part))
            return write_request("memory/store/req", part_id, subject, self._envelope(policy), {**fields, "entries": part})

        parts, too_large = split(checked, check_id(id), self._exchange.connection.max_payload, write)
        result = StoreResult([], [*errors, *too_large])
        for n, (request, sent) in enumerate(parts):
            result["request_ids"].append(request.id)
            try:
                reply = await self._exchange.send(request, policy, lambda reply: read_store_reply(reply, len(sent)))
            except MembusError as error:
                if n == 0:
                    raise
                add_failure(result, (entry for part in parts[n:] for entry in part.entries), error)
                break
            add_reply(result, reply, sent)
        result["errors"].sort(key=lambda error: error["index"])
        if result["errors"] and not partial:
            raise refusal_of(result)
        return result

    async def retrieve(
        self, *, timeout_s: float | None = None, retry_timeout_s: float | None = None, **request: Unpack[RetrieveRequest]
    ) -> RetrieveResponse:
        """Return one page of the entries that match all criteria, best or newest first.

        The page has 10 entries unless `limit` is set. The namespace is the one of this view unless `namespace` names
        another, or a subtree `a/**`.

        Returns:
            The reply with `entries` (empty if none match) and `total`. If more entries may follow, it contains a
            `cursor`: repeat the request with it for the next page. `degraded` lists tiers that were not or not fully
            searched [RET-13]. `approximate` lists tiers that an index chose entries from [RET-49].
        """
        policy = self._policy.changed(timeout_s, retry_timeout_s)
        return await self._retrieve(dict(request), policy, lambda reply: None)

    async def entries(
        self,
        *,
        page_size: int = 100,
        allow_approximate: bool = False,
        timeout_s: float | None = None,
        retry_timeout_s: float | None = None,
        **request: Unpack[RetrieveRequest],
    ) -> AsyncIterator[MemoryEntry]:
        """Iterate over all entries that match all criteria, fetching pages on demand.

        `limit` ends the iteration earlier, and is not bounded here. `allow_approximate` accepts pages that an index
        chose the entries of.

        Raises:
            MembusError: Also if `retrieve` would report a tier as `degraded` or, unless allowed, `approximate`.
            TypeError: For `diversity` and `rerank`, which return a single page.
        """
        if request.get("diversity") or request.get("rerank"):
            raise TypeError("`diversity` and `rerank` return a single page and cannot be iterated: use retrieve()")
        policy = self._policy.changed(timeout_s, retry_timeout_s)

        async def fetch(fields: dict[str, Any]) -> RetrieveResponse:
            return await self._retrieve(fields, policy, require_whole if allow_approximate else require_complete)

        async for page in follow_pages(dict(request), page_size, fetch, "entries"):
            for entry in page["entries"]:
                yield entry

    async def list(
        self, *, timeout_s: float | None = None, retry_timeout_s: float | None = None, **request: Unpack[ListRequest]
    ) -> ListResponse:
        """Return the distinct values of `field` in the entries that match all criteria, without reading the entries.

        Without `field`, the namespaces below the one of this view are returned. The page has 100 items unless `limit`
        is set [LIST-1] [LIST-6].

        Returns:
            The reply with `items`, ordered by `name`, `count` or `newest`. Each has `value`, `count`, `newest` (Unix
            seconds) and `bytes`.
        """
        policy = self._policy.changed(timeout_s, retry_timeout_s)
        return await self._list(dict(request), policy, lambda reply: None)

    async def items(
        self,
        *,
        page_size: int = 100,
        timeout_s: float | None = None,
        retry_timeout_s: float | None = None,
        **request: Unpack[ListRequest],
    ) -> AsyncIterator[ListItem]:
        """Iterate over all items of a list, fetching pages on demand. `limit` ends the iteration earlier, and is not
        bounded here.
        """
        policy = self._policy.changed(timeout_s, retry_timeout_s)

        async def fetch(fields: dict[str, Any]) -> ListResponse:
            return await self._list(fields, policy, require_whole)

        async for page in follow_pages(dict(request), page_size, fetch, "items"):
            for item in page["items"]:
                yield item

    async def forget(
        self,
        *,
        id: str | None = None,
        timeout_s: float | None = None,
        retry_timeout_s: float | None = None,
        **criteria: Unpack[ForgetRequest],
    ) -> ForgetResponse:
        """Delete all entries that match all criteria.

        With `dry_run=True` the entries are only counted. Without criteria, and for the whole shared tier, `all=True` is
        required [FORGET-1] [FORGET-3]. With `cascade=True`, entries derived from them (by `sources`) are deleted as
        well [CASC-1]. With `purge=True`, the reply is sent once no byte of them is left on disk [FORGET-9].

        Returns:
            The reply with `deleted` (0 if none match) and `receipt`. Pass its `req_id` to `forget_status`.

        Raises:
            TypeError: For a criterion that is None, because the request would delete more without it.
        """
        policy = self._policy.changed(timeout_s, retry_timeout_s)
        fields: dict[str, Any] = dict(criteria)
        for name, value in fields.items():
            if value is None and name != "namespace":
                raise TypeError(f"`{name}` is None, which would forget more entries: omit it if that is intended")
        if fields.get("namespace") is None:
            fields["namespace"] = self.namespace
        reply: ForgetResponse = await self._send("memory/forget/req", fields, policy, check_id(id))
        return reply

    async def remember(
        self,
        key: MemoryKey,
        value: Any,
        *,
        tier: MemoryTier | None = None,
        tags: Sequence[str] | None = None,
        ttl: float | None = None,
        score: float | None = None,
        id: str | None = None,
        timeout_s: float | None = None,
        retry_timeout_s: float | None = None,
    ) -> StoreReceipt:
        """Store one value under a key, in the working tier by default. Raises also the error of a rejected entry.

        `ttl` is the time to live in seconds, where 0 and None mean never. `score` is the `importance` of the entry,
        0..1.
        """
        if score is not None:
            require_number("score", score, "0..1", lambda number: 0 <= number <= 1)
        given = {"tier": tier, "tags": None if tags is None else [*tags], "ttl": ttl, "importance": score}
        entry = {"key": key, "content": value, **{name: each for name, each in given.items() if each is not None}}
        result = await self.store(entry, id=id, timeout_s=timeout_s, retry_timeout_s=retry_timeout_s)
        return result["receipts"][0]

    async def recall(
        self,
        key: KeyReference,
        default: Any = None,
        *,
        tier: MemoryTier | None = None,
        timeout_s: float | None = None,
        retry_timeout_s: float | None = None,
    ) -> Any:
        """Return the content under a key from the working, else the episodic, else the semantic tier.

        Returns `default` if the key does not exist. None is a valid content. Raises also if a tier fails that might
        contain the key.
        """
        missing = object()
        fields: dict[str, Any] = {"keys": [key], "limit": len(TIERS), **({} if tier is None else {"tier": tier})}
        policy = self._policy.changed(timeout_s, retry_timeout_s)
        reply = await self._retrieve(fields, policy, lambda reply: content_by_tier(reply, missing))
        content = content_by_tier(reply, missing)
        return default if content is missing else content

    async def status(
        self, request_id: str, *, timeout_s: float | None = None, retry_timeout_s: float | None = None
    ) -> StatusResponse:
        """Return the result of an earlier store of this agent, for example one with `ack="queued"`: `done`, `receipts`
        and `errors`.

        Raises `MemoryNotFoundError` if the host does not know the request, or no longer knows it [STATUS-4].
        """
        policy = self._policy.changed(timeout_s, retry_timeout_s)
        reply: StatusResponse = await self._send("memory/status/req", {"request_id": request_id}, policy)
        return reply

    async def forget_status(
        self, request_id: str, *, timeout_s: float | None = None, retry_timeout_s: float | None = None
    ) -> StatusResponse:
        """Return whether the bytes deleted by an earlier forget of this agent are erased from disk.

        `purge` is `done`, with `purged_at`, or `scheduled`, with `purge_by` if that time is known [STATUS-5].
        `purge_reason` names an obstacle that delays the erasure [STATUS-8].
        """
        policy = self._policy.changed(timeout_s, retry_timeout_s)
        fields = {"request_id": request_id, "kind": "forget"}
        reply: StatusResponse = await self._send("memory/status/req", fields, policy)
        return reply

    async def watch(
        self,
        *,
        tier: MemoryTier | None = None,
        action: Literal["stored", "forgotten", "expired", "evicted"] | None = None,
        namespace: str | None = None,
        agents: Literal["own", "all"] = "own",
    ) -> AsyncWatch:
        """Receive events of changes to entries from now on, optionally of one tier, action, namespace or subtree
        `a/**`.

        `agents="own"` covers the entries of this agent in every session and namespace, and all entries of the shared
        tier. `"all"` covers every agent of the tenant, as far as the server permits.
        """
        self._exchange.require_open()
        connection = self._exchange.connection
        return await watch_events(connection, self._identity, tier=tier, action=action, namespace=namespace, agents=agents)

    async def ping(self, *, timeout_s: float | None = None, retry_timeout_s: float = 0) -> Pong:
        """Return the host that responds, and the tiers that it serves. Not retried unless `retry_timeout_s` is set."""
        reply: Pong = await self._send("ping", {}, self._policy.changed(timeout_s, retry_timeout_s))
        return reply


class AsyncMemoryClient(AsyncAgentMemory):
    """The memory of an agent, with its connection to the host: `async with await connect(...) as memory`."""

    async def close(self) -> None:
        """Wait until all requests in flight have succeeded or failed, without further retries, and close the
        connection.

        Views share the connection. Later calls raise `UnavailableError`.
        """
        await self._exchange.close()

    async def __aenter__(self) -> AsyncMemoryClient:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()


async def connect(
    servers: str | Sequence[str] = "nats://127.0.0.1:4222",
    *,
    agent: str,
    tenant: str = "default",
    session: str = "",
    namespace: str = "default",
    prefix: str = "a2e",
    tier_subjects: bool = False,
    timeout_s: float = 5,
    retry_timeout_s: float = 30,
    connect_timeout_s: float = 5,
    **nats_options: Any,
) -> AsyncMemoryClient:
    """Connect to a host over NATS. A lost connection is restored automatically, without a time limit.

    Args:
        servers: URL of the NATS server, or several.
        agent: Agent that owns the memory.
        tenant: Tenant that shares the semantic tier.
        session: Session of the working tier.
        namespace: Namespace in which entries are stored and searched.
        prefix: First tokens of every subject.
        tier_subjects: Name the tier in subjects. Required for an agent that the server restricts to some tiers.
        timeout_s: Seconds that one attempt waits, 0.001..600. Also the deadline for the host.
        retry_timeout_s: Seconds during which a request is retried, 0..86400. 0 disables retries.
        connect_timeout_s: Seconds to wait for the connection.
        nats_options: Options for `connect` of nats-py: `user`, `password`, `token`, `user_credentials`, `nkeys_seed`,
            `tls`, `inbox_prefix`, `name`.

    Raises:
        UnavailableError: If no server can be reached. The host itself is not checked: see `ping`.
        UnauthorizedError: If the server rejects the credentials.
    """
    identity = Identity(agent, tenant, session, namespace, prefix, tier_subjects)
    policy = RetryPolicy(timeout_s, retry_timeout_s)
    addresses = servers if isinstance(servers, str) else [*servers]
    exchange = Exchange(Connection(addresses, connect_timeout_s, nats_options), load_tracer())
    await exchange.connection.open()
    return AsyncMemoryClient(exchange, identity, policy)
