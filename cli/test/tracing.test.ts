import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { MemoryClient } from "@membus/agent-client";
import { launchNatsServer, type NatsServer } from "@membus/nats-server";
import { decodeMessage, type Message } from "@membus/protocol";
import { connect, headers, type NatsConnection } from "@nats-io/transport-node";
import { context, propagation, SpanKind, SpanStatusCode, trace } from "@opentelemetry/api";
import { AsyncLocalStorageContextManager } from "@opentelemetry/context-async-hooks";
import { W3CTraceContextPropagator } from "@opentelemetry/core";
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  SimpleSpanProcessor,
} from "@opentelemetry/sdk-trace-base";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { NATS_SERVER } from "../../bus/test/nats-server.js";
import { endChild, lineOf, runCli, spawnCli } from "./run-cli.js";

/** A span as written by `span-recorder.js`. */
interface Recorded {
  readonly name: string;
  readonly kind: SpanKind;
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly status: { readonly code: SpanStatusCode; readonly message?: string };
  readonly traceId: string;
  readonly spanId: string;
  readonly parent?: string;
}

const cwd = mkdtempSync(join(tmpdir(), "membus-test-"));
const spansFile = join(cwd, "spans.jsonl");
const RECORDER = new URL("span-recorder.js", import.meta.url).href;
const TRACE_ID = "4bf92f3577b34da6a3ce929d0e0e4736";
const SECRET = "the marmot sleeps at noon";

/** Spans of this process, in which the agent runs. */
const exporter = new InMemorySpanExporter();

let nats: NatsServer;
let up: ReturnType<typeof spawnCli>;
let memory: MemoryClient;
let bare: NatsConnection;

beforeAll(async () => {
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  propagation.setGlobalPropagator(new W3CTraceContextPropagator());
  const spanProcessors = [new SimpleSpanProcessor(exporter)];
  trace.setGlobalTracerProvider(new BasicTracerProvider({ spanProcessors }));
  nats = await launchNatsServer({ binary: NATS_SERVER });
  const env = { NODE_OPTIONS: `--import ${RECORDER}`, MEMBUS_TEST_SPANS: spansFile };
  up = spawnCli(["up", "--data", join(cwd, "data")], { cwd, url: nats.url, env });
  await lineOf(up, /^membus is listening on/);
  memory = await MemoryClient.connect({ servers: nats.url, agent: "alice", timeoutMs: 60_000 });
  bare = await connect({ servers: nats.url });
});
afterAll(async () => {
  await bare?.close();
  await memory?.close();
  if (up !== undefined) await endChild(up, "SIGKILL");
  await nats?.kill();
  rmSync(cwd, { recursive: true });
});

function spansOf(traceId: string): Recorded[] {
  const lines = readFileSync(spansFile, "utf8").trimEnd().split("\n");
  return lines.map((line) => JSON.parse(line) as Recorded).filter((span) => span.traceId === traceId);
}

/** Resolves with the host's spans of one trace when there are `count`. The last one ends after its reply. */
function hostSpans(traceId: string, count: number): Promise<Recorded[]> {
  return vi.waitFor(() => {
    const spans = spansOf(traceId);
    expect(spans).toHaveLength(count);
    return spans;
  }, 60_000);
}

/** Returns the client's spans of one trace, in the order in which they ended. */
function clientSpans(traceId: string) {
  const isOfClient = ({ instrumentationScope }: { instrumentationScope: { name: string } }) =>
    instrumentationScope.name === "membus-client";
  return exporter
    .getFinishedSpans()
    .filter((span) => span.spanContext().traceId === traceId && isOfClient(span));
}

/** Runs `work` in a span of the agent, and returns the span's ids. */
function underSpan(work: () => Promise<unknown>): Promise<{ traceId: string; spanId: string }> {
  return trace.getTracer("agent").startActiveSpan("turn", async (span) => {
    await work().finally(() => span.end());
    return span.spanContext();
  });
}

/** Sends a request without membus code. */
async function ask(
  subject: string,
  payload: string,
  sent: Readonly<Record<string, string>>,
): Promise<Message> {
  const map = headers();
  for (const [name, value] of Object.entries(sent)) map.set(name, value);
  const decoded = decodeMessage(
    (await bare.request(subject, payload, { timeout: 20_000, headers: map })).data,
  );
  if (!decoded.ok) throw new Error(decoded.text);
  return decoded.message;
}

const called = (spans: readonly Recorded[], name: string) => spans.find((span) => span.name === name)!;

