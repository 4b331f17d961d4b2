import {
  type DecodedRequest,
  type MemoryTier,
  PROTOCOL_VERSION,
  type RequestAddress,
} from "@membus/protocol";
import type { HeaderMap } from "@membus/protocol/plugin";
import type * as Api from "@opentelemetry/api";
import type { OutcomeLabel } from "../metrics.js";
import { loadApi } from "./load-api.js";

/** Span of a piece of work for tracing. */
export interface Span {
  /** Runs `work` within this span. Spans started in `work` become its children. */
  run<T>(work: () => T): T;
  /** @param entries number of entries of the work, if known. */
  end(code: OutcomeLabel, entries?: number | undefined): void;
}

export const UNTRACED: Span = Object.freeze({ run: <T>(work: () => T): T => work(), end() {} });

/**
 * Creates spans with the OpenTelemetry API, which is an optional dependency. Without it, or before `load`,
 * nothing is traced. The SDK of the process decides which spans are kept and where they go. Spans never
 * contain contents, keys or namespaces.
 */
export class Tracer {
  #api: typeof Api | undefined;
  #tracer: Api.Tracer | undefined;

  async load(): Promise<void> {
    this.#api = await loadApi();
    this.#tracer = this.#api?.trace.getTracer("membus", PROTOCOL_VERSION);
  }

  /** Starts the span of a request, below the span of its sender if the headers name one. */
  request(
    { type, tenant, agent }: RequestAddress,
    request: DecodedRequest | undefined,
    headers: HeaderMap,
  ): Span {
    const api = this.#api;
    if (api === undefined) return UNTRACED;
    const sender = api.propagation.extract(api.ROOT_CONTEXT, headers, CASELESS);
    const attributes = {
      "membus.tenant": tenant,
      "membus.agent": agent,
      "membus.tier": tierOf(request),
      "membus.entries": request?.type === "memory/store/req" ? request.entries.length : undefined,
    };
    const name = type.replace(/\/req$/, "").replaceAll("/", ".");
    return this.#start(api, name, { kind: api.SpanKind.SERVER, attributes }, sender);
  }

  /** Starts the span of one plugin call, including its time in the queue, if the request is traced. */
  pluginCall(operation: string, tier: MemoryTier, plugin: string): Span {
    const api = this.#api;
    if (api?.trace.getActiveSpan() === undefined) return UNTRACED;
    const attributes = { "membus.tier": tier, "membus.plugin": plugin };
    return this.#start(api, `plugin.${operation}`, { attributes }, api.context.active());
  }

  #start(api: typeof Api, name: string, options: Api.SpanOptions, parent: Api.Context): Span {
    const span = this.#tracer!.startSpan(name, options, parent);
    // No SDK is registered.
    if (span.spanContext() === api.INVALID_SPAN_CONTEXT) return UNTRACED;
    return tracedAs(span, api.trace.setSpan(parent, span), api);
  }
}

/** Header names are in the sender's spelling, so they are compared without case. */
const CASELESS: Api.TextMapGetter<HeaderMap> = {
  get: (headers, key) => headers[Object.keys(headers).find((name) => name.toLowerCase() === key) ?? ""],
  keys: (headers) => Object.keys(headers),
};

function tracedAs(span: Api.Span, within: Api.Context, api: typeof Api): Span {
  return {
    run: (work) => api.context.with(within, work),
    end(code, entries) {
      span.setAttribute("membus.code", code);
      if (entries !== undefined) span.setAttribute("membus.entries", entries);
      if (code !== "ok") span.setStatus({ code: api.SpanStatusCode.ERROR, message: code });
      span.end();
    },
  };
}

function tierOf(request: DecodedRequest | undefined): MemoryTier | undefined {
  return request !== undefined && "tier" in request ? (request.tier ?? undefined) : undefined;
}
