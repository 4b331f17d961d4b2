"""Entries larger than the entry limit, stored in parts that are entries themselves (protocol/spec/07-records.md)."""

from __future__ import annotations

import asyncio
import base64
import hashlib
import json
import uuid
from dataclasses import dataclass, replace
from typing import Any, Iterable, Mapping, Sequence

from ._batches import entries_of
from ._exchange import backoff_s
from ._schema import LIMITS, MemoryEntry, MemoryTier, StoreError
from ._values import encode, key_hash
from .aio import AsyncAgentMemory
from .errors import ConflictError, MembusError, TooLargeError

#: Content bytes per part. Encoded as base64 with the other fields, a part stays below the entry limit.
_PART_BYTES = 180_000
#: Limit of the text of a head in bytes of JSON, and its length above that limit.
_HEAD_TEXT_BYTES = 128 * 1024
_HEAD_TEXT_LENGTH = 16_384
_PARTS_MAX = LIMITS["storeEntries"] - 1
#: Maximum number of reads of a head while another client replaces its parts.
_READS_MAX = 8
#: Maximum number of attempts for an entry without a condition that others replace concurrently.
_ATTEMPTS_MAX = 16
_IS_HEAD: Any = {"field": "metadata.parts", "op": "exists", "value": True}
_SHARED = ("tier", "group", "occurred_at", "ttl", "expires_at")


