"""Entries that are larger than an entry may be: kept in parts, each of them an entry (protocol/spec/07-records.md)."""

from __future__ import annotations

import base64
import hashlib
import json
import uuid
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
#: In the metadata of a head and of its parts: which write they come from. Whoever replaces a head forgets the parts of the write that
#: it has read, and no others: those of a head that is about to be stored are there already. JavaScript has the same.
WRITE_FIELD = "part_write"
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
    write = {WRITE_FIELD: str(uuid.uuid4())}
    shared = {name: entry[name] for name in _SHARED if name in entry}
    pieces = [
        {
            **shared,
            "key": key,
            "content": {"base64": base64.b64encode(data[at * _PART_BYTES : (at + 1) * _PART_BYTES]).decode()},
            "metadata": {"kind": "part", **write},
            "text": "",
            "sources": [key["head"]],
        }
        for at, key in enumerate(_part_keys(key_hash(entry["key"]), parts))
    ]
    head = {"content": {"parts": parts}, "metadata": {**entry.get("metadata", {}), "parts": count, **write}}
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
    """The keys of the parts of a head, in order; none of another entry."""
    return _part_keys(entry["key_hash"], entry["content"]["parts"]) if "parts" in entry.get("metadata", {}) else []


async def store_whole(memory: AsyncMemory, entries: Sequence[Mapping[str, Any]]) -> list[StoreError]:
    """Stores entries of any size in the namespace of `memory`, parts before what they are parts of [REC-12].

    Returns the errors of entries; raises what befalls parts: then nothing else is stored."""
    split = [split_entry(entry) for entry in entries]
    await _store_parts(memory, [part for pieces, _ in split for part in pieces])
    errors = (await memory.store([head for _, head in split]))["errors"]
    refused = {error["index"] for error in errors}
    for index, (pieces, head) in enumerate(split):
        if pieces and index not in refused and await _is_any_missing(memory, head.get("tier", "working"), pieces):
            # Another has forgotten what was there under this key before the head was.
            await _store_parts(memory, pieces)
    return errors


async def _store_parts(memory: AsyncMemory, parts: list[dict[str, Any]]) -> None:
    for error in (await memory.store(parts))["errors"] if parts else ():
        raise error_of(error)


async def _is_any_missing(memory: AsyncMemory, tier: MemoryTier, parts: list[dict[str, Any]]) -> bool:
    found = await memory.retrieve(tier=tier, keys=[part["key"] for part in parts], limit=0)
    return found["total"] < len(parts)


async def forget_parts(memory: AsyncMemory, head: MemoryEntry) -> None:
    """Of a head that has been replaced: those of its own write alone [REC-14]."""
    write = head.get("metadata", {}).get(WRITE_FIELD)
    how = {"op": "exists", "value": False} if write is None else {"op": "eq", "value": write}
    request: Any = {"tier": head["tier"], "keys": part_keys(head), "where": {"field": f"metadata.{WRITE_FIELD}", **how}}
    await memory.forget(**request)


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
