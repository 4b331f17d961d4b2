import { createHash } from "node:crypto";
import type { MemoryEntry } from "@membus/protocol";
import { type ExportManifest, manifestLine, type TierCounts, trailerLine } from "./export-format.js";

/** Yields the lines of an export: the manifest, each entry, and the trailer with counts and checksum. */
export async function* exportLines(
  manifest: Omit<ExportManifest, "format" | "format_version">,
  entries: AsyncIterable<MemoryEntry>,
): AsyncGenerator<string> {
  const sum = createHash("sha256");
  const counts: TierCounts = {};
  for (const tier of Object.keys(manifest.tiers) as (keyof TierCounts)[]) counts[tier] = 0;
  const hashed = (line: string) => {
    sum.update(line);
    return line;
  };
  yield hashed(manifestLine(manifest));
  for await (const entry of entries) {
    counts[entry.tier] = (counts[entry.tier] ?? 0) + 1;
    yield hashed(`${JSON.stringify(entry, plainVector)}\n`);
  }
  yield trailerLine(counts, sum.digest("hex"));
}

function plainVector(_name: string, value: unknown): unknown {
  return value instanceof Float32Array ? Array.from(value) : value;
}