describe("a host with an OpenTelemetry SDK", () => {
  it("has one trace from the agent's span to the plugin call", async () => {
    const entries = [
      { key: "a", content: SECRET, tier: "working" as const },
      { key: "b", content: SECRET, tier: "episodic" as const },
    ];
    const turn = await underSpan(() => memory.store(entries));
    const spans = await hostSpans(turn.traceId, 3);
    const request = called(spans, "memory.store");
    const [sent] = clientSpans(turn.traceId);
    expect(sent!.parentSpanContext?.spanId).toBe(turn.spanId);
    expect(request).toMatchObject({
      kind: SpanKind.SERVER,
      parent: sent!.spanContext().spanId,
      attributes: {
        "membus.tenant": "default",
        "membus.agent": "alice",
        "membus.entries": 2,
        "membus.code": "ok",
      },
      status: { code: SpanStatusCode.UNSET },
    });
    const calls = spans.filter(({ name }) => name === "plugin.store");
    expect(calls.map(({ parent }) => parent)).toEqual([request.spanId, request.spanId]);
    const plugins = calls.map(({ attributes }) => [attributes["membus.tier"], attributes["membus.plugin"]]);
    expect(plugins.sort()).toEqual([
      ["episodic", "lancedb"],
      ["working", "lru"],
    ]);
  });

  it("records how many entries a retrieve returned and a forget deleted, but no contents", async () => {
    const turn = await underSpan(async () => {
      await memory.retrieve({ query: SECRET, tier: "working" });
      await memory.forget({ tier: "working", keys: ["a"] });
    });
    const spans = await hostSpans(turn.traceId, 4);
    for (const name of ["memory.retrieve", "memory.forget"]) {
      const { attributes } = called(spans, name);
      expect(attributes).toMatchObject({ "membus.tier": "working", "membus.entries": 1 });
    }
    expect(readFileSync(spansFile, "utf8")).not.toMatch(/marmot/);
  });

  it("gets client spans with the attributes of OpenTelemetry's conventions for agent memory", async () => {
    const { traceId } = await underSpan(async () => {
      await memory.store([
        { key: "c", content: SECRET },
        { key: "d", content: SECRET },
      ]);
      await memory.retrieve({ query: SECRET, limit: 1 });
      await memory.forget({ tier: "working", keys: ["c", "d"] });
      await memory.retrieve({ tier: "working", requires: ["poems"] } as never).catch(() => {});
      await memory.ping();
    });
    const common = { "gen_ai.provider.name": "membus", "gen_ai.memory.store.id": "default/alice" };
    const [operation, count] = ["gen_ai.operation.name", "gen_ai.memory.record.count"];
    const spans = clientSpans(traceId);
    expect(spans.map(({ name, kind, attributes }) => ({ name, kind, attributes }))).toEqual([
      {
        name: "upsert_memory",
        kind: SpanKind.CLIENT,
        attributes: { ...common, [operation]: "upsert_memory", [count]: 2 },
      },
      {
        name: "search_memory",
        kind: SpanKind.CLIENT,
        attributes: { ...common, [operation]: "search_memory", [count]: 1 },
      },
      {
        name: "delete_memory",
        kind: SpanKind.CLIENT,
        attributes: { ...common, [operation]: "delete_memory", [count]: 2 },
      },
      {
        name: "search_memory",
        kind: SpanKind.CLIENT,
        attributes: { ...common, [operation]: "search_memory", "error.type": "unsupported" },
      },
    ]);
    expect(spans[3]!.status).toEqual({ code: SpanStatusCode.ERROR, message: "unsupported" });
  });

  it("accepts a hand-written traceparent with any header case, and records the error code", async () => {
    const sent = { Traceparent: `00-${TRACE_ID}-00f067aa0ba902b7-01` };
    const wrong = `{"type":"memory/retrieve/req","limit":-1}`;
    const reply = await ask("a2e.default.bob.memory.retrieve.req", wrong, sent);
    expect(reply.code).toBe("schema_violation");
    const [span] = await hostSpans(TRACE_ID, 1);
    expect(span).toMatchObject({
      name: "memory.retrieve",
      parent: "00f067aa0ba902b7",
      attributes: { "membus.agent": "bob", "membus.code": "schema_violation" },
      status: { code: SpanStatusCode.ERROR, message: "schema_violation" },
    });
  });

  it("starts a new trace for a request without a valid traceparent", async () => {
    for (const sent of [{}, { traceparent: "00-zz-1-01" }]) {
      const reply = await ask("a2e.default.carol.ping", `{"type":"ping"}`, sent);
      expect(reply.type).toBe("pong");
    }
    const pings = () =>
      readFileSync(spansFile, "utf8")
        .trimEnd()
        .split("\n")
        .map((line) => JSON.parse(line) as Recorded)
        .filter(({ name, attributes }) => name === "ping" && attributes["membus.agent"] === "carol");
    await expect.poll(() => pings().map(({ parent }) => parent)).toEqual([undefined, undefined]);
  });
});

it("a host and a client work without the OpenTelemetry API", async () => {
  const server = await launchNatsServer({ binary: NATS_SERVER });
  const hidden = new URL("without-telemetry.js", import.meta.url).href;
  const options = { cwd, url: server.url, env: { NODE_OPTIONS: `--import ${hidden}` } };
  const host = spawnCli(["up", "--data", join(cwd, "untraced")], options);
  const asked = lineOf(host, /^asked for the peer$/);
  await lineOf(host, /^membus is listening on/);
  await asked;
  const stored = await runCli(["remember", "k", "v", "--agent", "alice"], options);
  expect([stored.code, stored.stderr]).toEqual([0, "asked for the peer\n"]);
  await endChild(host, "SIGTERM");
  await server.stop();
});
