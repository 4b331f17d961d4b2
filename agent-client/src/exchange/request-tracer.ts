import type { HeaderMap } from "@membus/protocol/plugin";
import type * as Api from "@opentelemetry/api";

/**
 * Maximum lengths of the W3C Trace Context headers to send. Baggage is not sent, because it may contain
 * anything.
 */
const VALUE_LENGTH_MAX: Readonly<Record<string, number>> = { traceparent: 55, tracestate: 512 };

/** Maximum bytes of both headers, including names and separators. */
export const TRACE_HEADER_BYTES_MAX = 640;

/** Returns the headers of the active span, or undefined if there is none. */
export type TraceHeaders = () => HeaderMap | undefined;

/** Loads the OpenTelemetry API, an optional peer dependency. Returns undefined if it is not installed. */
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
      if (value.length <= (VALUE_LENGTH_MAX[name] ?? 0)) carrier[name] = value;
    },
  });
  return headers.traceparent === undefined ? undefined : headers;
}
