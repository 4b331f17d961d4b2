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

    Users are case-sensitive, so a name of another user that this agent sees is left out.
    """
    others = {lower: UserNames(lower.removeprefix(USER_PREFIX)) for lower in (name.lower() for name in user.known)}
    others = {node: other for node, other in others.items() if node not in user.known}
    for tier in await served_tiers(client) if others else []:
        namespaces = [str(item["value"]) async for item in client.items(namespace="**", tier=tier)]
        for node, other in [*others.items()]:
            if any(is_user_namespace(each, other) for each in namespaces) or await _has_conversation(client, tier, other):
                del others[node]
    return replace(user, nodes=[*others])


async def _has_conversation(client: AsyncAgentMemory, tier: MemoryTier, user: UserNames) -> bool:
    groups: Any = [
        {"field": "group", "op": "eq", "value": user.subject},
        {"field": "group", "op": "starts_with", "value": f"{user.subject}/"},
    ]
    # The group of other records is not a conversation. The group of a triple is its subject.
    condition: Any = {"all": [kind_is("message", "summary", "history", "offload"), {"any": groups}]}
    return bool((await client.list(namespace="**", tier=tier, field="group", where=condition, limit=1))["items"])


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


def _records_of(user: UserNames, conversations: Sequence[str]) -> list[Any]:
    """Return conditions for the records of a user in a namespace of several users."""

    def named(name: str, values: Sequence[str] = user.known) -> dict[str, Any]:
        return {"field": name, "op": "in", "value": [*values]}

    def of(kind: str, *conditions: dict[str, Any]) -> dict[str, Any]:
        return {"all": [kind_is(kind), {"any": [*conditions]}]}

    nodes = [*user.known, *user.nodes]
    triples = of("triple", named("metadata.subject", nodes), named("metadata.object", nodes))
    records = [triples, of("block", named("metadata.label")), of("target", named("metadata.name"))]
    conditions: list[Any] = [{"any": [named("metadata.about"), *records]}]
    for some in chunks(conversations, LIMITS["listElements"]):
        fields = ("group", "key.conversation")
        conditions.append({"any": [{"field": each, "op": "in", "value": some} for each in fields]})
    return conditions
