"""Forgets everything of a user that an agent sees, with a receipt."""

from __future__ import annotations

import uuid
from dataclasses import dataclass, field
from typing import Any, Iterable

from ._facts import subject_namespace
from ._schema import MemoryTier
from ._user_data import UserNames, UserPlace, kind_is, kinds_of, user_places, with_lower_case_nodes
from .aio import AsyncAgentMemory

#: Seconds that the marker of a forgotten subject is kept, longer than work in progress takes.
_MARK_KEPT_S = 7 * 86_400
_OUT_OF_REACH = (
    "names of emptied namespaces, with the id of the user: the log keeps them for retries, folder.json as recently used",
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


async def forget_user(client: AsyncAgentMemory, user: UserNames, purge: bool) -> ForgottenUser:
    """Delete the entries of a user in all tiers of the host."""
    user = await with_lower_case_nodes(client, user)
    found = [place async for place in user_places(client, user) if await _others(client, place)]
    if not purge:
        await _stop_work(client, user, found)
    receipt = ForgottenUser()
    for place in found:
        await _forget(client, place, purge, receipt.deleted)
    # Others may have written concurrently.
    async for place in user_places(client, user):
        await _forget(client, place, purge, receipt.deleted)
    async for place in user_places(client, user):
        for kind, count in (await _others(client, place)).items():
            receipt.remains.append(f"{count} {kind} in {place.namespace} ({place.tier}): written concurrently")
    if found and not purge:
        receipt.remains.append("bytes on disk, which the host erases later: `purge` waits for it")
        receipt.remains.append(f"a marker in {subject_namespace(user.subject)}, which expires after 7 days: `purge` leaves none")
    receipt.remains.extend(_OUT_OF_REACH)
    return receipt


async def forget_old_name(client: AsyncAgentMemory, user: UserNames, until: float) -> None:
    """Delete the entries of a renamed user that were last changed at or before `until`, in Unix seconds.

    Later entries were not copied, so they stay. Derived entries elsewhere stay.
    """
    old = {"any": [{"field": "updated", "op": "lte", "value": until}, kind_is("forgotten")]}
    places = [place async for place in user_places(client, user)]
    await _stop_work(client, user, [place for place in places if await _others(client, place)])
    async for place in user_places(client, user):
        where = {"all": [old, *([place.criteria["where"]] if "where" in place.criteria else [])]}
        request: Any = {"tier": place.tier, "namespace": place.namespace, "where": where}
        await client.forget(**request, purge=True)


async def _stop_work(client: AsyncAgentMemory, user: UserNames, places: Iterable[UserPlace]) -> None:
    for tier in {place.tier for place in places}:
        await _mark(client, user.subject, tier)


async def _forget(client: AsyncAgentMemory, place: UserPlace, purge: bool, deleted: dict[str, int]) -> None:
    kinds = await (kinds_of if purge else _others)(client, place)
    if not kinds:
        return
    # The marker stays without `purge`.
    criteria = place.criteria if purge or "where" in place.criteria else {"where": {"not": kind_is("forgotten")}}
    request: Any = {**criteria, "tier": place.tier, "namespace": place.namespace, "cascade": True, "purge": purge}
    left = (await client.forget(**request))["deleted"] - kinds.pop("forgotten", 0)
    for kind, count in {**kinds, "derived": left}.items():
        taken = min(count, left)
        left -= taken
        if taken > 0:
            deleted[kind] = deleted.get(kind, 0) + taken


async def _others(client: AsyncAgentMemory, place: UserPlace) -> dict[str, int]:
    """Return the number of entries of a place by kind, without the marker."""
    kinds = await kinds_of(client, place)
    kinds.pop("forgotten", None)
    return kinds


async def _mark(client: AsyncAgentMemory, subject: str, tier: MemoryTier) -> None:
    """Mark a subject as forgotten, so that queued work of JavaScript programs writes nothing."""
    metadata = {"kind": "forgotten", "id": str(uuid.uuid4())}
    entry = {"key": {"forgotten": "all"}, "content": None, "metadata": metadata, "text": "forgotten", "ttl": _MARK_KEPT_S}
    await client.in_namespace(subject_namespace(subject)).store({**entry, "tier": tier})
