"""Errors, one class for each error code of the protocol (protocol/spec/04-errors.md)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Mapping

from ._schema import RETRYABLE

if TYPE_CHECKING:
    from ._store import StoreResult


class MembusError(Exception):
    """An error reported by the bus or the host. Branch on its class, or on `code`."""

    #: Code of the protocol. `runtime_error` for codes unknown to this version [ERR-8].
    code = "runtime_error"

    #: Outcome of each entry of a store with a refused entry. None for other errors.
    result: StoreResult | None = None

    def __init__(self, message: str, detail: Mapping[str, Any] | None = None) -> None:
        super().__init__(message)
        self.message = message
        #: Flat values: strings, numbers and booleans, such as `path`, `limit`, `max`, `got`, `revision`, `attempts`.
        self.detail = dict(detail or {})

    @property
    def retryable(self) -> bool:
        """Whether the same request may succeed later."""
        return RETRYABLE[self.code]

    @property
    def retry_after_ms(self) -> float:
        """Milliseconds to wait before a retry as requested by the host, or 0 [ERR-9]."""
        delay_ms = self.detail.get("retry_after_ms")
        return max(0, delay_ms) if isinstance(delay_ms, (int, float)) and not isinstance(delay_ms, bool) else 0

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.message, self.detail)


class ParseError(MembusError):
    code = "parse_error"


class InvalidMessageError(MembusError):
    code = "invalid_message"


class VersionMismatchError(MembusError):
    code = "version_mismatch"


class SchemaViolationError(MembusError):
    """`detail["path"]` names the field."""

    code = "schema_violation"


class UnauthorizedError(MembusError):
    code = "unauthorized"


class MemoryNotFoundError(MembusError):
    code = "memory_not_found"


class ConflictError(MembusError):
    """`detail["revision"]` is the current revision, 0 if the entry does not exist."""

    code = "conflict"


class TooLargeError(MembusError):
    """`detail` has `limit`, `max` and `got`."""

    code = "too_large"


class OverloadedError(MembusError):
    code = "overloaded"


class HostRuntimeError(MembusError):
    """The host or one of its plugins failed. The log of the host contains the cause."""

    code = "runtime_error"


class HostOutOfMemoryError(MembusError):
    code = "out_of_memory"


class UnsupportedError(MembusError):
    code = "unsupported"


class UnavailableError(MembusError):
    """No host responds or the connection is lost: `detail["reason"]` is `no_responders`, `disconnected`, `connect` or
    `closed`.
    """

    code = "unavailable"


class RequestTimeoutError(MembusError):
    """The request may still have had its effect. Repeat the call with the same id to find out."""

    code = "timeout"


class MemoryFullError(MembusError):
    code = "memory_full"


_CLASSES = {error.code: error for error in MembusError.__subclasses__()}


def error_of(report: Mapping[str, Any]) -> MembusError:
    """Return the error of an `error` reply, of an entry of a store, or of a tier of a retrieve."""
    code, message = report.get("code"), report.get("message")
    if not isinstance(code, str) or not isinstance(message, str):
        return HostRuntimeError("invalid reply of the host: incomplete error")
    detail = report.get("detail") or {}
    if code in _CLASSES:
        return _CLASSES[code](message, detail)
    return HostRuntimeError(message, {**detail, "code": code})


def report_of(error: MembusError) -> dict[str, Any]:
    """Return the fields of an error as in a reply."""
    return {"code": error.code, "message": error.message, "detail": error.detail, "retryable": error.retryable}
