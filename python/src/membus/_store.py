"""Stores of any size, in requests that the bus and the host take."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Callable, Iterable, Mapping, NamedTuple, TypedDict

from ._exchange import Request, did_you_mean, malformed
from ._schema import FIELDS, LIMITS, StoreError, StoreReceipt
from ._values import check_values, encode
from .errors import MembusError, TooLargeError, error_of, report_of

#: One mebibyte, NATS's default: more in one message would only hold up others.
_PART_BYTES_MAX = 1024 * 1024
#: NATS counts headers, which a client of this version does not send: as much room as JavaScript leaves for those of a trace.
_HEADER_BYTES_MAX = 704
#: With each entry is counted what its receipt or error takes, so that the reply, which repeats the key, fits as well.
_RECEIPT_BYTES_MAX = 320
#: What a retrieved entry has on top. Not sent back: the host sets these itself [ENTRY-7].
_HOST_FIELDS = FIELDS["returned"] - FIELDS["stored"]


class StoreResult(TypedDict):
    """What became of each entry; `index` is its position in the call, also where the call was split."""

    #: The keys really written.
    stored: list[dict[str, Any]]
    #: By index; in it stands each entry that is refused, and none keeps its neighbours from being stored.
    errors: list[StoreError]
    receipts: list[StoreReceipt]
    #: The ids under which the entries were sent: what `status` takes.
    request_ids: list[str]


@dataclass(frozen=True)
class Indexed:
    """An entry, its position in what the caller gave, and its bytes as JSON with its receipt's."""

    index: int
    entry: dict[str, Any]
    size: int


class Part(NamedTuple):
    request: Request
    entries: list[Indexed]


def check_entries(inputs: Iterable[Mapping[str, Any]]) -> tuple[list[Indexed], list[StoreError]]:
    """Copies the entries. What their values mean is the host's to judge; here is refused what would be lost on the way.

    Raises `TypeError` for an entry without key or content, a mistyped field, or what is no JSON; `ValueError` for NaN.
    """
    entries: list[Indexed] = []
    errors: list[StoreError] = []
    for index, given in enumerate(inputs):
        entry = _copy(given, f"entries[{index}]")
        try:
            check_values(entry)
            size = len(encode(entry))
            if size > LIMITS["entryBytes"]:
                raise _too_large("entryBytes", LIMITS["entryBytes"], size)
            entries.append(Indexed(index, entry, size + _RECEIPT_BYTES_MAX))
        except MembusError as error:
            errors.append(_error(index, entry, error))
    return entries, errors


def _copy(given: Mapping[str, Any], path: str) -> dict[str, Any]:
    if not isinstance(given, Mapping):
        raise TypeError(f"{path} is not an object")
    for name in ("key", "content"):
        if name not in given:
            raise TypeError(f"{path} has no `{name}`")
    for name in given:
        # Hosts ignore what they do not know, so that a later version's fields pass; a near miss is none of those.
        nearest = did_you_mean(name, FIELDS["stored"]) if name not in FIELDS["stored"] | _HOST_FIELDS else ""
        if nearest:
            raise TypeError(f"{path} has an unknown field `{name}`{nearest}")
    return {name: value for name, value in given.items() if name not in _HOST_FIELDS}


def _too_large(limit: str, maximum: int, got: int) -> TooLargeError:
    return TooLargeError(f"{limit} is at most {maximum}, got {got}", {"limit": limit, "max": maximum, "got": got})


def _error(index: int, entry: dict[str, Any], error: MembusError) -> StoreError:
    # mypy reads no names out of a dict: a report has the other fields of a StoreError.
    return {"index": index, "key": entry["key"], **report_of(error)}  # type: ignore[typeddict-item]


def split(
    entries: list[Indexed], id: str, max_payload: int, write: Callable[[str, list[dict[str, Any]]], Request]
) -> tuple[list[Part], list[StoreError]]:
    """Divides a store into requests, in order, so that of two entries with one key the later wins.

    Their ids derive from the call's, so that the same call again is the same requests again [RETRY-1].
    """
    max_bytes = min(max_payload, _PART_BYTES_MAX) - _HEADER_BYTES_MAX - len(write(f"{id}.{len(entries)}", []).payload)
    groups: list[list[Indexed]] = []
    errors: list[StoreError] = []
    room = 0
    for entry in entries:
        if entry.size > max_bytes:
            errors.append(_error(entry.index, entry.entry, _too_large("messageBytes", max_bytes, entry.size)))
            continue
        if not groups or entry.size > room or len(groups[-1]) == LIMITS["storeEntries"]:
            groups.append([])
            room = max_bytes
        groups[-1].append(entry)
        room -= entry.size
    ids = [id] if len(groups) == 1 else [f"{id}.{n}" for n in range(len(groups))]
    return [Part(write(part_id, [each.entry for each in group]), group) for part_id, group in zip(ids, groups)], errors


def read_store_reply(reply: dict[str, Any], count: int) -> dict[str, Any]:
    """A reply in which every entry failed for a passing reason stands for an `error` reply: it may be sent again."""
    if len(reply["receipts"]) + len(reply["errors"]) != count:
        raise malformed("entries are missing in it")
    errors = [error_of(error) for error in reply["errors"]]
    if errors and not reply["receipts"] and all(error.retryable for error in errors):
        raise errors[0]
    return reply


def add_reply(result: StoreResult, reply: dict[str, Any], entries: list[Indexed]) -> None:
    """Adds what became of the entries of a part, by their positions in the call."""

    def ours(reports: list[dict[str, Any]]) -> Any:
        return [{**report, "index": entries[report["index"]].index} for report in reports]

    result["stored"].extend(reply["stored"])
    result["errors"].extend(ours(reply["errors"]))
    result["receipts"].extend(ours(reply["receipts"]))


def add_failure(result: StoreResult, entries: Iterable[Indexed], error: MembusError) -> None:
    """Reports for entries that were not sent, or not answered, why."""
    result["errors"].extend(_error(each.index, each.entry, error) for each in entries)


def only_tier(entries: list[dict[str, Any]]) -> str | None:
    """The tier that all entries name, if they do: what the subject may say [SUBJ-12]."""
    tiers = {entry.get("tier") or "working" for entry in entries}
    return tiers.pop() if len(tiers) == 1 else None
