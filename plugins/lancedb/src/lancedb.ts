import { createRequire } from "node:module";

const require = createRequire(import.meta.url);

/**
 * Limits of what LanceDB reads ahead, as its variables. A compaction has no options for them. LanceDB's own limits are
 * 2 GiB, and 8,192 rows per batch. A compaction of 216 MiB with texts of 72 kB took 780 MiB of RAM with them. It takes 95
 * MiB now, in the same time. Queries have batches of another size.
 */
const READ_AHEAD = {
  LANCE_DEFAULT_IO_BUFFER_SIZE: String(32 * 1024 * 1024),
  LANCE_DEFAULT_BATCH_SIZE: "128",
};

/**
 * Returns LanceDB, loaded on first call, because a start has other work to do first. Later calls of `require`
 * use the cache.
 * @throws {Error} If the native library, an optional package for each platform, is not installed.
 */
export function lancedb(): typeof import("@lancedb/lancedb") {
  // Variables that the user has set are kept.
  for (const [name, value] of Object.entries(READ_AHEAD)) process.env[name] ??= value;
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

/** Returns whether an error is from LanceDB, which has no more specific code. */
export function isLanceError(error: unknown): boolean {
  return error instanceof Error && (error as NodeJS.ErrnoException).code === "GenericFailure";
}
