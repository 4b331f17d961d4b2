"""Entries that are larger than an entry may be: kept in parts, each of them an entry (protocol/spec/07-records.md)."""

from __future__ import annotations

import base64
import hashlib
import json
from typing import Any, Iterable, Mapping, Sequence

from ._schema import LIMITS, MemoryEntry, StoreError
from ._values import encode, key_hash
from .aio import AsyncMemory
from .errors import TooLargeError, error_of

#: Bytes of the content in one part: as base64, and with what else a part has, less than an entry may have.
_PART_BYTES = 180_000
_PARTS_MAX = LIMITS["storeEntries"] - 1
_SHARED = ("tier", "group", "occurred_at", "ttl", "expires_at")


def split_entry(entry: Mapping[str, Any]) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    """The parts of an entry and its head, or no parts and itself [REC-11]. A head without a `text` gets that of its content.

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
    parts = [part for pieces, _ in split for part in pieces]
    if parts:
        for error in (await memory.store(parts))["errors"]:
            raise error_of(error)
    return (await memory.store([head for _, head in split]))["errors"]


async def read_whole(memory: AsyncMemory, entries: Iterable[MemoryEntry]) -> list[MemoryEntry]:
    """Entries with the contents that their parts hold, without heads of which parts are missing [REC-13]."""
    found = list(entries)
    keys = [key for entry in found for key in part_keys(entry)]
    parts: dict[str, bytes] = {}
    for at in range(0, len(keys), LIMITS["criteriaKeys"]):
        chunk: Any = keys[at : at + LIMITS["criteriaKeys"]]
        async for part in memory.entries(keys=chunk):
            parts[part["key_hash"]] = base64.b64decode(part["content"]["base64"])
    whole = [_joined(entry, parts) for entry in found]
    return [entry for entry in whole if entry is not None]


def _joined(entry: MemoryEntry, parts: Mapping[str, bytes]) -> MemoryEntry | None:
    keys = part_keys(entry)
    if not keys:
        return entry
    data = b"".join(parts.get(key_hash(key), b"") for key in keys)
    if hashlib.sha256(data).hexdigest() != entry["content"]["parts"]["sha256"]:
        return None
    metadata = {name: value for name, value in entry.get("metadata", {}).items() if name != "parts"}
    return {**entry, "content": json.loads(data), "metadata": metadata}
