"""Errors, one class for each code of the protocol (protocol/spec/04-errors.md)."""

from __future__ import annotations

from typing import Any, Mapping

from ._schema import RETRYABLE


class MembusError(Exception):
    """What the bus or the host reports. Branch on its class, or on `code`."""

    #: Of the protocol; `runtime_error` for one that this version does not know [ERR-8].
    code = "runtime_error"

    def __init__(self, message: str, detail: Mapping[str, Any] | None = None) -> None:
        super().__init__(message)
        self.message = message
        #: Flat: strings, numbers, booleans, such as `path`, `limit`, `max`, `got`, `revision`, `attempts`.
        self.detail = dict(detail or {})

    @property
    def retryable(self) -> bool:
        """Whether the same request may succeed later."""
        return RETRYABLE[self.code]

    @property
    def retry_after_ms(self) -> float:
        """How long the host asks to wait before the same request is sent again; 0 where it does not say [ERR-9]."""
        asked = self.detail.get("retry_after_ms")
        return max(0, asked) if isinstance(asked, (int, float)) and not isinstance(asked, bool) else 0

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
    """`detail["revision"]` is the current one, 0 where there is none."""

    code = "conflict"


class TooLargeError(MembusError):
    """`detail` has `limit`, `max` and `got`."""

    code = "too_large"


class OverloadedError(MembusError):
    code = "overloaded"


class HostRuntimeError(MembusError):
    """The host, or a plugin of it, failed; the cause is in its log."""

    code = "runtime_error"


class HostOutOfMemoryError(MembusError):
    code = "out_of_memory"


class UnsupportedError(MembusError):
    code = "unsupported"


class UnavailableError(MembusError):
    """Nobody listens, or the connection is lost: `detail["reason"]` is `no_responders`, `disconnected`, `connect` or `closed`."""

    code = "unavailable"


class RequestTimeoutError(MembusError):
    """The effect may still have happened: the same call with the same id tells."""

    code = "timeout"


class MemoryFullError(MembusError):
    code = "memory_full"


_CLASSES = {error.code: error for error in MembusError.__subclasses__()}


def error_of(report: Mapping[str, Any]) -> MembusError:
    """The error that an `error` reply reports, or one entry of a store, or a tier of a retrieve."""
    code, message = report.get("code"), report.get("message")
    if not isinstance(code, str) or not isinstance(message, str):
        return HostRuntimeError("the host's reply cannot be read: it is no complete error")
    detail = report.get("detail") or {}
    if code in _CLASSES:
        return _CLASSES[code](message, detail)
    return HostRuntimeError(message, {**detail, "code": code})


def report_of(error: MembusError) -> dict[str, Any]:
    """The fields of an error as a reply has them."""
    return {"code": error.code, "message": error.message, "detail": error.detail, "retryable": error.retryable}
