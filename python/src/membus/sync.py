"""The memory of an agent, for programs with threads. The methods run in a separate thread.

    with membus.connect(agent="alice") as memory:
        memory.remember("user_name", "Alice", tags=["identity"])
        print(memory.recall("user_name"))

Generated from aio.py by `npm run generate`. Do not edit.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Iterable, Iterator, Literal, Mapping, Sequence

from . import aio
from ._loop_thread import LoopThread, Watch
from ._schema import (
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
from ._store import StoreResult
from .errors import UnavailableError

if TYPE_CHECKING:
    from typing_extensions import Unpack


class AgentMemory:
    """The memory of one agent, in one session and one namespace. Created by `connect`.

    Arguments and results use the names of the protocol. Every method accepts `timeout_s`, the seconds that one attempt
    waits. It also accepts `retry_timeout_s`, the seconds during which a request is retried with the same id after a
    retryable error.

    Every method raises `MembusError` for an error of the bus or the host, after the retries that the error allows. It
    raises `TypeError` or `ValueError` for invalid arguments, before anything is sent.
    """

    def __init__(self, thread: LoopThread, memory: aio.AsyncAgentMemory) -> None:
        self._thread = thread
        self._memory = memory

    @property
    def agent(self) -> str:
        return self._memory.agent

    @property
    def tenant(self) -> str:
        return self._memory.tenant

    @property
    def session(self) -> str:
        return self._memory.session

    @property
    def namespace(self) -> str:
        return self._memory.namespace

    def for_agent(self, agent: str) -> AgentMemory:
        """Return the memory of another agent over the same connection. The server must permit this connection to act as
        that agent.
        """
        return AgentMemory(self._thread, self._memory.for_agent(agent))

    def for_session(self, session: str) -> AgentMemory:
        """Return this memory with the working tier of another session, over the same connection."""
        return AgentMemory(self._thread, self._memory.for_session(session))

    def in_namespace(self, namespace: str) -> AgentMemory:
        """Return this memory with another namespace, such as `a/b/c`, over the same connection."""
        return AgentMemory(self._thread, self._memory.in_namespace(namespace))

    def store(
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
        return self._thread.run(
            self._memory.store(
                entries,
                id=id,
                ack=ack,
                requires=requires,
                partial=partial,
                timeout_s=timeout_s,
                retry_timeout_s=retry_timeout_s,
            )
        )

    def retrieve(
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
        return self._thread.run(self._memory.retrieve(timeout_s=timeout_s, retry_timeout_s=retry_timeout_s, **request))

    def entries(
        self,
        *,
        page_size: int = 100,
        allow_approximate: bool = False,
        timeout_s: float | None = None,
        retry_timeout_s: float | None = None,
        **request: Unpack[RetrieveRequest],
    ) -> Iterator[MemoryEntry]:
        """Iterate over all entries that match all criteria, fetching pages on demand.

        `limit` ends the iteration earlier, and is not bounded here. `allow_approximate` accepts pages that an index
        chose the entries of.

        Raises:
            MembusError: Also if `retrieve` would report a tier as `degraded` or, unless allowed, `approximate`.
            TypeError: For `diversity` and `rerank`, which return a single page.
        """
        return self._thread.iterate(
            self._memory.entries(
                page_size=page_size,
                allow_approximate=allow_approximate,
                timeout_s=timeout_s,
                retry_timeout_s=retry_timeout_s,
                **request,
            )
        )

    def list(
        self, *, timeout_s: float | None = None, retry_timeout_s: float | None = None, **request: Unpack[ListRequest]
    ) -> ListResponse:
        """Return the distinct values of `field` in the entries that match all criteria, without reading the entries.

        Without `field`, the namespaces below the one of this view are returned. The page has 100 items unless `limit`
        is set [LIST-1] [LIST-6].

        Returns:
            The reply with `items`, ordered by `name`, `count` or `newest`. Each has `value`, `count`, `newest` (Unix
            seconds) and `bytes`.
        """
        return self._thread.run(self._memory.list(timeout_s=timeout_s, retry_timeout_s=retry_timeout_s, **request))

    def items(
        self,
        *,
        page_size: int = 100,
        timeout_s: float | None = None,
        retry_timeout_s: float | None = None,
        **request: Unpack[ListRequest],
    ) -> Iterator[ListItem]:
        """Iterate over all items of a list, fetching pages on demand. `limit` ends the iteration earlier, and is not
        bounded here.
        """
        return self._thread.iterate(
            self._memory.items(
                page_size=page_size,
                timeout_s=timeout_s,
                retry_timeout_s=retry_timeout_s,
                **request,
            )
        )

    def forget(
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
        return self._thread.run(self._memory.forget(id=id, timeout_s=timeout_s, retry_timeout_s=retry_timeout_s, **criteria))

    def remember(
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
        return self._thread.run(
            self._memory.remember(
                key,
                value,
                tier=tier,
                tags=tags,
                ttl=ttl,
                score=score,
                id=id,
                timeout_s=timeout_s,
                retry_timeout_s=retry_timeout_s,
            )
        )

    def recall(
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
        return self._thread.run(
            self._memory.recall(
                key,
                default,
                tier=tier,
                timeout_s=timeout_s,
                retry_timeout_s=retry_timeout_s,
            )
        )

    def status(
        self, request_id: str, *, timeout_s: float | None = None, retry_timeout_s: float | None = None
    ) -> StatusResponse:
        """Return the result of an earlier store of this agent, for example one with `ack="queued"`: `done`, `receipts`
        and `errors`.

        Raises `MemoryNotFoundError` if the host does not know the request, or no longer knows it [STATUS-4].
        """
        return self._thread.run(self._memory.status(request_id, timeout_s=timeout_s, retry_timeout_s=retry_timeout_s))

    def forget_status(
        self, request_id: str, *, timeout_s: float | None = None, retry_timeout_s: float | None = None
    ) -> StatusResponse:
        """Return whether the bytes deleted by an earlier forget of this agent are erased from disk.

        `purge` is `done`, with `purged_at`, or `scheduled`, with `purge_by` if that time is known [STATUS-5].
        `purge_reason` names an obstacle that delays the erasure [STATUS-8].
        """
        return self._thread.run(self._memory.forget_status(request_id, timeout_s=timeout_s, retry_timeout_s=retry_timeout_s))

    def watch(
        self,
        *,
        tier: MemoryTier | None = None,
        action: Literal["stored", "forgotten", "expired", "evicted"] | None = None,
        namespace: str | None = None,
        agents: Literal["own", "all"] = "own",
    ) -> Watch:
        """Receive events of changes to entries from now on, optionally of one tier, action, namespace or subtree
        `a/**`.

        `agents="own"` covers the entries of this agent in every session and namespace, and all entries of the shared
        tier. `"all"` covers every agent of the tenant, as far as the server permits.
        """
        return Watch(self._thread, self._thread.run(self._memory.watch(tier=tier, action=action, namespace=namespace, agents=agents)))

    def ping(self, *, timeout_s: float | None = None, retry_timeout_s: float = 0) -> Pong:
        """Return the host that responds, and the tiers that it serves. Not retried unless `retry_timeout_s` is set."""
        return self._thread.run(self._memory.ping(timeout_s=timeout_s, retry_timeout_s=retry_timeout_s))


class MemoryClient(AgentMemory):
    """The memory of an agent, with its connection to the host: `with connect(...) as memory`."""

    def __init__(self, thread: LoopThread, client: aio.AsyncMemoryClient) -> None:
        super().__init__(thread, client)
        self._client = client

    def close(self) -> None:
        """Wait until all requests in flight have succeeded or failed, without further retries, and close the
        connection.

        Views share the connection. Later calls raise `UnavailableError`.
        """
        try:
            self._thread.run(self._client.close())
        except UnavailableError:
            return
        self._thread.stop()

    def __enter__(self) -> MemoryClient:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def connect(
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
) -> MemoryClient:
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
    thread = LoopThread()
    try:
        client = thread.run(
            aio.connect(
                servers,
                agent=agent,
                tenant=tenant,
                session=session,
                namespace=namespace,
                prefix=prefix,
                tier_subjects=tier_subjects,
                timeout_s=timeout_s,
                retry_timeout_s=retry_timeout_s,
                connect_timeout_s=connect_timeout_s,
                **nats_options,
            )
        )
        return MemoryClient(thread, client)
    except BaseException:
        thread.stop()
        raise
