"""The memory of an agent, for asyncio.

    memory = await membus.aio.connect(agent="alice")
    await memory.remember("user_name", "Alice", tags=["identity"])
    print(await memory.recall("user_name"))
    await memory.close()
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, AsyncIterator, Callable, Iterable, Literal, Mapping, Sequence

from ._connection import Connection
from ._exchange import Exchange, Patience, new_id, request_fields, write_request
from ._identity import Identity
from ._pages import content_by_tier, follow_pages, require_whole
from ._schema import (
    PROTOCOL_VERSION,
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
from ._store import StoreResult, add_failure, add_reply, check_entries, only_tier, read_store_reply, split
from ._values import require_number
from ._watch import AsyncWatch, watch_events
from .errors import MembusError, error_of

if TYPE_CHECKING:
    from typing_extensions import Unpack

#: Parts of a split store append their number to the id, which has at most 128 characters.
_ID_LENGTH_MAX = 120


class AsyncMemory:
    """The memory of one agent, in one session and one namespace. Made by `connect`.

    Arguments and results have the protocol's own names; times of the call itself are `timeout_s`, how long one attempt waits, and
    `retry_timeout_s`, how long a request that failed for a passing reason is tried again under the same id.

    Every method raises `MembusError` for what the bus or the host reports, after the retries that the error allows, and
    `TypeError` or `ValueError`, before anything is sent, for a mistake in the call.
    """

    def __init__(self, exchange: Exchange, identity: Identity, patience: Patience) -> None:
        self._exchange = exchange
        self._identity = identity
        self._patience = patience

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

    def for_agent(self, agent: str) -> AsyncMemory:
        """The memory of another agent, as far as the server lets this connection speak for it. Shares the connection."""
        return AsyncMemory(self._exchange, replace(self._identity, agent=agent), self._patience)

    def for_session(self, session: str) -> AsyncMemory:
        """The same with the working tier of another session. Shares the connection."""
        return AsyncMemory(self._exchange, replace(self._identity, session=session), self._patience)

    def in_namespace(self, namespace: str) -> AsyncMemory:
        """The same in another namespace, `a/b/c`. Shares the connection."""
        return AsyncMemory(self._exchange, replace(self._identity, namespace=namespace), self._patience)

    async def store(
        self,
        entries: Mapping[str, Any] | Iterable[Mapping[str, Any]],
        *,
        id: str | None = None,
        ack: Ack | None = None,
        requires: Sequence[str] | None = None,
        timeout_s: float | None = None,
        retry_timeout_s: float | None = None,
    ) -> StoreResult:
        """Stores entries in the namespace of this view: any number, in requests of as many as fit. An entry is a `StoreEntry`:
        `key` and `content`, and what else is known; one that was retrieved may be changed and stored again.

        `ack` is "stored" (durable and embedded, the default) or "queued" (durable). With an `id` of its own, 1..120 printable
        characters, the whole call may be repeated, by another process too: it has one effect [RETRY-1].

        Returns what became of each entry. One that is refused, such as one over 256 KiB, is in `errors` and keeps none of its
        neighbours from being stored: look at `errors`, also for a single entry. Raises what befalls the first request; what befalls
        a later one ends the call, and `errors` has every entry that is left [STORE-2].
        """
        checked, errors = check_entries([entries] if isinstance(entries, Mapping) else entries)
        patience = self._patience.changed(timeout_s, retry_timeout_s)
        given = {"ack": ack, "requires": None if requires is None else list(requires)}
        fields = {"namespace": self.namespace, **{name: value for name, value in given.items() if value is not None}}

        def write(part_id: str, part: list[dict[str, Any]]) -> Any:
            subject = self._identity.subject("memory/store/req", only_tier(part))
            return write_request("memory/store/req", part_id, subject, self._envelope(patience), {**fields, "entries": part})

        parts, too_large = split(checked, _checked_id(id), self._exchange.connection.max_payload, write)
        result: StoreResult = {"stored": [], "errors": [*errors, *too_large], "receipts": [], "request_ids": []}
        for n, (request, sent) in enumerate(parts):
            result["request_ids"].append(request.id)
            try:
                reply = await self._exchange.send(request, patience, lambda reply: read_store_reply(reply, len(sent)))
            except MembusError as error:
                if n == 0:
                    raise
                add_failure(result, (entry for part in parts[n:] for entry in part.entries), error)
                break
            add_reply(result, reply, sent)
        result["errors"].sort(key=lambda error: error["index"])
        return result

    async def retrieve(
        self, *, timeout_s: float | None = None, retry_timeout_s: float | None = None, **request: Unpack[RetrieveRequest]
    ) -> RetrieveResponse:
        """One page of the entries that meet all criteria, the best or newest first; 10 unless `limit` says otherwise, in this
        view's namespace unless `namespace` names another or a subtree `a/**`.

        Returns the reply: `entries`, none where there are none, and `total`. `cursor` is there while more may follow: the same
        request with it is the next page. `degraded` names the tiers that could not, or not fully, be asked [RET-13].
        """
        patience = self._patience.changed(timeout_s, retry_timeout_s)
        return await self._retrieve(dict(request), patience, lambda reply: None)

    async def entries(
        self,
        *,
        page_size: int = 100,
        timeout_s: float | None = None,
        retry_timeout_s: float | None = None,
        **request: Unpack[RetrieveRequest],
    ) -> AsyncIterator[MemoryEntry]:
        """All entries that meet the criteria, page by page as they are read; `limit`, which has no bound here, ends it earlier.

        Raises also where `retrieve` would report a tier as `degraded`: nothing is left out in silence. `diversity` and `rerank`
        give one page, and are a `TypeError` here.
        """
        if request.get("diversity") or request.get("rerank"):
            raise TypeError("diversity and rerank give one page: retrieve it")
        patience = self._patience.changed(timeout_s, retry_timeout_s)

        async def fetch(fields: dict[str, Any]) -> RetrieveResponse:
            return await self._retrieve(fields, patience, require_whole)

        async for page in follow_pages(dict(request), page_size, fetch, "entries"):
            for entry in page["entries"]:
                yield entry

    async def list(
        self, *, timeout_s: float | None = None, retry_timeout_s: float | None = None, **request: Unpack[ListRequest]
    ) -> ListResponse:
        """What there is, without reading it: the distinct values of `field` among the entries that meet all criteria, or without
        `field` the namespaces below this view's; 100 unless `limit` says otherwise [LIST-1] [LIST-6].

        Returns the reply: `items` by `name`, `count` or `newest`, each with `value`, `count`, `newest` (Unix seconds) and `bytes`.
        """
        patience = self._patience.changed(timeout_s, retry_timeout_s)
        return await self._list(dict(request), patience, lambda reply: None)

    async def items(
        self,
        *,
        page_size: int = 100,
        timeout_s: float | None = None,
        retry_timeout_s: float | None = None,
        **request: Unpack[ListRequest],
    ) -> AsyncIterator[ListItem]:
        """All items of a list, page by page as they are read; `limit`, which has no bound here, ends it earlier."""
        patience = self._patience.changed(timeout_s, retry_timeout_s)

        async def fetch(fields: dict[str, Any]) -> ListResponse:
            return await self._list(fields, patience, require_whole)

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
        """Deletes all entries that meet all criteria; with `dry_run=True` it only counts them. Without criteria, and for all of
        the shared tier, it needs `all=True` [FORGET-1] [FORGET-3]. With `cascade=True` also what was derived from them, as
        `sources` say [CASC-1]; with `purge=True` the reply comes when no byte of them is left on disk [FORGET-9]. A criterion that
        is None is a `TypeError`: without it more would be forgotten.

        Returns the reply: `deleted`, 0 where there were none, and `receipt`. Its `req_id` is what `forget_status` takes.
        """
        patience = self._patience.changed(timeout_s, retry_timeout_s)
        fields: dict[str, Any] = dict(criteria)
        for name, value in fields.items():
            if value is None and name != "namespace":
                raise TypeError(f"`{name}` is None: without it more is forgotten; leave it out if that is meant")
        if fields.get("namespace") is None:
            fields["namespace"] = self.namespace
        reply: ForgetResponse = await self._ask("memory/forget/req", fields, patience, _checked_id(id))
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
        """Stores one value under a key, in the working tier unless told otherwise. `ttl` is seconds until it ends; 0 and None: never.
        `score` is how important it is, 0..1: the `importance` of the entry. Raises also the error of the entry."""
        if score is not None:
            require_number("score", score, "0..1", lambda number: 0 <= number <= 1)
        given = {"tier": tier, "tags": None if tags is None else [*tags], "ttl": ttl, "importance": score}
        entry = {"key": key, "content": value, **{name: each for name, each in given.items() if each is not None}}
        result = await self.store(entry, id=id, timeout_s=timeout_s, retry_timeout_s=retry_timeout_s)
        if result["errors"]:
            raise error_of(result["errors"][0])
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
        """The content under a key: of the working tier if it is there, else of the episodic, else of the semantic one; `default`
        where there is none. None is a content like any other. Raises where a tier fails that might have had the answer."""
        missing = object()
        fields: dict[str, Any] = {"keys": [key], "limit": len(TIERS), **({} if tier is None else {"tier": tier})}
        patience = self._patience.changed(timeout_s, retry_timeout_s)
        reply = await self._retrieve(fields, patience, lambda reply: content_by_tier(reply, missing))
        content = content_by_tier(reply, missing)
        return default if content is missing else content

    async def status(
        self, request_id: str, *, timeout_s: float | None = None, retry_timeout_s: float | None = None
    ) -> StatusResponse:
        """What became of an earlier store of this agent, such as one with `ack="queued"`: `done`, `receipts`, `errors`.

        Raises `MemoryNotFoundError` where the host does not know it, or no more [STATUS-4]."""
        patience = self._patience.changed(timeout_s, retry_timeout_s)
        reply: StatusResponse = await self._ask("memory/status/req", {"request_id": request_id}, patience)
        return reply

    async def forget_status(
        self, request_id: str, *, timeout_s: float | None = None, retry_timeout_s: float | None = None
    ) -> StatusResponse:
        """Whether the bytes that an earlier forget of this agent took are gone from disk: `purge` is `done`, with `purged_at`, or
        `scheduled`, with `purge_by` where that is known [STATUS-5]."""
        patience = self._patience.changed(timeout_s, retry_timeout_s)
        fields = {"request_id": request_id, "kind": "forget"}
        reply: StatusResponse = await self._ask("memory/status/req", fields, patience)
        return reply

    async def watch(
        self,
        *,
        tier: MemoryTier | None = None,
        action: Literal["stored", "forgotten", "expired", "evicted"] | None = None,
        namespace: str | None = None,
        agents: Literal["own", "all"] = "own",
    ) -> AsyncWatch:
        """What happens from now on to the agent's own entries, in every session and namespace, and to those of the shared tier,
        whoever did it; with `agents="all"` to those of every agent of the tenant, as far as the server lets this connection hear
        of them. `namespace` is one, or a subtree `a/**`."""
        self._exchange.require_open()
        connection = self._exchange.connection
        return await watch_events(connection, self._identity, tier=tier, action=action, namespace=namespace, agents=agents)

    async def ping(self, *, timeout_s: float | None = None, retry_timeout_s: float = 0) -> Pong:
        """Which host answers now, and the tiers that it serves. Never tried again unless told to."""
        reply: Pong = await self._ask("ping", {}, self._patience.changed(timeout_s, retry_timeout_s))
        return reply

    def _envelope(self, patience: Patience) -> dict[str, Any]:
        session = {"session_id": self.session} if self.session else {}
        return {"version": PROTOCOL_VERSION, "deadline_ms": max(1, round(patience.timeout_s * 1000)), **session}

    async def _ask(
        self,
        type: str,
        fields: dict[str, Any],
        patience: Patience,
        id: str | None = None,
        check: Callable[[Any], object] = lambda reply: None,
    ) -> Any:
        known = request_fields(type, {name: value for name, value in fields.items() if value is not None})
        subject = self._identity.subject(type, known.get("tier"))
        request = write_request(type, id or new_id(), subject, self._envelope(patience), known)

        def read(reply: dict[str, Any]) -> dict[str, Any]:
            check(reply)
            return reply

        return await self._exchange.send(request, patience, read)

    async def _retrieve(self, fields: dict[str, Any], patience: Patience, check: Callable[[Any], object]) -> RetrieveResponse:
        fields["namespace"] = fields.get("namespace") or self.namespace
        reply: RetrieveResponse = await self._ask("memory/retrieve/req", fields, patience, check=check)
        return reply

    async def _list(self, fields: dict[str, Any], patience: Patience, check: Callable[[Any], object]) -> ListResponse:
        own = self.namespace if fields.get("field") else f"{self.namespace}/**"
        fields["namespace"] = fields.get("namespace") or own
        reply: ListResponse = await self._ask("memory/list/req", fields, patience, check=check)
        return reply


class AsyncMemoryClient(AsyncMemory):
    """An agent's memory together with the connection to its host: `async with await connect(...) as memory`."""

    async def close(self) -> None:
        """Waits until every request in flight is answered or has failed, without further retries, and closes the connection.
        Views end with it; later calls raise `UnavailableError`."""
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
    """Connects to a host over NATS.

    `agent` says whose memory it is, `tenant` with whom the semantic tier is shared, `session` whose the working tier is, `namespace`
    where entries are stored and looked for. `tier_subjects=True` names the tier in subjects, for an agent that the server lets reach
    some tiers alone. `timeout_s` (0.001..600) is how long one attempt waits, and the host's deadline; `retry_timeout_s` (0..86400) how
    long a request is tried again, 0: never. Others are options of nats-py's `connect`: `user`, `password`, `token`,
    `user_credentials`, `nkeys_seed`, `tls`, `inbox_prefix`, `name`.

    A lost connection is made again, however long that takes. Raises `UnavailableError` where no server can be reached,
    `UnauthorizedError` where it refuses. That a host listens is not asked: see `ping`.
    """
    identity = Identity(agent, tenant, session, namespace, prefix, tier_subjects)
    patience = Patience(timeout_s, retry_timeout_s)
    addresses = servers if isinstance(servers, str) else [*servers]
    connection = Connection(addresses, connect_timeout_s, nats_options)
    await connection.open()
    return AsyncMemoryClient(Exchange(connection), identity, patience)


def _checked_id(id: str | None) -> str:
    if id is None:
        return new_id()
    if not isinstance(id, str) or not 1 <= len(id) <= _ID_LENGTH_MAX or not id.isprintable():
        raise ValueError(f"id must be 1..{_ID_LENGTH_MAX} printable characters")
    return id
