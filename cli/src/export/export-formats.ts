import type { MemoryEntry } from "@membus/protocol";
import { placeFile } from "./place-file.js";
import type { ExportRequest } from "./run-export.js";
import { exportWriter, writeToOutput } from "./run-export.js";
import { aimemBundle } from "./to-aimem.js";
import { writeMarkdown } from "./to-markdown.js";
import { mem0Memory } from "./to-mem0.js";

type Write = ExportRequest["write"];

/** Writers of the formats with a loss, by name. */
const WRITERS = {
  markdown: (path) => {
    if (path === undefined) throw new TypeError("--to markdown requires a folder");
    return async (entries) => {
      await writeMarkdown(path, entries);
      return 0;
    };
  },
  mem0: (path) => (entries) => writeCounted(path, (onSkipped) => mem0List(entries, onSkipped)),
  aimem: (path) => (entries, manifest) =>
    writeCounted(path, (onSkipped) => aimemBundle(manifest, entries, onSkipped)),
} as const satisfies Record<string, (path: string | undefined) => Write>;

/**
 * Returns the writer of a format, of the lossless one without a name.
 * @throws {TypeError} for an unknown format, or for markdown without a folder.
 */
export function openWriter(to: string | undefined, path: string | undefined): Write {
  if (to === undefined) return exportWriter(path);
  if (!Object.hasOwn(WRITERS, to)) {
    throw new TypeError(`--to must be one of ${Object.keys(WRITERS).join(", ")}, got ${to}`);
  }
  return WRITERS[to as keyof typeof WRITERS](path);
}

async function writeCounted(
  path: string | undefined,
  pieces: (onSkipped: () => void) => AsyncIterable<string>,
): Promise<number> {
  let skipped = 0;
  const counted = pieces(() => skipped++);
  await (path === undefined ? writeToOutput(counted) : placeFile(path, counted));
  return skipped;
}

/** Yields the result of mem0's `get_all`. */
async function* mem0List(entries: AsyncIterable<MemoryEntry>, onSkipped: () => void): AsyncGenerator<string> {
  yield '{"results":[';
  let isFirst = true;
  for await (const entry of entries) {
    const memory = mem0Memory(entry);
    if (memory === undefined) {
      onSkipped();
      continue;
    }
    yield `${isFirst ? "\n" : ",\n"}${JSON.stringify(memory)}`;
    isFirst = false;
  }
  yield "\n]}\n";
}
