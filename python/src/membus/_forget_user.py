"""Forgets everything of a user that an agent sees, with a receipt."""

from __future__ import annotations

import uuid
from dataclasses import dataclass, field
from typing import Any, AsyncIterator, Mapping, Sequence

from ._batches import chunks
from ._facts import segment_of, subject_namespace
from ._schema import LIMITS, MemoryTier
from .aio import AsyncAgentMemory

#: Segments after which the next segment of a namespace is a user.
_BEFORE_USER = ("about", "user", "users")
#: Seconds that the marker of a forgotten subject is kept, longer than work in progress takes.
_MARK_KEPT_S = 7 * 86_400
_IS_MARK = {"field": "metadata.kind", "op": "eq", "value": "forgotten"}
_OUT_OF_REACH = (
    "memories of other agents: an agent deletes only its own",
    "working memory of other sessions: it ends with its session",
    "backups, exports and logs: the host does not know them",
)


@dataclass(frozen=True)
class ForgottenUser:
    """Numbers of deleted entries by kind of record, and what remains with the reason. "derived" are entries elsewhere
    that were derived from those of the user, "other" are entries that are no records.
    """

    deleted: dict[str, int] = field(default_factory=dict)
    remains: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class _Place:
    """Entries of a user: a namespace in a tier, and the criteria of a forget."""

    tier: MemoryTier
    namespace: str
    criteria: Mapping[str, Any]


async def forget_user(
    client: AsyncAgentMemory, subject: str, names: Sequence[str], conversations: Sequence[str], purge: bool
) -> ForgottenUser:
    """Delete the entries of a subject `user:<name>` in all tiers of the host."""
    found = [place async for place in _places(client, subject, names, conversations) if await _kinds(client, place)]
    if not purge:
        for tier in {place.tier for place in found}:
            await _mark(client, subject, tier)
    receipt = ForgottenUser()
    for place in found:
        await _forget(client, place, purge, receipt.deleted)
    # Others may have written concurrently.
    async for place in _places(client, subject, names, conversations):
        await _forget(client, place, purge, receipt.deleted)
    async for place in _places(client, subject, names, conversations):
        for kind, count in (await _kinds(client, place)).items():
            receipt.remains.append(f"{count} {kind} in {place.namespace} ({place.tier}): written concurrently")
    if found and not purge:
        receipt.remains.append("bytes on disk, which the host erases later: `purge` waits for it")
        receipt.remains.append(f"a marker in {subject_namespace(subject)}, which expires after 7 days: `purge` leaves none")
    receipt.remains.extend(_OUT_OF_REACH)
    return receipt


async def _places(
    client: AsyncAgentMemory, subject: str, names: Sequence[str], conversations: Sequence[str]
) -> AsyncIterator[_Place]:
    """Yield all places that may have entries of the user."""
    name = subject.partition(":")[2]
    served = (await client.ping(retry_timeout_s=5))["tiers"]
    tiers: list[MemoryTier] = ["working", "episodic", "semantic"]
    for tier in (tier for tier in tiers if tier in served):
        async for item in client.items(namespace="**", tier=tier):
            namespace = str(item["value"])
            if _is_of_user(namespace, subject, [name, *names]):
                yield _Place(tier, namespace, {"all": True})
                continue
            for where in _records_of([name, subject, *names], [subject, *conversations]):
                yield _Place(tier, namespace, {"where": where})


def _is_of_user(namespace: str, subject: str, names: Sequence[str]) -> bool:
    """Return whether all entries of a namespace belong to the user: `about/ada`, `users/ada/notes`, `x/user:ada`."""
    segments = namespace.split("/")
    named = {segment for name in names for segment in (segment_of(name), segment_of(name).replace("~", "%7e"))}
    return segment_of(subject) in segments or any(
        before in _BEFORE_USER and segment in named for before, segment in zip(segments, segments[1:])
    )


def _records_of(names: Sequence[str], conversations: Sequence[str]) -> list[Any]:
    """Return conditions for the records of a user in a namespace of several users. Graphs may store names in lower case."""
    known = [*dict.fromkeys([*names, *(name.lower() for name in names)])]

    def of(kind: str, *fields: str) -> dict[str, Any]:
        named = [{"field": field, "op": "in", "value": known} for field in fields]
        return {"all": [{"field": "metadata.kind", "op": "eq", "value": kind}, {"any": named}]}

    about = {"field": "metadata.about", "op": "in", "value": known}
    records = [of("triple", "metadata.subject", "metadata.object"), of("block", "metadata.label"), of("target", "metadata.name")]
    conditions: list[Any] = [{"any": [about, *records]}]
    for some in chunks([*dict.fromkeys(conversations)], LIMITS["listElements"]):
        fields = ("group", "key.conversation")
        conditions.append({"any": [{"field": field, "op": "in", "value": some} for field in fields]})
    return conditions


async def _forget(client: AsyncAgentMemory, place: _Place, purge: bool, deleted: dict[str, int]) -> None:
    kinds = await _kinds(client, place)
    if not kinds:
        return
    # The marker stays without `purge`.
    criteria = place.criteria if purge or "where" in place.criteria else {"where": {"not": _IS_MARK}}
    request: Any = {**criteria, "tier": place.tier, "namespace": place.namespace, "cascade": True, "purge": purge}
    left = (await client.forget(**request))["deleted"]
    for kind, count in {**kinds, "derived": left}.items():
        taken = min(count, left)
        left -= taken
        if taken:
            deleted[kind] = deleted.get(kind, 0) + taken


async def _kinds(client: AsyncAgentMemory, place: _Place) -> dict[str, int]:
    """Return the number of entries of a place by kind, without the marker."""
    request: Any = {"tier": place.tier, "namespace": place.namespace}
    where: Any = {"where": place.criteria["where"]} if "where" in place.criteria else {}
    listed = client.items(**request, **where, field="metadata.kind")
    kinds = {str(item["value"]): item["count"] async for item in listed}
    counted: Any = {**request, **place.criteria}
    other = (await client.forget(**counted, dry_run=True))["deleted"] - sum(kinds.values())
    kinds.pop("forgotten", None)
    return {**kinds, **({"other": other} if other > 0 else {})}


async def _mark(client: AsyncAgentMemory, subject: str, tier: MemoryTier) -> None:
    """Mark a subject as forgotten, so that queued work of JavaScript programs writes nothing."""
    metadata = {"kind": "forgotten", "id": str(uuid.uuid4())}
    entry = {"key": {"forgotten": "all"}, "content": None, "metadata": metadata, "text": "forgotten", "ttl": _MARK_KEPT_S}
    await client.in_namespace(subject_namespace(subject)).store({**entry, "tier": tier})
