import { createRequire } from "node:module";

const require = createRequire(import.meta.url);

/**
 * LanceDB, loaded at the first call: a start has other things to do first. A `require` that comes again finds it.
 */
export function lancedb(): typeof import("@lancedb/lancedb") {
  return require("@lancedb/lancedb") as typeof import("@lancedb/lancedb");
}

/** The Apache Arrow that LanceDB loads: an import would load its modules once more, in a tenth of a second. */
export function arrow(): typeof import("apache-arrow") {
  return require("apache-arrow") as typeof import("apache-arrow");
}
