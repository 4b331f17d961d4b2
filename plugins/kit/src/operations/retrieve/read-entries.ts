import type { MemoryEntry, PluginRetrieveRequest } from "@membus/protocol";
import { Yielder } from "../../yielder.js";
import type { ReadParts } from "../tier.js";
import { byScope, readLiveBodies } from "./by-scope.js";
import type { Hit } from "./entry.js";
import { EntryReader, type ReadEntry } from "./entry-reader.js";
import type { ScopedHit } from "./merge-hits.js";
import { endOfPart } from "./parts.js";
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
  tier: ReadParts,
  hits: readonly ScopedHit[],
  wanted: Wanted,
): Promise<PageEntries> {
  const entries: MemoryEntry[] = [];
  const yielder = new Yielder();
  let [next, left, isWhole] = [0, wanted.max_bytes, true];
  while (next < hits.length && left >= 0) {
    const end = endOfPart(hits, next, ({ hit }) => hit.bytes, left);
    const part = await surround(tier, hits.slice(next, end), { ...wanted, max_bytes: left });
    const read = await readPart(tier, part, wanted, yielder);
    for (const { hit } of part) {
      if (left < 0) break;
      next++;
      const found = read.get(hit);
      isWhole &&= found?.isWhole ?? false;
      if (found === undefined) continue;
      entries.push(found.entry);
      left -= found.bytes;
    }
  }
  return { entries, isCut: next < hits.length, isWhole };
}

async function readPart(
  tier: ReadParts,
  part: readonly Surrounded[],
  wanted: Wanted,
  yielder: Yielder,
): Promise<ReadonlyMap<Hit, ReadEntry>> {
  const entries = new Map<Hit, ReadEntry>();
  for (const [scope, ofScope] of byScope(part)) {
    await tier.registry.use(scope, async (resident) => {
      const all = ofScope.flatMap(({ hit, before, after }) => [hit, ...before, ...after]);
      const bodies = await readLiveBodies(tier, resident, all);
      await tier.expiry.expireAhead(resident);
      tier.expiry.expireNow(resident);
      const reader = new EntryReader(tier, resident, bodies, wanted);
      for (const found of ofScope) {
        const read = reader.read(found);
        if (read !== undefined) entries.set(found.hit, read);
        await yielder.rest();
      }
    });
  }
  return entries;
}
