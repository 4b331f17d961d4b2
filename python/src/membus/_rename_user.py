"""Gives the memories of a user another name."""

from __future__ import annotations

from typing import Any, Iterable, Mapping, Sequence

from ._batches import chunks
from ._facts import segment_of
from ._forget_user import forget_old_name
from ._schema import MemoryEntry, MemoryTier
from ._user_data import UserNames, is_user_namespace, kind_is, progressive_segment, served_tiers, user_places
from ._values import key_hash
from .aio import AsyncAgentMemory
from .errors import ConflictError, TooLargeError

#: Maximum number of times that entries are moved which others stored during the rename.
_PASSES_MAX = 5
#: Entries that one rename may move.
_ENTRIES_MAX = 100_000
#: Entries of one store, and key hashes of one filter.
_BATCH = 100
#: Kinds that name messages by their position, so they are copied after these.
_POSITIONED = ("summary", "history")


async def rename_user(client: AsyncAgentMemory, user: str, to: str) -> int:
    """Copy the entries of a user, with new keys where these name the user, then delete the old ones. Return their number."""
    if user == to:
        return 0
    old, new = UserNames(user), UserNames(to)
    entries = await _entries_of(client, old)
    if not entries:
        return 0
    await _begin(client, old, new)
    copy = _RenamedCopy(client, old, new)
    renamed = 0
    for _ in range(_PASSES_MAX):
        await copy.move(entries)
        await forget_old_name(client, old, max(entry["timestamps"]["updated"] for entry in entries))
        renamed += len(entries)
        entries = await _entries_of(client, old)
        if not entries:
            mark: Any = {"keys": [{"renaming": user}], "tier": "episodic", "purge": True}
            await client.in_namespace(_mark_namespace(new)).forget(**mark)
            return renamed
    raise ConflictError(f"others keep storing for {user}: rename again")


async def _entries_of(client: AsyncAgentMemory, user: UserNames) -> list[MemoryEntry]:
    """Return the entries of a user without markers, oldest first. An entry of two places comes once."""
    found: dict[tuple[str, str, str], MemoryEntry] = {}
    async for place in user_places(client, user):
        where = {"all": [{"not": kind_is("forgotten", "renaming")}, *([place.criteria["where"]] if "where" in place.criteria else [])]}
        request: Any = {"tier": place.tier, "namespace": place.namespace, "where": where, "order": "oldest", "include": ["context"]}
        async for entry in client.entries(**request, page_size=500):
            found[place.tier, place.namespace, entry["key_hash"]] = entry
            if len(found) > _ENTRIES_MAX:
                detail = {"limit": "entries", "max": _ENTRIES_MAX, "got": len(found)}
                raise TooLargeError(f"a rename moves at most {_ENTRIES_MAX} entries: forget some first", detail)
    return sorted(found.values(), key=lambda entry: entry["seq"])


def _mark_namespace(user: UserNames) -> str:
    return f"users/{segment_of(user.user)}"


async def _begin(client: AsyncAgentMemory, old: UserNames, new: UserNames) -> None:
    """Mark the new name, so that the same rename can continue."""
    view = client.in_namespace(_mark_namespace(new))
    key = {"renaming": old.user}
    if (await view.retrieve(keys=[key], tier="episodic"))["entries"]:
        return
    if await _entries_of(client, new):
        raise ConflictError(f"there are memories of the user {new.user}: forget them or choose another name")
    mark = {"key": key, "content": None, "metadata": {"kind": "renaming"}, "text": "", "tier": "episodic"}
    await _store(view, [mark])


async def _store(view: AsyncAgentMemory, entries: Sequence[Mapping[str, Any]]) -> list[int]:
    """Store all entries, and return their revisions in order."""
    result = await view.store(entries)
    return [receipt["revision"] for receipt in sorted(result["receipts"], key=lambda receipt: receipt["index"])]


