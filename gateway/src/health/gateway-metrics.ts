import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from "prom-client";

/** Why the gateway refused a request. */
export type RefusalCause =
  | "connections"
  | "foreign_host"
  | "foreign_origin"
  | "header_bytes"
  | "issuer_unavailable"
  | "mcp_request_bytes"
  | "mcp_requests"
  | "message_bodies"
  | "message_bytes"
  | "model_request_bytes"
  | "model_requests"
  | "no_grant"
  | "no_session"
  | "not_http"
  | "session_requests"
  | "sessions"
  | "slow_reader"
  | "slow_request"
  | "unknown_session"
  | "unknown_token";

/** Current values. */
export interface Gauges {
  readonly streams: number;
  readonly sessions: number;
  /** Bytes that wait, by kind. */
  readonly waitingBytes: Readonly<Record<string, number>>;
}

const SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 120];

/** The metrics of a gateway and its process, in a separate registry. The values of labels are bounded. */
export class GatewayMetrics {
  readonly #registry = new Registry();
  readonly #requests = this.#counter(
    "membus_gateway_requests_total",
    "Requests that ended, by route (none: no such path) and status (aborted: no response was sent)",
    ["route", "status"],
  );
  readonly #requestSeconds = this.#histogram(
    "membus_gateway_request_seconds",
    "Seconds from receipt to the end of the response, without streams",
    ["route"],
  );
  readonly #messages = this.#counter(
    "membus_gateway_messages_total",
    "A2E messages that were answered, by type and by code (ok or an error code)",
    ["type", "code"],
  );
  readonly #messageSeconds = this.#histogram(
    "membus_gateway_message_seconds",
    "Seconds from an A2E message to its reply",
    ["type"],
  );
  readonly #refused = this.#counter("membus_gateway_refused_total", "Refused requests, by cause", ["cause"]);
  readonly #upstreamRounds = this.#counter(
    "membus_gateway_upstream_rounds_total",
    "Requests to the model server, by status (failed: no response; aborted: the client left)",
    ["status"],
  );
  readonly #memoryUnavailable = this.#counter(
    "membus_gateway_memory_unavailable_total",
    "Completions that were answered without memory, because memory did not answer",
    [],
  );

  constructor(gauges: () => Gauges) {
    collectDefaultMetrics({ register: this.#registry });
    this.#gauge("membus_gateway_streams", "Open streams", () => gauges().streams);
    this.#gauge("membus_gateway_sessions", "Sessions at the last count", () => gauges().sessions);
    const registers = [this.#registry];
    new Gauge({
      name: "membus_gateway_waiting_bytes",
      help: "Bytes that wait: kept replies, unread answers and streams, bodies of requests",
      labelNames: ["kind"],
      registers,
      collect() {
        for (const [kind, bytes] of Object.entries(gauges().waitingBytes)) this.set({ kind }, bytes);
      },
    });
  }

  requestEnded(route: string, status: number | "aborted", seconds: number | undefined): void {
    this.#requests.inc({ route, status });
    if (seconds !== undefined) this.#requestSeconds.observe({ route }, seconds);
  }

  messageAnswered(type: string, code: string, seconds: number): void {
    this.#messages.inc({ type, code });
    this.#messageSeconds.observe({ type }, seconds);
  }

  refused(cause: RefusalCause): void {
    this.#refused.inc({ cause });
  }

  upstreamAnswered(status: number | "aborted" | "failed"): void {
    this.#upstreamRounds.inc({ status });
  }

  memoryUnavailable(): void {
    this.#memoryUnavailable.inc();
  }

  get contentType(): string {
    return this.#registry.contentType;
  }

  text(): Promise<string> {
    return this.#registry.metrics();
  }

  #counter(name: string, help: string, labelNames: string[]): Counter {
    return new Counter({ name, help, labelNames, registers: [this.#registry] });
  }

  #histogram(name: string, help: string, labelNames: string[]): Histogram {
    return new Histogram({ name, help, labelNames, buckets: SECONDS, registers: [this.#registry] });
  }

  #gauge(name: string, help: string, value: () => number): void {
    new Gauge({
      name,
      help,
      registers: [this.#registry],
      collect() {
        this.set(value());
      },
    });
  }
}
