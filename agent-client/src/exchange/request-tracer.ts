import { isMemoryError, type Message, PROTOCOL_VERSION, type RequestType } from "@membus/protocol";
import type { HeaderMap } from "@membus/protocol/plugin";
import type * as Api from "@opentelemetry/api";
import type { EncodedRequest } from "./request.js";

/**
 * Maximum lengths of the W3C Trace Context headers to send. Baggage is not sent, because it may contain
 * anything.
 */
const VALUE_LENGTH_MAX: Readonly<Record<string, number>> = { traceparent: 55, tracestate: 512 };

/** Maximum bytes of both headers, including names and separators. */
export const TRACE_HEADER_BYTES_MAX = 640;

/** Operations of OpenTelemetry's conventions for agent memory. Other requests have no span. */
const OPERATIONS: Partial<Record<RequestType, string>> = {
  "memory/store/req": "upsert_memory",
  "memory/retrieve/req": "search_memory",
  "memory/forget/req": "delete_memory",
};

/** One request under way, with all its attempts. */
export interface RequestSpan {
  /** Headers that continue the trace. Absent without a trace. */
  readonly headers: HeaderMap | undefined;
  /** Ends the span with its reply. */
  succeed(reply: Message): void;
  fail(error: unknown): void;
}

/**
 * Creates a client span for each memory operation, and the headers that continue its trace. Spans contain no
 * contents, queries, keys or namespaces.
 */
export class RequestTracer {
  readonly #api: typeof Api;
  readonly #tracer: Api.Tracer;

  private constructor(api: typeof Api) {
    this.#api = api;
    this.#tracer = api.trace.getTracer("membus-client", PROTOCOL_VERSION);
  }

  /** Loads the OpenTelemetry API, an optional peer dependency. Returns undefined if it is not installed. */
  static async load(): Promise<RequestTracer | undefined> {
    try {
      return new RequestTracer(await import("@opentelemetry/api"));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "ERR_MODULE_NOT_FOUND") return undefined;
      throw error;
    }
  }

  start(request: EncodedRequest): RequestSpan {
    const { context, trace, SpanKind } = this.#api;
    const operation = OPERATIONS[request.type];
    const active = context.active();
    if (operation === undefined) return { headers: this.#headers(active), succeed() {}, fail() {} };
    const attributes = startAttributes(operation, request);
    const span = this.#tracer.startSpan(operation, { kind: SpanKind.CLIENT, attributes });
    return {
      headers: this.#headers(trace.setSpan(active, span)),
      succeed: (reply) => {
        const count = countIn(reply);
        if (count !== undefined) span.setAttribute("gen_ai.memory.record.count", count);
        span.end();
      },
      fail: (error) => this.#fail(span, error),
    };
  }

  #fail(span: Api.Span, error: unknown): void {
    const type = isMemoryError(error) ? error.code : error instanceof Error ? error.name : "_OTHER";
    span.setAttribute("error.type", type);
    span.setStatus({ code: this.#api.SpanStatusCode.ERROR, message: type });
    span.end();
  }

  #headers(within: Api.Context): HeaderMap | undefined {
    const headers: Record<string, string> = {};
    this.#api.propagation.inject(within, headers, {
      set(carrier, name, value) {
        if (value.length <= (VALUE_LENGTH_MAX[name] ?? 0)) carrier[name] = value;
      },
    });
    return headers.traceparent === undefined ? undefined : headers;
  }
}

function startAttributes(operation: string, { subject, entryCount }: EncodedRequest): Api.Attributes {
  // A subject is `<prefix>.<tenant>.<agent>.memory.<operation>[.<tier>].req`.
  const tokens = subject.split(".");
  const [tenant, agent] = tokens.slice(tokens.lastIndexOf("memory") - 2);
  return {
    "gen_ai.operation.name": operation,
    "gen_ai.provider.name": "membus",
    "gen_ai.memory.store.id": `${tenant}/${agent}`,
    ...(entryCount !== undefined && { "gen_ai.memory.record.count": entryCount }),
  };
}

/** Returns how many entries a retrieve returned or a forget deleted. */
function countIn(reply: Message): number | undefined {
  const { entries, deleted } = reply as { entries?: unknown; deleted?: unknown };
  if (Array.isArray(entries)) return entries.length;
  return typeof deleted === "number" ? deleted : undefined;
}