def split_entry(entry: Mapping[str, Any], write: str) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    """Split an entry into parts and a head, or return no parts and the entry itself if it is small [REC-11].

    A head without a `text` gets the text of its content. `write` must be unique, so that no other write has the same
    parts [REC-14].

    Raises:
        TooLargeError: For more than 999 parts, which is 180 MB.
    """
    if len(encode(entry)) <= LIMITS["entryBytes"]:
        return [], dict(entry)
    data = encode(entry["content"])
    count = -(-len(data) // _PART_BYTES)
    if count > _PARTS_MAX:
        detail = {"limit": "storeEntries", "max": _PARTS_MAX, "got": count}
        raise TooLargeError(f"content too large: {len(data)} bytes in {count} parts, maximum {_PARTS_MAX} parts", detail)
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
    head = {"content": {"parts": parts}, "metadata": {**(entry.get("metadata") or {}), "parts": count}}
    return pieces, {**entry, **head, "text": _text_of(entry)}


def _text_of(entry: Mapping[str, Any]) -> str:
    """Return the text of a head. Hosts derive a text from other contents, such as lists. That is not done here: such a
    head has an empty text and is not found by words.
    """
    text, content = entry.get("text"), entry["content"]
    derived = content.get("text") if isinstance(content, Mapping) else content
    found = text if isinstance(text, str) else str(derived)[: LIMITS["derivedTextLength"]] if isinstance(derived, str) else ""
    return found if len(encode(found)) <= _HEAD_TEXT_BYTES else found[:_HEAD_TEXT_LENGTH]


def _part_keys(head: str, parts: Mapping[str, Any]) -> list[dict[str, Any]]:
    return [{"head": head, "write": parts["write"], "part": n + 1} for n in range(parts["count"])]


def part_keys(entry: Mapping[str, Any]) -> list[Any]:
    """Return the keys of the parts of a head in order, or an empty list for other entries."""
    parts = _parts_named_by(entry)
    return [] if parts is None else _part_keys(key_hash(entry["key"]), parts)


def _parts_named_by(entry: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """Return the parts of a head, or None. An entry that has replaced a head may have kept its metadata [UPD-1], but is
    not a head.
    """
    content = entry["content"]
    parts = content.get("parts") if "parts" in (entry.get("metadata") or {}) and isinstance(content, Mapping) else None
    fields = {"count": int, "sha256": str, "write": str}
    is_named = isinstance(parts, Mapping) and all(isinstance(parts.get(name), kind) for name, kind in fields.items())
    return parts if is_named else None


@dataclass(frozen=True)
class _Draft:
    """An entry to be stored."""

    #: Position in the call.
    index: int
    given: Mapping[str, Any]
    #: Parts of this write.
    parts: list[dict[str, Any]]
    #: The entry, or the head of the parts.
    entry: dict[str, Any]
    #: Whether the parts were stored by an earlier attempt.
    is_sent: bool = False

    @property
    def place(self) -> tuple[MemoryTier, str]:
        return _place(self.entry)


@dataclass(frozen=True)
class _Plan:
    """How a draft is stored over the existing entry."""

    draft: _Draft
    #: The draft completed from the existing entry. `is_sent` is whether its parts must be stored. They are not needed if the entry is
    #: rejected, or if the existing head has the same parts.
    filled: _Draft
    #: Whether the condition was added here, so that exactly the existing entry is replaced.
    is_our_condition: bool = False
    #: The replaced head, if any.
    old: MemoryEntry | None = None


async def store_whole(memory: AsyncAgentMemory, entries: Sequence[Mapping[str, Any]], *, replacing: bool = False) -> list[StoreError]:
    """Store entries of any size in the namespace of `memory`, parts before their heads [REC-12].

    Parts of a replaced entry are forgotten if the new entry has a condition or is large, and with `replacing` in all
    cases.

    Returns:
        The errors of rejected entries.

    Raises:
        MembusError: If parts cannot be stored. Other entries of the call may be stored.
        ConflictError: If an entry without a condition is replaced by others at each attempt.
    """
    drafts = [_Draft(index, entry, *split_entry(entry, str(uuid.uuid4()))) for index, entry in enumerate(entries)]
    errors: list[StoreError] = []
    attempts = 0
    while drafts:
        if attempts > 0:
            await asyncio.sleep(backoff_s(attempts))
        attempts += 1
        try:
            if attempts > _ATTEMPTS_MAX:
                raise ConflictError(f"the entry {encode(drafts[0].given['key']).decode()} is changed concurrently by others: try again later")
            drafts = await _store_plans(memory, await _plans(memory, drafts, replacing), errors)
        except Exception as error:
            if not isinstance(error, MembusError) or _is_refusal(error.code):
                for draft in drafts:
                    await _forget_unused(memory, draft)
            raise
    return errors


async def _plans(memory: AsyncAgentMemory, drafts: Sequence[_Draft], replacing: bool) -> list[_Plan]:
    """Read the existing entries under the keys of large entries, and of small ones that may replace a head, and plan
    the store.
    """
    conditions = [draft.given.get("if_revision") for draft in drafts]
    looked_for = {draft.index for draft, condition in zip(drafts, conditions) if draft.parts or (replacing and condition is None)}
    replacers = [draft.entry for draft, condition in zip(drafts, conditions) if condition and draft.index not in looked_for]
    heads = await _find(memory, replacers, where=_IS_HEAD)
    current = await _find(memory, [draft.entry for draft in drafts if draft.index in looked_for])
    plans = []
    for draft in drafts:
        there = current.get(draft.place) or heads.get(draft.place)
        is_planned = draft.index in looked_for or there is not None
        plans.append(_planned(draft, there) if is_planned else _Plan(draft, draft))
    return plans


def _planned(draft: _Draft, current: MemoryEntry | None) -> _Plan:
    """Plan the store of a draft over `current`, the existing entry."""
    old = current if current is not None and _write_of(current) is not None else None
    condition, revision = draft.given.get("if_revision"), 0 if current is None else current["revision"]
    filled = _with_metadata_of(_with_place_of(draft, current), current)
    is_expected = condition is None or condition == revision
    if condition is None:
        filled = replace(filled, entry={**filled.entry, "if_revision": revision})
    if filled.parts and is_expected and not draft.is_sent:
        is_kept = old is not None and _is_held_by(old, filled.entry)
        filled = _of_write(filled, _write_of(old)) if is_kept else replace(filled, is_sent=True)
    return _Plan(draft, filled, condition is None, old)


def _next_draft(plan: _Plan) -> _Draft:
    """Return the draft for another attempt."""
    if not plan.filled.is_sent:
        return plan.draft
    place: dict[str, Any] = {name: plan.filled.entry[name] for name in ("group", "occurred_at") if name in plan.filled.entry}
    return replace(plan.draft, parts=plan.filled.parts, entry={**plan.draft.entry, **place}, is_sent=True)


def _with_metadata_of(draft: _Draft, current: MemoryEntry | None) -> _Draft:
    """Add the existing metadata, because a store without metadata keeps it [UPD-2]. The number of parts is updated."""
    if "metadata" in draft.given or current is None or not (draft.parts or _write_of(current)):
        return draft
    own = {name: value for name, value in current.get("metadata", {}).items() if name != "parts"}
    count = {"parts": len(draft.parts)} if draft.parts else {}
    return replace(draft, entry={**draft.entry, "metadata": {**own, **count}})


def _with_place_of(draft: _Draft, current: Any) -> _Draft:
    """Set group and time explicitly in parts and head, because a store without them keeps them, and others may change
    them concurrently.
    """
    if draft.is_sent or not draft.parts:
        return draft
    place: dict[str, Any] = {name: draft.given.get(name, (current or {}).get(name)) for name in ("group", "occurred_at")}
    return replace(draft, parts=[{**part, **place} for part in draft.parts], entry={**draft.entry, **place})


def _is_held_by(old: Any, head: Any) -> bool:
    """Return whether the existing parts have the same content, group and time, and do not expire."""
    there, wanted = old["content"]["parts"], head["content"]["parts"]
    is_same = all(there[name] == wanted[name] for name in ("sha256", "count"))
    is_same_place = all(old.get(name) == head.get(name) for name in ("group", "occurred_at"))
    has_end = any(each.get(name) is not None for each in (old, head) for name in ("ttl", "expires_at"))
    return is_same and is_same_place and not has_end


def _of_write(draft: _Draft, write: str) -> _Draft:
    parts = [{**part, "key": {**part["key"], "write": write}} for part in draft.parts]
    content = {"parts": {**draft.entry["content"]["parts"], "write": write}}
    return replace(draft, parts=parts, entry={**draft.entry, "content": content})


async def _store_plans(memory: AsyncAgentMemory, plans: Sequence[_Plan], errors: list[StoreError]) -> list[_Draft]:
    """Store plans and add rejections to `errors`. Return drafts whose existing entry was replaced concurrently."""
    await _store_parts(memory, [plan.filled for plan in plans if plan.filled.is_sent and not plan.draft.is_sent])
    replaced, refused = [], set()
    # The last of several entries with one key is stored. The host reports a conflict for the others.
    last = {plan.draft.place: plan for plan in plans}
    for error in (await memory.store([plan.filled.entry for plan in plans], partial=True))["errors"]:
        plan = plans[error["index"]]
        refused.add(error["index"])
        if error["code"] == "conflict" and plan.is_our_condition and last[plan.draft.place] is plan:
            replaced.append(_next_draft(plan))
            continue
        if plan.filled.is_sent and _is_refusal(error["code"]):
            await _forget_unused(memory, plan.filled)
        errors.append({**error, "index": plan.draft.index})
    for index, plan in enumerate(plans):
        if index not in refused:
            await _settle(memory, plan)
    return replaced


def _is_refusal(code: str) -> bool:
    """Return whether the entry is definitely not stored. With other codes, it may be stored."""
    return code not in ("timeout", "unavailable", "runtime_error")


async def _store_parts(memory: AsyncAgentMemory, drafts: Sequence[_Draft]) -> None:
    parts = [part for draft in drafts for part in draft.parts]
    if parts:
        await memory.store(parts)


async def _settle(memory: AsyncAgentMemory, plan: _Plan) -> None:
    """Complete a store: restore parts that were forgotten concurrently, and forget replaced parts."""
    filled, (tier, _) = plan.filled, plan.draft.place
    keys = [part["key"] for part in filled.parts]
    if keys and (await memory.retrieve(tier=tier, keys=keys, limit=0))["total"] < len(keys):
        # Another client has forgotten the entries under this key before the head was stored.
        await _store_parts(memory, [filled])
        await _forget_unused(memory, filled)
    if plan.old is not None and _write_of(plan.old) != _write_of(filled.entry):
        await memory.forget(tier=tier, keys=part_keys(plan.old))


async def _forget_unused(memory: AsyncAgentMemory, draft: _Draft) -> None:
    """Forget the parts of a head that is not stored. A forgotten or replaced head cannot reappear: a head reuses the
    parts of an earlier one only if it replaces exactly that one.
    """
    if not draft.parts:
        return
    current = (await _find(memory, [draft.entry])).get(draft.place)
    if current is None or _write_of(current) != _write_of(draft.entry):
        await memory.forget(tier=draft.place[0], keys=part_keys(draft.entry))


def _write_of(entry: Any) -> Any:
    """Return the write id of a head, or None for other entries."""
    return (_parts_named_by(entry) or {}).get("write")


async def _find(
    memory: AsyncAgentMemory, entries: Sequence[Mapping[str, Any]], **how: Any
) -> dict[tuple[MemoryTier, str], MemoryEntry]:
    """Return the existing entries under the keys of `entries`."""
    keys: dict[MemoryTier, list[Any]] = {}
    for tier, hashed in map(_place, entries):
        keys.setdefault(tier, []).append({"$hash": hashed})
    return {_place(entry): entry for tier in keys async for entry in entries_of(memory, tier, keys[tier], **how)}


def _place(entry: Mapping[str, Any]) -> tuple[MemoryTier, str]:
    return entry.get("tier") or "working", key_hash(entry["key"])


async def read_whole(memory: AsyncAgentMemory, entries: Iterable[MemoryEntry]) -> list[MemoryEntry]:
    """Return entries with the contents of their parts. Heads with missing parts are omitted [REC-13]."""
    found = list(entries)
    parts = await _parts_of(memory, found)
    whole = [_joined(entry, parts) or await _read_again(memory, entry) for entry in found]
    return [entry for entry in whole if entry is not None]


async def _parts_of(memory: AsyncAgentMemory, entries: Iterable[MemoryEntry]) -> dict[str, bytes]:
    """Return the parts by key hash. Parts have the tier of their head."""
    keys: dict[MemoryTier, list[dict[str, Any]]] = {}
    for entry in entries:
        keys.setdefault(entry["tier"], []).extend(part_keys(entry))
    parts = [part for tier in keys async for part in entries_of(memory, tier, keys[tier])]
    return {part["key_hash"]: base64.b64decode(part["content"]["base64"]) for part in parts}


async def _read_again(memory: AsyncAgentMemory, head: MemoryEntry) -> MemoryEntry | None:
    """Return the entry that has replaced a head whose parts were forgotten between two reads, or None if parts are
    missing.
    """
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
