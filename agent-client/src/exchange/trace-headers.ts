import type { HeaderMap } from "@membus/protocol";
import type * as Api from "@opentelemetry/api";

/** What of a trace is sent: names and the longest values of W3C Trace Context. Baggage stays here: it may say anything. */
const LONGEST: Readonly<Record<string, number>> = { traceparent: 55, tracestate: 512 };

/** Of both headers: names, values, and what stands around them. */
export const TRACE_HEADER_BYTES_MAX = 640;

/** The headers that name the active span; undefined where none is. */
export type TraceHeaders = () => HeaderMap | undefined;

/** By the API of OpenTelemetry, an optional peer: undefined where it is not installed. */
export async function loadTraceHeaders(): Promise<TraceHeaders | undefined> {
  const api = await loadApi();
  return api && (() => activeHeaders(api));
}

async function loadApi(): Promise<typeof Api | undefined> {
  try {
    return await import("@opentelemetry/api");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ERR_MODULE_NOT_FOUND") return undefined;
    throw error;
  }
}

function activeHeaders({ propagation, context }: typeof Api): HeaderMap | undefined {
  const headers: Record<string, string> = {};
  propagation.inject(context.active(), headers, {
    set(carrier, name, value) {
      if (value.length <= (LONGEST[name] ?? 0)) carrier[name] = value;
    },
  });
  return headers.traceparent === undefined ? undefined : headers;
}
