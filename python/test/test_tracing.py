"""Tests spans and trace context with the SDK of OpenTelemetry. The host is traced too."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any, Iterator, Sequence

import nats
import pytest
from opentelemetry import trace
from opentelemetry.baggage import set_baggage
from opentelemetry.context import attach, detach
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import NonRecordingSpan, SpanContext, SpanKind, StatusCode, TraceFlags, TraceState
from running_bus import ROOT, RunningBus

import membus
from membus import aio

SECRET = "the marmot sleeps at noon"
COMMON = {"gen_ai.provider.name": "membus", "gen_ai.memory.store.id": "default/alice"}
OPERATION, COUNT = "gen_ai.operation.name", "gen_ai.memory.record.count"

exporter = InMemorySpanExporter()


class TracedBus(RunningBus):
    """A bus with a host that writes its spans into a file."""

    def start_host(self, **env: str) -> None:
        recorder = (ROOT / "cli" / "test" / "span-recorder.js").as_uri()
        super().start_host(NODE_OPTIONS=f"--import {recorder}", MEMBUS_TEST_SPANS=str(self._spans), **env)

    async def host_spans(self, trace_id: str, count: int) -> list[dict[str, Any]]:
        """Wait for the spans of a trace. A span ends after its reply."""
        while True:
            lines = self._spans.read_text().splitlines() if self._spans.exists() else []
            spans = [span for span in map(json.loads, lines) if span["traceId"] == trace_id]
            if len(spans) >= count:
                return spans
            await asyncio.sleep(0.02)

    @property
    def _spans(self) -> Path:
        return self.folder / "spans.jsonl"


@pytest.fixture(scope="module")
def traced_bus() -> Iterator[TracedBus]:
    provider = TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    trace.set_tracer_provider(provider)
    running = TracedBus()
    try:
        running.start_host()
        yield running
    finally:
        running.stop()


def client_spans(turn: trace.Span) -> list[ReadableSpan]:
    """Return the spans of the client in the trace of `turn`, in the order in which they ended."""
    wanted = turn.get_span_context().trace_id
    return [span for span in exporter.get_finished_spans() if _is_of_client(span) and _context(span).trace_id == wanted]


def _is_of_client(span: ReadableSpan) -> bool:
    return span.instrumentation_scope is not None and span.instrumentation_scope.name == "membus-client"


def _context(span: ReadableSpan) -> SpanContext:
    context = span.get_span_context()
    assert context is not None
    return context


def hex_ids(span: ReadableSpan) -> tuple[str, str]:
    context = _context(span)
    return f"{context.trace_id:032x}", f"{context.span_id:016x}"


def shown(spans: Sequence[ReadableSpan]) -> list[tuple[str, SpanKind, dict[str, Any]]]:
    return [(span.name, span.kind, dict(span.attributes or {})) for span in spans]


async def test_operations_have_the_spans_of_the_javascript_client(traced_bus: TracedBus) -> None:
    async with await aio.connect(traced_bus.url, agent="alice") as memory:
        with trace.get_tracer("agent").start_as_current_span("turn") as turn:
            await memory.store([{"key": "c", "content": SECRET}, {"key": "d", "content": SECRET}])
            await memory.retrieve(query=SECRET, limit=1)
            await memory.list(field="tags")
            await memory.forget(tier="working", keys=["c", "d"])
            with pytest.raises(membus.UnsupportedError):
                await memory.retrieve(tier="working", requires=["poems"])
            await memory.ping()
    spans = client_spans(turn)
    assert shown(spans) == [
        ("upsert_memory", SpanKind.CLIENT, {**COMMON, OPERATION: "upsert_memory", COUNT: 2}),
        ("search_memory", SpanKind.CLIENT, {**COMMON, OPERATION: "search_memory", COUNT: 1}),
        ("delete_memory", SpanKind.CLIENT, {**COMMON, OPERATION: "delete_memory", COUNT: 2}),
        ("search_memory", SpanKind.CLIENT, {**COMMON, OPERATION: "search_memory", "error.type": "unsupported"}),
    ]
    assert [span.status.status_code for span in spans[:3]] == [StatusCode.UNSET] * 3
    assert (spans[3].status.status_code, spans[3].status.description) == (StatusCode.ERROR, "unsupported")
    assert {span.parent.span_id for span in spans if span.parent} == {turn.get_span_context().span_id}
    assert all("marmot" not in span.to_json() for span in spans)


async def test_the_span_of_the_client_is_the_parent_of_the_span_of_the_host(traced_bus: TracedBus) -> None:
    async with await aio.connect(traced_bus.url, agent="bob") as memory:
        with trace.get_tracer("agent").start_as_current_span("turn") as turn:
            await memory.remember("k", SECRET)
    (sent,) = client_spans(turn)
    trace_id, span_id = hex_ids(sent)
    spans = await traced_bus.host_spans(trace_id, 2)
    (request,) = [span for span in spans if span["name"] == "memory.store"]
    assert request["parent"] == span_id
    assert request["attributes"]["membus.agent"] == "bob"


def test_the_synchronous_client_continues_the_trace_of_the_calling_thread(traced_bus: TracedBus) -> None:
    with membus.connect(traced_bus.url, agent="carol") as memory:
        with trace.get_tracer("agent").start_as_current_span("turn") as turn:
            memory.remember("k", "v")
            assert [entry["content"] for entry in memory.entries()] == ["v"]
    spans = client_spans(turn)
    assert [span.name for span in spans] == ["upsert_memory", "search_memory"]
    assert {span.parent.span_id for span in spans if span.parent} == {turn.get_span_context().span_id}


async def test_a_request_without_an_answer_ends_its_span_with_the_error(traced_bus: TracedBus) -> None:
    async with await aio.connect(traced_bus.url, agent="dora", prefix="elsewhere", retry_timeout_s=0) as memory:
        with trace.get_tracer("agent").start_as_current_span("turn") as turn:
            with pytest.raises(membus.UnavailableError):
                await memory.store({"key": "k", "content": "v"})
    attributes = {**COMMON, "gen_ai.memory.store.id": "default/dora", OPERATION: "upsert_memory", COUNT: 1}
    assert shown(client_spans(turn)) == [("upsert_memory", SpanKind.CLIENT, {**attributes, "error.type": "unavailable"})]


async def test_a_cancelled_call_ends_its_span_with_the_name_of_the_exception(traced_bus: TracedBus) -> None:
    listener = await nats.connect(traced_bus.url)
    arrived = await listener.subscribe("silent.>")
    await listener.flush()
    async with await aio.connect(traced_bus.url, agent="erin", prefix="silent", timeout_s=600) as memory:
        with trace.get_tracer("agent").start_as_current_span("turn") as turn:
            call = asyncio.ensure_future(memory.retrieve())
            await arrived.next_msg(timeout=60)
            call.cancel()
            with pytest.raises(asyncio.CancelledError):
                await call
    await listener.close()
    (span,) = client_spans(turn)
    assert dict(span.attributes or {})["error.type"] == "CancelledError"


async def test_headers_continue_the_trace_within_their_limits_and_without_baggage(traced_bus: TracedBus) -> None:
    listener = await nats.connect(traced_bus.url)
    arrived = await listener.subscribe("wire.>")
    await listener.flush()

    async def sent_headers(state: TraceState) -> dict[str, str]:
        remote = SpanContext(0x4BF92F3577B34DA6A3CE929D0E0E4736, 0xF067AA0BA902B7, True, TraceFlags(1), state)
        token = attach(set_baggage("user", "ada", trace.set_span_in_context(NonRecordingSpan(remote))))
        try:
            async with await aio.connect(traced_bus.url, agent="finn", prefix="wire", timeout_s=600) as memory:
                call = asyncio.ensure_future(memory.ping())
                message = await arrived.next_msg(timeout=60)
                call.cancel()
                return message.headers or {}
        finally:
            detach(token)

    traceparent = {"traceparent": "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"}
    assert await sent_headers(TraceState([("vendor", "a")])) == {**traceparent, "tracestate": "vendor=a"}
    assert await sent_headers(TraceState([("a", "x" * 250), ("b", "x" * 255)])) == {
        **traceparent,
        "tracestate": f"a={'x' * 250},b={'x' * 255}",
    }
    assert await sent_headers(TraceState([("a", "x" * 250), ("b", "x" * 256), ("c", "x")])) == traceparent
    await listener.close()


async def test_the_headers_count_as_a_part_of_the_message(traced_bus: TracedBus) -> None:
    async with await aio.connect(traced_bus.url, agent="gus", timeout_s=60) as memory:
        with trace.get_tracer("agent").start_as_current_span("turn") as turn:
            result = await memory.store([{"key": f"k{n}", "content": "x" * 250_000} for n in range(9)])

            async def retrieve(characters: int) -> int:
                """Return the bytes of a message that is too large, or 0."""
                try:
                    await memory.retrieve(keys=[*["x" * 4_000] * 261, "y" * characters])
                    return 0
                except membus.TooLargeError as error:
                    return int(error.detail["got"])

            excess = await retrieve(4_000) - 1_048_576
            assert await retrieve(4_000 - excess + 1) == 1_048_577
            assert await retrieve(4_000 - excess) == 0
    assert len(result["receipts"]) == 9
    assert [dict(span.attributes or {})[COUNT] for span in client_spans(turn)[:3]] == [4, 4, 1]
