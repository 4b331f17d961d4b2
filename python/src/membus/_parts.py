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
#: An entry without a condition that others replace meanwhile, each time, is tried so often; then it is a `conflict`.
_ATTEMPTS_MAX = 16
_IS_HEAD: Any = {"field": "metadata.parts", "op": "exists", "value": True}
_SHARED = ("tier", "group", "occurred_at", "ttl", "expires_at")


def split_entry(entry: Mapping[str, Any], write: str) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    """The parts of an entry and its head, or no parts and itself [REC-11]. A head without a `text` gets that of its content where that
    is a text or has one. `write` is another each time, so that no other write has the same parts [REC-14].

    Raises `TooLargeError` for more than 999 parts, which is 180 MB."""
    if len(encode(entry)) <= LIMITS["entryBytes"]:
        return [], dict(entry)
    data = encode(entry["content"])
    count = -(-len(data) // _PART_BYTES)
    if count > _PARTS_MAX:
        detail = {"limit": "storeEntries", "max": _PARTS_MAX, "got": count}
        raise TooLargeError(f"{len(data)} bytes are more than a store holds", detail)
    parts = {"count": count, "bytes": len(data), "sha256": hashlib.sha256(data).hexdigest(), "write": write}
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
    return [{"head": head, "write": parts["write"], "part": n + 1} for n in range(parts["count"])]


def part_keys(entry: Mapping[str, Any]) -> list[Any]:
    """The keys of the parts of a head, in order; none of another entry."""
    parts = _parts_named_by(entry)
    return [] if parts is None else _part_keys(key_hash(entry["key"]), parts)


def _parts_named_by(entry: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """None for an entry that is no head, as one that replaces a head and has kept its metadata [UPD-1]."""
    content = entry["content"]
    parts = content.get("parts") if "parts" in (entry.get("metadata") or {}) and isinstance(content, Mapping) else None
    fields = {"count": int, "sha256": str, "write": str}
    is_named = isinstance(parts, Mapping) and all(isinstance(parts.get(name), kind) for name, kind in fields.items())
    return parts if is_named else None


@dataclass(frozen=True)
class _Plan:
    """What is to be written for an entry: its parts, where it has some, and then itself, or the head of them."""

    parts: list[dict[str, Any]]
    head: dict[str, Any]
    #: The head that is replaced, where there is one.
    old: MemoryEntry | None
    #: False where the head that is there has the same parts, or is not the one that the condition names.
    is_sent: bool
    #: Whether the caller has no condition: the head has one all the same, so that it is known what it replaces.
    is_unconditional: bool


async def store_whole(memory: AsyncMemory, entries: Sequence[Mapping[str, Any]], *, replacing: bool = False) -> list[StoreError]:
    """Stores entries of any size in the namespace of `memory`, parts before what they are parts of [REC-12]. Parts that an entry had
    before are forgotten where it has a condition or is large, and of all entries with `replacing`.

    Returns the errors of entries; raises what befalls parts: then nothing else is stored."""
    last = {_place(entry): index for index, entry in enumerate(entries)}
    errors: list[StoreError] = []
    left = [*range(len(entries))]
    for attempt in range(1, _ATTEMPTS_MAX + 1):
        tried, left = left, []
        plans, failed = await _try_store(memory, [entries[index] for index in tried], replacing)
        for error in failed:
            plan, index = plans[error["index"]], tried[error["index"]]
            is_beaten = error["code"] == "conflict" and plan.is_unconditional and last[_place(plan.head)] == index
            if is_beaten and attempt < _ATTEMPTS_MAX:
                left.append(index)
            else:
                errors.append({**error, "index": index})
        if not left:
            break
    return errors


async def _try_store(
    memory: AsyncMemory, entries: Sequence[Mapping[str, Any]], replacing: bool
) -> tuple[list[_Plan], list[StoreError]]:
    split = [split_entry(entry, str(uuid.uuid4())) for entry in entries]
    large = [head for parts, head in split if parts]
    small = [head for parts, head in split if not parts and (replacing or head.get("if_revision"))]
    current = {**await _find(memory, small, where=_IS_HEAD), **await _find(memory, large)}
    plans = [_planned(entry, *each, current.get(_place(entry))) for entry, each in zip(entries, split)]
    await _store_parts(memory, [plan for plan in plans if plan.is_sent])
    errors = (await memory.store([plan.head for plan in plans]))["errors"] if plans else []
    refused = {error["index"] for error in errors}
    for index, plan in enumerate(plans):
        await _settle(memory, plan, index not in refused)
    return plans, errors


def _planned(
    entry: Mapping[str, Any], parts: list[dict[str, Any]], head: dict[str, Any], current: MemoryEntry | None
) -> _Plan:
    """`current` is what is under the key now."""
    old = current if current is not None and _write_of(current) is not None else None
    condition, revision = entry.get("if_revision"), 0 if current is None else current["revision"]
    is_expected = condition is None or condition == revision
    is_kept = old is not None and is_expected and bool(parts) and _has_same_content(old, head)
    if is_kept:
        parts, head = split_entry(entry, _write_of(old))
    if condition is None and (parts or old):
        head = {**head, "if_revision": revision}
    return _Plan(parts, head, old, is_sent=bool(parts) and is_expected and not is_kept, is_unconditional=condition is None)


def _has_same_content(old: Any, head: Any) -> bool:
    """Without an end, at which the parts that are there would go."""
    has_end = any(each.get(name) is not None for each in (old, head) for name in ("ttl", "expires_at"))
    return not has_end and bool(old["content"]["parts"]["sha256"] == head["content"]["parts"]["sha256"])


async def _store_parts(memory: AsyncMemory, plans: Sequence[_Plan]) -> None:
    """Where one is refused, none of these is left."""
    parts = [part for plan in plans for part in plan.parts]
    for error in (await memory.store(parts))["errors"] if parts else ():
        for plan in plans:
            await _forget_unused(memory, plan.head)
        raise error_of(error)


async def _settle(memory: AsyncMemory, plan: _Plan, is_stored: bool) -> None:
    """What is left to do once a head is stored, or is not."""
    keys, (tier, _) = [part["key"] for part in plan.parts], _place(plan.head)
    if not is_stored:
        if plan.is_sent:
            await _forget_unused(memory, plan.head)
        return
    if keys and (await memory.retrieve(tier=tier, keys=keys, limit=0))["total"] < len(keys):
        # Another has forgotten what was there under this key before the head was.
        await _store_parts(memory, [plan])
        await _forget_unused(memory, plan.head)
    if plan.old is not None and _write_of(plan.old) != _write_of(plan.head):
        await memory.forget(tier=tier, keys=part_keys(plan.old))


async def _forget_unused(memory: AsyncMemory, head: Mapping[str, Any]) -> None:
    """Forgets the parts of a head, if it is not there. What has been replaced or forgotten once is not there again: a head names the
    parts of one before it only where it replaces just that one."""
    current = (await _find(memory, [head])).get(_place(head))
    if current is None or _write_of(current) != _write_of(head):
        await memory.forget(tier=_place(head)[0], keys=part_keys(head))


def _write_of(entry: Any) -> Any:
    """Of a head; None of another entry."""
    return (_parts_named_by(entry) or {}).get("write")


async def _find(
    memory: AsyncMemory, entries: Sequence[Mapping[str, Any]], **how: Any
) -> dict[tuple[MemoryTier, str], MemoryEntry]:
    """What is under the keys of these now."""
    keys: dict[MemoryTier, list[Any]] = {}
    for tier, hashed in map(_place, entries):
        keys.setdefault(tier, []).append({"$hash": hashed})
    return {_place(entry): entry for tier in keys async for entry in entries_of(memory, tier, keys[tier], **how)}


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
    own = {name: value for name, value in entry.get("metadata", {}).items() if name != "parts"}
    return {**entry, "content": json.loads(data), "metadata": own}
