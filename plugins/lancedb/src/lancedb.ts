import { createRequire } from "node:module";

const require = createRequire(import.meta.url);

/**
 * Returns LanceDB, loaded on first call, because a start has other work to do first. Later calls of `require`
 * use the cache.
 */
export function lancedb(): typeof import("@lancedb/lancedb") {
  return require("../dist/library/lancedb.cjs") as typeof import("@lancedb/lancedb");
}

/**
 * Returns the Apache Arrow that LanceDB loads. An import would load its modules a second time, which takes a
 * tenth of a second.
 */
export function arrow(): typeof import("apache-arrow") {
  return require("apache-arrow") as typeof import("apache-arrow");
}
