import { appendFileSync } from "node:fs";
import { context, propagation, trace } from "@opentelemetry/api";
import { AsyncLocalStorageContextManager } from "@opentelemetry/context-async-hooks";
import { W3CTraceContextPropagator } from "@opentelemetry/core";
import { BasicTracerProvider, SimpleSpanProcessor } from "@opentelemetry/sdk-trace-base";

/**
 * A span exporter for `node --import`, which writes each ended span as a line to the file named by the
 * environment.
 */
const exporter = {
  export(spans, done) {
    for (const span of spans) {
      const { name, kind, attributes, status, parentSpanContext } = span;
      const { traceId, spanId } = span.spanContext();
      const parent = parentSpanContext?.spanId;
      const line = { name, kind, attributes, status, traceId, spanId, parent };
      appendFileSync(process.env.MEMBUS_TEST_SPANS, `${JSON.stringify(line)}\n`);
    }
    done({ code: 0 });
  },
  async shutdown() {},
};

context.setGlobalContextManager(new AsyncLocalStorageContextManager());
propagation.setGlobalPropagator(new W3CTraceContextPropagator());
trace.setGlobalTracerProvider(
  new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] }),
);
