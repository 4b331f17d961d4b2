"""Entries that are larger than an entry may be: kept in parts, each of them an entry (protocol/spec/07-records.md)."""

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
from .aio import AsyncMemory
from .errors import ConflictError, MembusError, TooLargeError, error_of

#: Bytes of the content in one part: as base64, and with what else a part has, less than an entry may have.
_PART_BYTES = 180_000
_PARTS_MAX = LIMITS["storeEntries"] - 1
#: A head whose parts another forgets when it replaces it is read again, so often.
_READS_MAX = 8
#: An entry without a condition that others replace meanwhile, each time, is tried so often.
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
    head = {"content": {"parts": parts}, "metadata": {**(entry.get("metadata") or {}), "parts": count}}
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
class _Draft:
    """An entry that is to be stored."""

    #: In the call.
    index: int
    given: Mapping[str, Any]
    #: Parts of a write of their own.
    parts: list[dict[str, Any]]
    #: The entry itself, or the head of the parts.
    entry: dict[str, Any]
    #: Whether the parts are there, from a try before.
    is_sent: bool = False

    @property
    def place(self) -> tuple[MemoryTier, str]:
        return _place(self.entry)


@dataclass(frozen=True)
class _Plan:
    """How a draft is stored over what is there."""

    draft: _Draft
    #: The same with what it replaces in mind. `is_sent`: whether its parts are to be there, which they need not be for an entry that is
    #: refused, or where the head that is there has the same.
    filled: _Draft
    #: Whether the entry has a condition that the caller did not give: then it is known what it replaces.
    is_our_condition: bool = False
    #: The head that is replaced, where there is one.
    old: MemoryEntry | None = None


async def store_whole(memory: AsyncMemory, entries: Sequence[Mapping[str, Any]], *, replacing: bool = False) -> list[StoreError]:
    """Stores entries of any size in the namespace of `memory`, parts before what they are parts of [REC-12]. Parts that an entry had
    before are forgotten where it has a condition or is large, and with `replacing` of all entries.

    Returns the errors of entries; raises what befalls parts, and `ConflictError` for an entry without a condition that others replace all
    the time. Others of the call may be stored then."""
    drafts = [_Draft(index, entry, *split_entry(entry, str(uuid.uuid4()))) for index, entry in enumerate(entries)]
    errors: list[StoreError] = []
    attempts = 0
    while drafts:
        if attempts > 0:
            await asyncio.sleep(backoff_s(attempts))
        attempts += 1
        try:
            if attempts > _ATTEMPTS_MAX:
                raise ConflictError(f"others change the entry {encode(drafts[0].given['key']).decode()} all the time")
            drafts = await _store_plans(memory, await _plans(memory, drafts, replacing), errors)
        except Exception as error:
            if not isinstance(error, MembusError) or _is_refusal(error.code):
                for draft in drafts:
                    await _forget_unused(memory, draft)
            raise
    return errors


async def _plans(memory: AsyncMemory, drafts: Sequence[_Draft], replacing: bool) -> list[_Plan]:
    """What is under the keys of large entries, and of small ones that may replace a head."""
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
    """`current` is what is under the key."""
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
    """For another try, over what is there then."""
    if not plan.filled.is_sent:
        return plan.draft
    place: dict[str, Any] = {name: plan.filled.entry[name] for name in ("group", "occurred_at") if name in plan.filled.entry}
    return replace(plan.draft, parts=plan.filled.parts, entry={**plan.draft.entry, **place}, is_sent=True)


def _with_metadata_of(draft: _Draft, current: MemoryEntry | None) -> _Draft:
    """A store without metadata leaves them as they are [UPD-2], but for what says that there are parts."""
    if "metadata" in draft.given or current is None or not (draft.parts or _write_of(current)):
        return draft
    own = {name: value for name, value in current.get("metadata", {}).items() if name != "parts"}
    count = {"parts": len(draft.parts)} if draft.parts else {}
    return replace(draft, entry={**draft.entry, "metadata": {**own, **count}})


