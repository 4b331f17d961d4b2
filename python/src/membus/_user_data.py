"""Finds the entries of a user that an agent sees."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, AsyncIterator, Mapping, Sequence

from ._batches import chunks
from ._facts import segment_of
from ._schema import LIMITS, MemoryTier
from .aio import AsyncAgentMemory

#: Prefix of the subject and of the conversation of a user.
USER_PREFIX = "user:"
#: Segments after which the next segment of a namespace is a user.
_BEFORE_USER = ("about", "user", "users")


def kind_is(*kinds: str) -> Any:
    """Return a condition for entries of one of these kinds."""
    return {"field": "metadata.kind", "op": "in", "value": [*kinds]}


@dataclass(frozen=True)
class UserNames:
    """A user with other names, such as the node of a graph, and with conversations of other ids than `user:<user>`."""

    user: str
    names: Sequence[str] = ()
    conversations: Sequence[str] = ()
    #: Names in lower case of nodes in graphs, see `with_lower_case_nodes`.
    nodes: Sequence[str] = ()

    @property
    def subject(self) -> str:
        return f"{USER_PREFIX}{self.user}"

    @property
    def known(self) -> list[str]:
        """Every name under which records know the user."""
        return [*dict.fromkeys([self.user, self.subject, *self.names])]


@dataclass(frozen=True)
class UserPlace:
    """Entries of a user: a namespace in a tier, and the criteria of a forget."""

    tier: MemoryTier
    namespace: str
    criteria: Mapping[str, Any]


async def served_tiers(client: AsyncAgentMemory) -> list[MemoryTier]:
    """Return the tiers that the host serves."""
    served = (await client.ping(retry_timeout_s=5))["tiers"]
    tiers: list[MemoryTier] = ["working", "episodic", "semantic"]
    return [tier for tier in tiers if tier in served]


async def with_lower_case_nodes(client: AsyncAgentMemory, user: UserNames) -> UserNames:
    """Add the names in lower case, because graphs may store nodes so.

    Users are case-sensitive: the result lacks names of other users that this agent sees. A user has entries, apart
    from the marker of an earlier forget.
    """
    others = {lower: UserNames(lower.removeprefix(USER_PREFIX)) for lower in (name.lower() for name in user.known)}
    nodes = {node: other for node, other in others.items() if node not in user.known}
    is_record: Any = {"not": kind_is("forgotten")}
    for tier in await served_tiers(client) if nodes else []:
        async for item in client.items(namespace="**", tier=tier, where=is_record):
            for node, other in [*nodes.items()]:
                if await _has_entries(client, tier, str(item["value"]), other):
                    del nodes[node]
    return replace(user, nodes=[*nodes])


async def _has_entries(client: AsyncAgentMemory, tier: MemoryTier, namespace: str, user: UserNames) -> bool:
    """Return whether a namespace has entries of a user. Nodes of graphs do not count, because they may be things."""
    if len(segment_of(user.subject)) > LIMITS["namespaceSegmentLength"]:
        return False
    if is_user_namespace(namespace, user):
        return True
    groups: Any = [
        {"field": "group", "op": "eq", "value": user.subject},
        {"field": "group", "op": "starts_with", "value": f"{user.subject}/"},
    ]
    # The group of other records is not a conversation. The group of a triple is its subject.
    conversation: Any = {"all": [kind_is("message", "summary", "history", "offload"), {"any": groups}]}
    condition: Any = {"any": [conversation, *_without_nodes(user.known)]}
    return bool((await client.list(namespace=namespace, tier=tier, where=condition, limit=1))["items"])


async def user_places(client: AsyncAgentMemory, user: UserNames) -> AsyncIterator[UserPlace]:
    """Yield all places that may have entries of the user."""
    for tier in await served_tiers(client):
        async for item in client.items(namespace="**", tier=tier):
            namespace = str(item["value"])
            if is_user_namespace(namespace, user):
                yield UserPlace(tier, namespace, {"all": True})
                continue
            for where in _records_of(user, await _conversations_in(client, tier, namespace, user)):
                yield UserPlace(tier, namespace, {"where": where})


def is_user_namespace(namespace: str, user: UserNames) -> bool:
    """Return whether all entries of a namespace belong to the user: `about/ada`, `users/ada/notes`, `x/user:ada`."""
    segments = namespace.split("/")
    named = {segment for name in (user.user, *user.names) for segment in (segment_of(name), progressive_segment(name))}
    return segment_of(user.subject) in segments or any(
        before in _BEFORE_USER and segment in named for before, segment in zip(segments, segments[1:])
    )


def progressive_segment(name: str) -> str:
    """Return a name as a segment of progressive memory, which escapes "~" too."""
    return segment_of(name).replace("~", "%7e")


async def kinds_of(client: AsyncAgentMemory, place: UserPlace) -> dict[str, int]:
    """Return the number of entries of a place by kind. Entries that are no records count as "other"."""
    request: Any = {"tier": place.tier, "namespace": place.namespace}
    where: Any = {"where": place.criteria["where"]} if "where" in place.criteria else {}
    listed = client.items(**request, **where, field="metadata.kind")
    kinds = {str(item["value"]): item["count"] async for item in listed}
    counted: Any = {**request, **place.criteria}
    other = (await client.forget(**counted, dry_run=True))["deleted"] - sum(kinds.values())
    return {**kinds, **({"other": other} if other > 0 else {})}


async def _conversations_in(client: AsyncAgentMemory, tier: MemoryTier, namespace: str, user: UserNames) -> list[str]:
    """Return the conversations of a namespace that belong to the user only."""
    found = dict.fromkeys([user.subject, *user.conversations])
    place: Any = {"namespace": namespace, "tier": tier}
    async for item in client.items(**place, field="group", where=kind_is("message")):
        if str(item["value"]).startswith(f"{user.subject}/"):
            found[str(item["value"])] = None
    targets: dict[str, set[str]] = {}
    async for entry in client.entries(**place, where=kind_is("history")):
        group, named = entry.get("group"), entry.get("metadata", {}).get("targets")
        if group is not None and isinstance(named, list):
            targets.setdefault(group, set()).update(str(target) for target in named)
    found.update(dict.fromkeys(group for group, named in targets.items() if named and named <= {*user.known}))
    return [*found]


def _without_nodes(names: Sequence[str]) -> list[Any]:
    """Return conditions for records about a user, apart from the triples of graphs."""

    def named(field: str) -> dict[str, Any]:
        return {"field": field, "op": "in", "value": [*names]}

    return [
        named("metadata.about"),
        {"all": [kind_is("block"), named("metadata.label")]},
        {"all": [kind_is("target"), named("metadata.name")]},
    ]


def _records_of(user: UserNames, conversations: Sequence[str]) -> list[Any]:
    """Return conditions for the records of a user in a namespace of several users."""

    nodes = [*user.known, *user.nodes]
    ends = [{"field": f"metadata.{end}", "op": "in", "value": nodes} for end in ("subject", "object")]
    triples: Any = {"all": [kind_is("triple"), {"any": ends}]}
    conditions: list[Any] = [{"any": [*_without_nodes(user.known), triples]}]
    for some in chunks(conversations, LIMITS["listElements"]):
        fields = ("group", "key.conversation")
        conditions.append({"any": [{"field": each, "op": "in", "value": some} for each in fields]})
    return conditions
