import type { MemoryEntry, PluginRetrieveRequest } from "@membus/protocol";
import { endOfPart } from "../parts.js";
import { expireNow, type Tier } from "../tier.js";
import { byScope, readLiveBodies } from "./by-scope.js";
import type { Hit } from "./entry.js";
import { EntryReader, type ReadEntry } from "./entry-reader.js";
import type { ScopedHit } from "./merge-hits.js";
import { type Surrounded, surround } from "./surround.js";

type Wanted = Pick<PluginRetrieveRequest, "include" | "expand" | "max_bytes">;

export interface PageEntries {
  /** In the order of the hits. */
  readonly entries: readonly MemoryEntry[];
  /** The last hits are left out, as the entries before them pass `max_bytes` (clause PLUG-18). */
  readonly isCut: boolean;
  /** False where an entry went away while it was read. */
  readonly isWhole: boolean;
}

/** The entries of a page, read in parts: a context that is not returned takes no room of it. Reading is a use of them. */
export async function readEntries(
  tier: Tier,
  hits: readonly ScopedHit[],
  wanted: Wanted,
): Promise<PageEntries> {
  const entries: MemoryEntry[] = [];
  let [next, bytes, isWhole] = [0, 0, true];
  while (next < hits.length && bytes <= wanted.max_bytes) {
    const end = endOfPart(hits, next, ({ hit }) => hit.bytes, wanted.max_bytes);
    const part = await surround(tier, hits.slice(next, end), wanted);
    const read = await readPart(tier, part, wanted);
    isWhole &&= read.isWhole;
    for (const { hit } of part) {
      if (bytes > wanted.max_bytes) break;
      next++;
      const found = read.entries.get(hit);
      if (found === undefined) continue;
      entries.push(found.entry);
      bytes += found.bytes;
    }
  }
  return { entries, isCut: next < hits.length, isWhole };
}

interface ReadPart {
  readonly entries: ReadonlyMap<Hit, ReadEntry>;
  readonly isWhole: boolean;
}

async function readPart(tier: Tier, part: readonly Surrounded[], wanted: Wanted): Promise<ReadPart> {
  const entries = new Map<Hit, ReadEntry>();
  let isWhole = true;
  for (const [scope, ofScope] of byScope(part)) {
    await tier.registry.use(scope, async (resident) => {
      const all = ofScope.flatMap(({ hit, before, after }) => [hit, ...before, ...after]);
      const bodies = await readLiveBodies(tier, resident, all);
      expireNow(tier, resident);
      const reader = new EntryReader(tier, resident, bodies, wanted);
      for (const found of ofScope) {
        const read = reader.read(found);
        if (read !== undefined) entries.set(found.hit, read);
      }
      isWhole &&= reader.isWhole;
    });
  }
  return { entries, isWhole };
}