def _with_place_of(draft: _Draft, current: Any) -> _Draft:
    """It also leaves group and time: parts get those of their head, which are said, as others may change them until it is stored."""
    if draft.is_sent or not draft.parts:
        return draft
    place: dict[str, Any] = {name: draft.given.get(name, (current or {}).get(name)) for name in ("group", "occurred_at")}
    return replace(draft, parts=[{**part, **place} for part in draft.parts], entry={**draft.entry, **place})


def _is_held_by(old: Any, head: Any) -> bool:
    """Whether the parts that are there hold the same, lie where these would, and have no end."""
    there, wanted = old["content"]["parts"], head["content"]["parts"]
    is_same = all(there[name] == wanted[name] for name in ("sha256", "count"))
    is_there = all(old.get(name) == head.get(name) for name in ("group", "occurred_at"))
    has_end = any(each.get(name) is not None for each in (old, head) for name in ("ttl", "expires_at"))
    return is_same and is_there and not has_end


def _of_write(draft: _Draft, write: str) -> _Draft:
    parts = [{**part, "key": {**part["key"], "write": write}} for part in draft.parts]
    content = {"parts": {**draft.entry["content"]["parts"], "write": write}}
    return replace(draft, parts=parts, entry={**draft.entry, "content": content})


async def _store_plans(memory: AsyncMemory, plans: Sequence[_Plan], errors: list[StoreError]) -> list[_Draft]:
    """Adds to `errors`. Returns those whose place another has taken since it was looked for."""
    await _store_parts(memory, [plan.filled for plan in plans if plan.filled.is_sent and not plan.draft.is_sent])
    beaten, refused = [], set()
    # Of several of one key in a call the last counts, and the others are the conflicts that the host says.
    last = {plan.draft.place: plan for plan in plans}
    for error in (await memory.store([plan.filled.entry for plan in plans]))["errors"]:
        plan = plans[error["index"]]
        refused.add(error["index"])
        if error["code"] == "conflict" and plan.is_our_condition and last[plan.draft.place] is plan:
            beaten.append(_next_draft(plan))
            continue
        if plan.filled.is_sent and _is_refusal(error["code"]):
            await _forget_unused(memory, plan.filled)
        errors.append({**error, "index": plan.draft.index})
    for index, plan in enumerate(plans):
        if index not in refused:
            await _settle(memory, plan)
    return beaten


def _is_refusal(code: str) -> bool:
    """With other codes an entry may be stored all the same, or soon be."""
    return code not in ("timeout", "unavailable", "runtime_error")


async def _store_parts(memory: AsyncMemory, drafts: Sequence[_Draft]) -> None:
    parts = [part for draft in drafts for part in draft.parts]
    for error in (await memory.store(parts))["errors"] if parts else ():
        raise error_of(error)


async def _settle(memory: AsyncMemory, plan: _Plan) -> None:
    """What is left to do once an entry is stored."""
    filled, (tier, _) = plan.filled, plan.draft.place
    keys = [part["key"] for part in filled.parts]
    if keys and (await memory.retrieve(tier=tier, keys=keys, limit=0))["total"] < len(keys):
        # Another has forgotten what was there under this key before the head was.
        await _store_parts(memory, [filled])
        await _forget_unused(memory, filled)
    if plan.old is not None and _write_of(plan.old) != _write_of(filled.entry):
        await memory.forget(tier=tier, keys=part_keys(plan.old))


async def _forget_unused(memory: AsyncMemory, draft: _Draft) -> None:
    """Forgets the parts of a head, if it is not there. What has been replaced or forgotten once is not there again: a head names the
    parts of one before it only where it replaces just that one."""
    if not draft.parts:
        return
    current = (await _find(memory, [draft.entry])).get(draft.place)
    if current is None or _write_of(current) != _write_of(draft.entry):
        await memory.forget(tier=draft.place[0], keys=part_keys(draft.entry))


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
