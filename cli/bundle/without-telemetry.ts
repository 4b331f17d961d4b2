import type { Plugin } from "rolldown";

const PEER = "@opentelemetry/api";

/**
 * Bundles OpenTelemetry's API as a package that is not installed. A program without spans loads faster. It is an ES module,
 * because a bundled CommonJS module throws only at its first import.
 */
export function withoutTelemetry(): Plugin {
  return {
    name: "without-telemetry",
    resolveId: (id) => (id === PEER ? `\0${PEER}` : null),
    load: (id) =>
      id === `\0${PEER}`
        ? 'throw Object.assign(new Error("not bundled"), { code: "ERR_MODULE_NOT_FOUND" }); export {};'
        : null,
  };
}
