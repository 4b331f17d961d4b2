"""Entries that are larger than an entry may be: kept in parts, each of them an entry (protocol/spec/07-records.md)."""

from __future__ import annotations

import base64
import hashlib
import json
import uuid
from dataclasses import dataclass
from typing import Any, Iterable, Mapping, Sequence

from ._batches import entries_of
from ._schema import LIMITS, MemoryEntry, MemoryTier, StoreError
from ._values import encode, key_hash
from .aio import AsyncMemory
from .errors import TooLargeError, error_of

#: Bytes of the content in one part: as base64, and with what else a part has, less than an entry may have.
_PART_BYTES = 180_000
_PARTS_MAX = LIMITS["storeEntries"] - 1
#: A head whose parts another forgets when it replaces it is read again, so often.
_READS_MAX = 8
#: In the metadata of a head and of its parts: which write they come from. Whoever forgets parts names the writes that it means: others,
#: whose heads are about to be stored, may send the same parts meanwhile. JavaScript has the same.
WRITE_FIELD = "part_write"
_IS_HEAD: Any = {"field": "metadata.parts", "op": "exists", "value": True}
_SHARED = ("tier", "group", "occurred_at", "ttl", "expires_at")


def split_entry(entry: Mapping[str, Any]) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    """The parts of an entry and its head, or no parts and itself [REC-11]. A head without a `text` gets that of its content where that
    is a text or has one.

    Raises `TooLargeError` for more than 999 parts, which is 180 MB."""
    if len(encode(entry)) <= LIMITS["entryBytes"]:
        return [], dict(entry)
    data = encode(entry["content"])
    count = -(-len(data) // _PART_BYTES)
    if count > _PARTS_MAX:
        detail = {"limit": "storeEntries", "max": _PARTS_MAX, "got": count}
        raise TooLargeError(f"{len(data)} bytes are more than a store holds", detail)
    parts = {"count": count, "bytes": len(data), "sha256": hashlib.sha256(data).hexdigest()}
    shared = {name: entry[name] for name in _SHARED if name in entry}
    pieces = [
        {
            **shared,
            "key": key,
            "content": {"base64": base64.b64encode(data[at * _PART_BYTES : (at + 1) * _PART_BYTES]).decode()},
            "metadata": {"kind": "part"},
            "text": "",
            "sources": [key["head"]],
        }
        for at, key in enumerate(_part_keys(key_hash(entry["key"]), parts))
    ]
    head = {"content": {"parts": parts}, "metadata": {**entry.get("metadata", {}), "parts": count}}
    return pieces, {**entry, **head, "text": _text_of(entry)}


def _text_of(entry: Mapping[str, Any]) -> str:
    """What a host derives of other contents, an object without `text` or a list, is not derived here: such a head has the empty text,
    and no search finds it by its words."""
    text, content = entry.get("text"), entry["content"]
    derived = content.get("text") if isinstance(content, Mapping) else content
    return text if isinstance(text, str) else str(derived)[: LIMITS["derivedTextLength"]] if isinstance(derived, str) else ""


def _part_keys(head: str, parts: Mapping[str, Any]) -> list[dict[str, Any]]:
    return [{"head": head, "sha256": parts["sha256"], "part": n + 1} for n in range(parts["count"])]


def part_keys(entry: MemoryEntry) -> list[dict[str, Any]]:
    """The keys of the parts of a head, in order; none of another entry, as one that replaces a head and has kept its metadata [UPD-1]."""
    content = entry["content"]
    parts = content.get("parts") if "parts" in entry.get("metadata", {}) and isinstance(content, Mapping) else None
    return _part_keys(entry["key_hash"], parts) if isinstance(parts, Mapping) else []


@dataclass(frozen=True)
class _Plan:
    """What is to be written for an entry: its parts, where it has some, and then itself, or the head of them."""

    parts: list[dict[str, Any]]
    head: dict[str, Any]
    #: False where the head that is there has the same parts for as long, or is not the one that the condition names.
    is_sent: bool = False


async def store_whole(memory: AsyncMemory, entries: Sequence[Mapping[str, Any]]) -> list[StoreError]:
    """Stores entries of any size in the namespace of `memory`, parts before what they are parts of [REC-12].

    Returns the errors of entries; raises what befalls parts: then nothing else is stored."""
    split = [split_entry(entry) for entry in entries]
    old = await _heads(memory, [head for parts, head in split if parts and head.get("if_revision") is not None])
    plans = [_planned(parts, head, old.get(_place(head))) for parts, head in split]
    created = await _store_parts(memory, [plan for plan in plans if plan.is_sent])
    errors = (await memory.store([plan.head for plan in plans]))["errors"]
    refused = {error["index"] for error in errors}
    for index, plan in enumerate(plans):
        if plan.parts:
            await _settle(memory, plan, index not in refused, created)
    return errors


def _planned(parts: list[dict[str, Any]], head: dict[str, Any], old: MemoryEntry | None) -> _Plan:
    """`old` is the head that is there, where there is a condition."""
    if not parts:
        return _Plan(parts, head)
    is_expected = old is not None and old["revision"] == head.get("if_revision")
    is_there = old is not None and is_expected and part_keys(old)[:1] == [parts[0]["key"]]
    mark = old.get("metadata", {}).get(WRITE_FIELD) if old is not None and is_there else str(uuid.uuid4())
    has_end = head.get("ttl") is not None or head.get("expires_at") is not None
    is_sent = old is None or (is_expected and (has_end or not is_there))
    return _Plan([_of_write(part, mark) for part in parts], _of_write(head, mark), is_sent)


def _of_write(entry: dict[str, Any], mark: Any) -> dict[str, Any]:
    return entry if mark is None else {**entry, "metadata": {**entry["metadata"], WRITE_FIELD: mark}}


async def _store_parts(memory: AsyncMemory, plans: Sequence[_Plan]) -> set[str]:
    """The key hashes of those that were not there before; where one is refused, none of these is left."""
    parts = [part for plan in plans for part in plan.parts]
    if not parts:
        return set()
    result = await memory.store(parts)
    created = {receipt["key_hash"] for receipt in result["receipts"] if receipt["outcome"] == "created"}
    for error in result["errors"]:
        for plan in plans:
            await _settle(memory, plan, False, created)
        raise error_of(error)
    return created


async def _settle(memory: AsyncMemory, plan: _Plan, is_stored: bool, created: set[str]) -> None:
    """What is left to do once a head is stored, or is not."""
    keys, (tier, _) = [part["key"] for part in plan.parts], _place(plan.head)
    if not is_stored:
        # Those that were there may be another's, whose head has been stored or is about to be.
        keys = [key for key in keys if key_hash(key) in created]
    elif await _is_any_missing(memory, tier, keys):
        # Another has forgotten what was there under this key before the head was.
        await _store_parts(memory, [plan])
    else:
        return
    # Nor does what another has forgotten or replaced since come back.
    if keys and not await _is_there(memory, plan.head):
        await memory.forget(tier=tier, keys=keys, where=_is_of(plan.head["metadata"].get(WRITE_FIELD)))


async def _is_any_missing(memory: AsyncMemory, tier: MemoryTier, keys: list[Any]) -> bool:
    return (await memory.retrieve(tier=tier, keys=keys, limit=0))["total"] < len(keys)


async def forget_parts(memory: AsyncMemory, head: MemoryEntry) -> None:
    """Those of a head that has been replaced [REC-14], whatever writes they are of: where equal values are written at once, it bears the
    mark of one of them and its parts that of another. Those that are sent from now on stay."""
    parts: Any = {"tier": head["tier"], "keys": part_keys(head)}
    if not parts["keys"]:
        return
    marks = [str(item["value"]) async for item in memory.items(field=f"metadata.{WRITE_FIELD}", **parts)]
    if not await _is_there(memory, head):
        await memory.forget(**parts, where={"any": [_is_of(None), *([_is_of(*marks)] if marks else [])]})


def _is_of(*marks: str | None) -> Any:
    """None: of a writer that marks none."""
    how = {"op": "exists", "value": False} if None in marks else {"op": "in", "value": [*marks]}
    return {"field": f"metadata.{WRITE_FIELD}", **how}


async def _is_there(memory: AsyncMemory, head: Mapping[str, Any]) -> bool:
    """Whether there is a head of the same content now."""
    current = (await _heads(memory, [head])).get(_place(head))
    keys = [] if current is None else part_keys(current)
    return bool(keys) and keys[0]["sha256"] == head["content"]["parts"]["sha256"]


async def _heads(memory: AsyncMemory, entries: Sequence[Mapping[str, Any]]) -> dict[tuple[MemoryTier, str], MemoryEntry]:
    """What is under the keys of these now, where that is a head."""
    keys: dict[MemoryTier, list[Any]] = {}
    for tier, hashed in map(_place, entries):
        keys.setdefault(tier, []).append({"$hash": hashed})
    return {_place(head): head for tier in keys async for head in entries_of(memory, tier, keys[tier], where=_IS_HEAD)}


def _place(entry: Mapping[str, Any]) -> tuple[MemoryTier, str]:
    return entry.get("tier") or "working", key_hash(entry["key"])


async def read_whole(memory: AsyncMemory, entries: Iterable[MemoryEntry]) -> list[MemoryEntry]:
    """Entries with the contents that their parts hold, without heads of which parts are missing [REC-13]."""
    found = list(entries)
    parts = await _parts_of(memory, found)
    whole = [_joined(entry, parts) or await _read_again(memory, entry) for entry in found]
    return [entry for entry in whole if entry is not None]


async def _parts_of(memory: AsyncMemory, entries: Iterable[MemoryEntry]) -> dict[str, bytes]:
    """By their key hashes; each in the tier of its head."""
    keys: dict[MemoryTier, list[dict[str, Any]]] = {}
    for entry in entries:
        keys.setdefault(entry["tier"], []).extend(part_keys(entry))
    parts = [part for tier in keys async for part in entries_of(memory, tier, keys[tier])]
    return {part["key_hash"]: base64.b64decode(part["content"]["base64"]) for part in parts}


async def _read_again(memory: AsyncMemory, head: MemoryEntry) -> MemoryEntry | None:
    """What has replaced a head whose parts have gone between two reads; None where they are missing."""
    for _ in range(_READS_MAX):
        current = [entry async for entry in entries_of(memory, head["tier"], [{"$hash": head["key_hash"]}])]
        if not current or current[0]["revision"] == head["revision"]:
            return None
        head = {**current[0], "score": head["score"]}
        joined = _joined(head, await _parts_of(memory, [head]))
        if joined is not None:
            return joined
    return None


def _joined(entry: MemoryEntry, parts: Mapping[str, bytes]) -> MemoryEntry | None:
    keys = part_keys(entry)
    if not keys:
        return entry
    data = b"".join(parts.get(key_hash(key), b"") for key in keys)
    if hashlib.sha256(data).hexdigest() != entry["content"]["parts"]["sha256"]:
        return None
    own = {name: value for name, value in entry.get("metadata", {}).items() if name not in ("parts", WRITE_FIELD)}
    return {**entry, "content": json.loads(data), "metadata": own}
