"""Spans and trace context of requests, with the OpenTelemetry API if it is installed."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any

from ._schema import PROTOCOL_VERSION
from .errors import MembusError

if TYPE_CHECKING:
    from opentelemetry.context import Context
    from opentelemetry.trace import Span

    from ._exchange import Request

_log = logging.getLogger("membus")

#: Maximum lengths of the W3C Trace Context headers to send. Baggage is not sent, because it may contain anything.
_VALUE_LENGTH_MAX = {"traceparent": 55, "tracestate": 512}
#: Maximum bytes of both headers, including names and separators.
TRACE_HEADER_BYTES_MAX = 640
#: Operations of OpenTelemetry's conventions for agent memory. Other requests have no span.
_OPERATIONS = {
    "memory/store/req": "upsert_memory",
    "memory/retrieve/req": "search_memory",
    "memory/forget/req": "delete_memory",
}


class RequestSpan:
    """One request under way, with all its attempts."""

    def __init__(self, span: Span | None, headers: dict[str, str] | None) -> None:
        self._span = span
        #: Headers that continue the trace. None without a trace.
        self.headers = headers

    def succeed(self, reply: dict[str, Any]) -> None:
        """End the span with its reply."""
        if self._span is None:
            return
        count = _count_in(reply)
        if count is not None:
            self._span.set_attribute("gen_ai.memory.record.count", count)
        self._span.end()

    def fail(self, error: BaseException) -> None:
        """End the span with its error."""
        if self._span is None:
            return
        from opentelemetry.trace import Status, StatusCode

        type_name = error.code if isinstance(error, MembusError) else type(error).__name__
        self._span.set_attribute("error.type", type_name)
        self._span.set_status(Status(StatusCode.ERROR, type_name))
        self._span.end()


#: A request without the OpenTelemetry API.
UNTRACED = RequestSpan(None, None)


class RequestTracer:
    """Creates a client span for each memory operation, and the headers that continue its trace.

    Spans contain no contents, queries, keys or namespaces.
    """

    def __init__(self) -> None:
        """Load the OpenTelemetry API. Raise `ModuleNotFoundError` if it is not installed."""
        import opentelemetry.propagate
        import opentelemetry.trace

        self._trace = opentelemetry.trace
        self._propagate = opentelemetry.propagate
        self._tracer = self._trace.get_tracer("membus-client", PROTOCOL_VERSION)

    def start(self, request: Request) -> RequestSpan:
        operation = _OPERATIONS.get(request.type)
        if operation is None:
            return RequestSpan(None, self._headers(None))
        kind = self._trace.SpanKind.CLIENT
        span = self._tracer.start_span(operation, kind=kind, attributes=_start_attributes(operation, request))
        return RequestSpan(span, self._headers(self._trace.set_span_in_context(span)))

    def _headers(self, within: Context | None) -> dict[str, str] | None:
        carrier: dict[str, str] = {}
        self._propagate.inject(carrier, within)
        headers = {name: value for name, value in carrier.items() if len(value) <= _VALUE_LENGTH_MAX.get(name, 0)}
        return headers if "traceparent" in headers else None


def load_tracer() -> RequestTracer | None:
    """Return a tracer, or None if the OpenTelemetry API, an optional package, is missing or cannot start.

    It cannot start, for example, if OTEL_PROPAGATORS names a propagator that is not installed.
    """
    try:
        return RequestTracer()
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] == "opentelemetry":
            return None
        raise
    except Exception:
        # The API loads code of other packages.
        _log.warning("requests are not traced, because OpenTelemetry cannot start", exc_info=True)
        return None


def _start_attributes(operation: str, request: Request) -> dict[str, str | int]:
    # A subject is `<prefix>.<tenant>.<agent>.memory.<operation>[.<tier>].req`.
    before, _, _ = request.subject.rpartition(".memory.")
    tenant, agent = before.split(".")[-2:]
    attributes: dict[str, str | int] = {
        "gen_ai.operation.name": operation,
        "gen_ai.provider.name": "membus",
        "gen_ai.memory.store.id": f"{tenant}/{agent}",
    }
    if request.entry_count is not None:
        attributes["gen_ai.memory.record.count"] = request.entry_count
    return attributes


def _count_in(reply: dict[str, Any]) -> int | None:
    """Return how many entries a retrieve returned or a forget deleted."""
    entries, deleted = reply.get("entries"), reply.get("deleted")
    if isinstance(entries, list):
        return len(entries)
    return deleted if isinstance(deleted, int) and not isinstance(deleted, bool) else None
