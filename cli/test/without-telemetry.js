import { register } from "node:module";

/** Hides the OpenTelemetry API, as if it were not installed. */
register(
  `data:text/javascript,${encodeURIComponent(`
    export async function resolve(specifier, context, next) {
      if (specifier !== "@opentelemetry/api") return next(specifier, context);
      process.stderr.write("asked for the peer\\n");
      throw Object.assign(new Error("Cannot find package"), { code: "ERR_MODULE_NOT_FOUND" });
    }
  `)}`,
);
