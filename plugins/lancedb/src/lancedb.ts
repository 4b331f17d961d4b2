import { createRequire } from "node:module";

const require = createRequire(import.meta.url);

/**
 * Returns LanceDB, loaded on first call, because a start has other work to do first. Later calls of `require`
 * use the cache.
 * @throws {Error} If the native library, an optional package for each platform, is not installed.
 */
export function lancedb(): typeof import("@lancedb/lancedb") {
  try {
    return require("../dist/library/lancedb.cjs") as typeof import("@lancedb/lancedb");
  } catch (cause) {
    if (!(cause instanceof Error && cause.message.startsWith("Cannot find native binding"))) throw cause;
    const platform = `${process.platform}-${process.arch}`;
    throw new Error(
      `LanceDB's native library for ${platform} is missing: run \`npm install --include=optional\``,
      { cause },
    );
  }
}

/**
 * Returns the Apache Arrow that LanceDB loads. An import would load its modules a second time, which takes a
 * tenth of a second.
 */
export function arrow(): typeof import("apache-arrow") {
  return require("apache-arrow") as typeof import("apache-arrow");
}
