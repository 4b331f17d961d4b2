import {
  type DecodedRequest,
  type HeaderMap,
  type MemoryTier,
  PROTOCOL_VERSION,
  type RequestAddress,
} from "@membus/protocol";
import type * as Api from "@opentelemetry/api";
import type { OutcomeLabel } from "../metrics.js";
import { loadApi } from "./load-api.js";

/** Work that is told to whoever traces. */
export interface Span {
  /** What is begun in `work` and is traced too belongs to this. */
  run<T>(work: () => T): T;
  /** @param entries how many the work was about, where that is known. */
  end(code: OutcomeLabel, entries?: number | undefined): void;
}

export const UNTRACED: Span = Object.freeze({ run: <T>(work: () => T): T => work(), end() {} });

/**
 * Spans by the API of OpenTelemetry, which is nobody's dependency: without it, or before `load`, nothing is traced. Which
 * spans are kept, and where they go, is up to the SDK of the process. None holds a content, a key or a namespace.
 */
export class Tracer {
  #api: typeof Api | undefined;
  #tracer: Api.Tracer | undefined;

  async load(): Promise<void> {
    this.#api = await loadApi();
    this.#tracer = this.#api?.trace.getTracer("membus", PROTOCOL_VERSION);
  }

  /** One request, below the span of its sender where its headers name one. */
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

  /** One call of a tier's plugin for a request that is traced, its wait for a place included. */
  pluginCall(operation: string, tier: MemoryTier, plugin: string): Span {
    const api = this.#api;
    if (api?.trace.getActiveSpan() === undefined) return UNTRACED;
    const attributes = { "membus.tier": tier, "membus.plugin": plugin };
    return this.#start(api, `plugin.${operation}`, { attributes }, api.context.active());
  }

  #start(api: typeof Api, name: string, options: Api.SpanOptions, parent: Api.Context): Span {
    const span = this.#tracer!.startSpan(name, options, parent);
    // Without an SDK.
    if (span.spanContext() === api.INVALID_SPAN_CONTEXT) return UNTRACED;
    return tracedAs(span, api.trace.setSpan(parent, span), api);
  }
}

/** Names of headers are as their sender wrote them. */
const CASELESS: Api.TextMapGetter<HeaderMap> = {
  get: (headers, wanted) => headers[Object.keys(headers).find((name) => name.toLowerCase() === wanted) ?? ""],
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