class _RenamedCopy:
    """Copies entries and maps names, key hashes and positions."""

    def __init__(self, client: AsyncAgentMemory, old: UserNames, new: UserNames) -> None:
        self._client = client
        self._old = old
        self._new = new
        #: New key hashes by old ones.
        self._hashes: dict[str, str] = {}
        #: Old and new positions.
        self._positions: list[tuple[int, int]] = []

    async def move(self, entries: Sequence[MemoryEntry]) -> None:
        """Copy entries. The caller deletes the old ones."""
        self._learn_hashes(entries)
        await self._copy(entry for entry in entries if not _is_positioned(entry))
        await self._copy(entry for entry in entries if _is_positioned(entry))
        await self._update_sources()

    def _learn_hashes(self, entries: Sequence[MemoryEntry]) -> None:
        """The parts of a large record name its hash, so they come second."""
        for _ in range(2):
            for entry in entries:
                renamed = key_hash(self._renamed(entry["key"]))
                if renamed != entry["key_hash"]:
                    self._hashes[entry["key_hash"]] = renamed

    async def _copy(self, entries: Iterable[MemoryEntry]) -> None:
        batch: list[MemoryEntry] = []
        for entry in entries:
            if len(batch) == _BATCH or (batch and batch[0]["namespace"] != entry["namespace"]):
                await self._copy_batch(batch)
                batch = []
            batch.append(entry)
        if batch:
            await self._copy_batch(batch)

    async def _copy_batch(self, batch: Sequence[MemoryEntry]) -> None:
        view = self._client.in_namespace(self._renamed_namespace(batch[0]["namespace"]))
        revisions = await _store(view, [self._renamed_entry(entry) for entry in batch])
        self._positions.extend((entry["seq"], revision) for entry, revision in zip(batch, revisions))

    async def _update_sources(self) -> None:
        """Entries elsewhere that are derived from the user's name the new keys, so that a later forget finds them."""
        for tier in await served_tiers(self._client):
            async for item in self._client.items(namespace="**", tier=tier):
                namespace = str(item["value"])
                if is_user_namespace(namespace, self._old):
                    continue
                for hashes in chunks([*self._hashes], _BATCH):
                    await self._update_sources_in(namespace, tier, hashes)

    async def _update_sources_in(self, namespace: str, tier: MemoryTier, hashes: list[str]) -> None:
        where = {"field": "sources", "op": "in", "value": hashes}
        request: Any = {"namespace": namespace, "tier": tier, "where": where, "include": ["context"]}
        # The old entries of the user are about to be deleted.
        derived: list[Any] = [
            {**entry, "if_revision": entry["revision"]}
            async for entry in self._client.entries(**request)
            if entry["key_hash"] not in self._hashes
        ]
        await self._copy(derived)

    def _renamed_entry(self, entry: MemoryEntry) -> dict[str, Any]:
        renamed: dict[str, Any] = {**entry, "key": self._renamed(entry["key"])}
        positioned = _is_positioned(entry)
        if "metadata" in entry:
            renamed["metadata"] = self._renamed(entry["metadata"], positioned)
        if positioned:
            renamed["content"] = self._renamed(entry["content"], True)
        if entry.get("group") is not None:
            renamed["group"] = self._renamed(entry["group"])
        if entry.get("sources") is not None:
            renamed["sources"] = [self._hashes.get(source, source) for source in entry["sources"]]
        return renamed

    def _renamed_namespace(self, namespace: str) -> str:
        if not is_user_namespace(namespace, self._old):
            return namespace
        names = dict(zip(_segments(self._old), _segments(self._new)))
        return "/".join(names.get(segment, segment) for segment in namespace.split("/"))

    def _renamed(self, value: Any, positioned: bool = False, name: str = "") -> Any:
        """Replace names, hashes, and with `positioned` the positions `from` and `to`, at any depth."""
        if isinstance(value, str):
            return self._renamed_text(value)
        if isinstance(value, dict):
            return {field: self._renamed(each, positioned, field) for field, each in value.items()}
        if isinstance(value, list):
            return [self._renamed(each, positioned, name) for each in value]
        return self._position(value) if positioned and name in ("from", "to") and isinstance(value, int) else value

    def _renamed_text(self, text: str) -> str:
        subject = self._old.subject
        if text == self._old.user:
            return self._new.user
        if text == subject or text.startswith(f"{subject}/"):
            return self._new.subject + text[len(subject) :]
        return self._hashes.get(text, text)

    def _position(self, seq: int) -> int:
        """Return the new position of the last copied entry at or before an old one."""
        return max((new for old, new in self._positions if old <= seq), default=0)


def _is_positioned(entry: MemoryEntry) -> bool:
    return str(entry.get("metadata", {}).get("kind")) in _POSITIONED


def _segments(user: UserNames) -> tuple[str, str, str]:
    """Return every segment of a namespace that stands for a user."""
    return segment_of(user.subject), progressive_segment(user.user), segment_of(user.user)
