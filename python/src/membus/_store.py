"""Splits stores of any size into requests that the bus and the host accept."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Callable, Iterable, Iterator, Literal, Mapping, NamedTuple, overload

from ._exchange import Request, did_you_mean, malformed
from ._request_tracer import TRACE_HEADER_BYTES_MAX
from ._schema import FIELDS, LIMITS, StoreError, StoreReceipt
from ._values import check_values, encode
from .errors import MembusError, TooLargeError, error_of, report_of

#: 1 MiB, the default of NATS. Larger messages would only delay others.
_PART_BYTES_MAX = 1024 * 1024
#: Reserve for headers, which NATS counts. The JavaScript client reserves the same, so that both split stores equally.
_HEADER_BYTES_MAX = 64 + TRACE_HEADER_BYTES_MAX
#: Size of a receipt or error, counted with each entry, so that the reply also fits into a message.
_RECEIPT_BYTES_MAX = 320
#: Additional fields of a retrieved entry. They are not sent, because the host sets them [ENTRY-7].
_HOST_FIELDS = FIELDS["returned"] - FIELDS["stored"]


@dataclass
class StoreResult:
    """Results of a store, by name: `result["errors"]`. It unpacks as in A2E: `stored, errors = memory.store(...)`.

    `index` is the position of an entry in the call, even if the call was split.
    """

    #: Keys of the written entries.
    stored: list[dict[str, Any]]
    #: Errors of rejected entries, by index. Other entries are stored.
    errors: list[StoreError]
    receipts: list[StoreReceipt] = field(default_factory=list)
    #: Request ids, for `status`.
    request_ids: list[str] = field(default_factory=list)

    @overload
    def __getitem__(self, name: Literal["stored"]) -> list[dict[str, Any]]: ...
    @overload
    def __getitem__(self, name: Literal["errors"]) -> list[StoreError]: ...
    @overload
    def __getitem__(self, name: Literal["receipts"]) -> list[StoreReceipt]: ...
    @overload
    def __getitem__(self, name: Literal["request_ids"]) -> list[str]: ...
    def __getitem__(self, name: str) -> Any:
        return vars(self)[name]

    def __iter__(self) -> Iterator[Any]:
        return iter((self.stored, self.errors))


@dataclass(frozen=True)
class Indexed:
    """An entry with its position in the call, and its JSON size including its receipt."""

    index: int
    entry: dict[str, Any]
    size: int


class Part(NamedTuple):
    request: Request
    entries: list[Indexed]


def check_entries(inputs: Iterable[Mapping[str, Any]]) -> tuple[list[Indexed], list[StoreError]]:
    """Copy and validate the entries. The host validates their meaning. Here only values are rejected that would be lost
    in transit.

    Raises:
        TypeError: For an entry without key or content, a misspelled field, or a value that is not JSON.
        ValueError: For NaN.
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
        # Hosts ignore unknown fields for compatibility with later versions. A misspelled field is rejected here.
        nearest = did_you_mean(name, FIELDS["stored"]) if name not in FIELDS["stored"] | _HOST_FIELDS else ""
        if nearest:
            raise TypeError(f"{path} has an unknown field `{name}`{nearest}")
    return {name: value for name, value in given.items() if name not in _HOST_FIELDS}


def _too_large(limit: str, maximum: int, got: int) -> TooLargeError:
    return TooLargeError(f"{limit} exceeded: {got}, maximum {maximum}", {"limit": limit, "max": maximum, "got": got})


def _error(index: int, entry: dict[str, Any], error: MembusError) -> StoreError:
    # A report has the other fields of a StoreError, which mypy cannot infer.
    return {"index": index, "key": entry["key"], **report_of(error)}  # type: ignore[typeddict-item]


def split(
    entries: list[Indexed], id: str, max_payload: int, write: Callable[[str, list[dict[str, Any]]], Request]
) -> tuple[list[Part], list[StoreError]]:
    """Split a store into requests in order, so that the later of two entries with the same key wins.

    The ids derive from the id of the call, so that repeating the call repeats the same requests [RETRY-1].
    """
    max_bytes = min(max_payload, _PART_BYTES_MAX) - _HEADER_BYTES_MAX - len(write(f"{id}.{len(entries)}", []).payload)
    groups: list[list[Indexed]] = []
    errors: list[StoreError] = []
    left_bytes = 0
    for entry in entries:
        if entry.size > max_bytes:
            errors.append(_error(entry.index, entry.entry, _too_large("messageBytes", max_bytes, entry.size)))
            continue
        if not groups or entry.size > left_bytes or len(groups[-1]) == LIMITS["storeEntries"]:
            groups.append([])
            left_bytes = max_bytes
        groups[-1].append(entry)
        left_bytes -= entry.size
    ids = [id] if len(groups) == 1 else [f"{id}.{n}" for n in range(len(groups))]
    return [Part(write(part_id, [each.entry for each in group]), group) for part_id, group in zip(ids, groups)], errors


def read_store_reply(reply: dict[str, Any], count: int) -> dict[str, Any]:
    """Validate a reply. If all entries failed with retryable errors, raise the first error, so that the request is
    retried.
    """
    if len(reply["receipts"]) + len(reply["errors"]) != count:
        raise malformed("entries are missing")
    errors = [error_of(error) for error in reply["errors"]]
    if errors and not reply["receipts"] and all(error.retryable for error in errors):
        raise errors[0]
    return reply


def add_reply(result: StoreResult, reply: dict[str, Any], entries: list[Indexed]) -> None:
    """Add the results of a request, with the positions of the call."""

    def with_index(reports: list[dict[str, Any]]) -> Any:
        return [{**report, "index": entries[report["index"]].index} for report in reports]

    result["stored"].extend(reply["stored"])
    result["errors"].extend(with_index(reply["errors"]))
    result["receipts"].extend(with_index(reply["receipts"]))


def add_failure(result: StoreResult, entries: Iterable[Indexed], error: MembusError) -> None:
    """Add an error for entries that were not sent or not answered."""
    result["errors"].extend(_error(each.index, each.entry, error) for each in entries)


def refusal_of(result: StoreResult) -> MembusError:
    """Return the error of the first refused entry, with the outcome of each entry."""
    first = result.errors[0]
    error = error_of(first)
    count = len(result.errors) + len(result.receipts)
    if count > 1:
        message = f"entries[{first['index']}]: {error.message} ({len(result.receipts)} of {count} entries are stored)"
        error = type(error)(message, error.detail)
    error.result = result
    return error


def only_tier(entries: list[dict[str, Any]]) -> str | None:
    """Return the tier if all entries have the same one. It may be part of the subject [SUBJ-12]."""
    tiers = {entry.get("tier") or "working" for entry in entries}
    return tiers.pop() if len(tiers) == 1 else None
