import type { MemoryEntry, PluginRetrieveRequest, Scope } from "@membus/protocol";
import type { Resident } from "../residency/resident.js";
import type { RowBody } from "../row.js";
import { expireNow, type Tier } from "../tier.js";
import { byScope, readLiveBodies } from "./by-scope.js";
import { copyHit, entryOf, type Hit } from "./entry.js";
import type { ScopedHit } from "./merge-hits.js";
import { NeighbourFinder } from "./neighbours.js";

type Wanted = Pick<PluginRetrieveRequest, "include" | "expand" | "max_bytes">;

/** A hit with what stands around it. */
interface Surrounded extends ScopedHit {
  readonly before: readonly Hit[];
  readonly after: readonly Hit[];
}

export interface PageEntries {
  /** In the order of the hits. */
  readonly entries: readonly MemoryEntry[];
  /** The last hits are left out, as those before them pass `max_bytes` (clause PLUG-18). */
  readonly isCut: boolean;
  /** False where an entry went away while it was read. */
  readonly isWhole: boolean;
}

/** The entries of a page. Reading is a use of them. */
export async function readEntries(
  tier: Tier,
  hits: readonly ScopedHit[],
  wanted: Wanted,
): Promise<PageEntries> {
  const page = upToBytes(await surround(tier, hits, wanted), wanted.max_bytes);
  const read = new Map<Hit, MemoryEntry>();
  let isWhole = true;
  for (const [scope, ofScope] of byScope(page)) {
    if (!(await readScope(tier, scope, ofScope, wanted, read))) isWhole = false;
  }
  return {
    entries: page.flatMap(({ hit }) => read.get(hit) ?? []),
    isCut: page.length < hits.length,
    isWhole,
  };
}

async function surround(
  tier: Tier,
  hits: readonly ScopedHit[],
  { expand }: Wanted,
): Promise<readonly Surrounded[]> {
  if (expand === undefined) return hits.map((found) => ({ ...found, before: [], after: [] }));
  const surrounded = new Map<Hit, Surrounded>();
  for (const [scope, ofScope] of byScope(hits)) {
    await tier.registry.use(scope, (resident) => {
      const { partition } = resident;
      expireNow(tier, resident);
      const finder = new NeighbourFinder(
        partition,
        ofScope.map(({ hit }) => hit),
      );
      const copy = (slot: number) => copyHit(resident, slot, partition.columns.importances[slot]!);
      for (const { hit } of ofScope) {
        const { before, after } = finder.find(hit, expand);
        surrounded.set(hit, { scope, hit, before: before.map(copy), after: after.map(copy) });
      }
    });
  }
  return hits.map(({ hit }) => surrounded.get(hit)!);
}

/** The first ones, up to that with which they pass `maxBytes`. */
function upToBytes(found: readonly Surrounded[], maxBytes: number): readonly Surrounded[] {
  let bytes = 0;
  const last = found.findIndex(({ hit, before, after }) => {
    for (const { bodyBytes } of [hit, ...before, ...after]) bytes += bodyBytes;
    return bytes > maxBytes;
  });
  return last === -1 ? found : found.slice(0, last + 1);
}

/** @returns whether all of it was still there. */
function readScope(
  tier: Tier,
  scope: Scope,
  found: readonly Surrounded[],
  wanted: Wanted,
  read: Map<Hit, MemoryEntry>,
): Promise<boolean> {
  return tier.registry.use(scope, async (resident) => {
    const all = found.flatMap(({ hit, before, after }) => [hit, ...before, ...after]);
    const bodies = await readLiveBodies(tier, resident, all);
    expireNow(tier, resident);
    const reader = new EntryReader(tier, resident, bodies, wanted);
    for (const one of found) {
      const entry = reader.read(one);
      if (entry !== undefined) read.set(one.hit, entry);
    }
    return reader.isWhole;
  });
}

/** Turns hits into entries, as long as they are there. */
class EntryReader {
  /** False once one was not there. */
  isWhole = true;
  readonly #tier: Tier;
  readonly #resident: Resident;
  readonly #bodies: ReadonlyMap<number, string>;
  readonly #wanted: Wanted;
  readonly #now: number;
  /** An entry may stand beside many hits. */
  readonly #parsed = new Map<number, RowBody>();

  constructor(tier: Tier, resident: Resident, bodies: ReadonlyMap<number, string>, wanted: Wanted) {
    this.#tier = tier;
    this.#resident = resident;
    this.#bodies = bodies;
    this.#wanted = wanted;
    this.#now = tier.clock.now();
  }

  read({ hit, before, after }: Surrounded): MemoryEntry | undefined {
    if (this.#wanted.expand === undefined) return this.#entry(hit);
    const entriesOf = (hits: readonly Hit[]) => hits.flatMap((neighbour) => this.#entry(neighbour) ?? []);
    return this.#entry(hit, { before: entriesOf(before), after: entriesOf(after) });
  }

  #entry(hit: Hit, neighbours?: MemoryEntry["neighbours"]): MemoryEntry | undefined {
    const { partition, id } = this.#resident;
    const slot = partition.slotOfRow(hit.keyHash, hit.rowId);
    const body = this.#bodyOf(hit.rowId);
    if (slot === undefined || body === undefined) {
      this.isWhole = false;
      return undefined;
    }
    partition.columns.accessed[slot] = this.#now;
    this.#tier.retention?.touched({ scope: id, keyHash: hit.keyHash });
    const { include } = this.#wanted;
    const embedder = this.#tier.services.embedder?.id;
    return entryOf(this.#resident, hit, body, { include, embedder, neighbours });
  }

  #bodyOf(rowId: number): RowBody | undefined {
    const json = this.#bodies.get(rowId);
    let body = this.#parsed.get(rowId);
    if (json === undefined || body !== undefined) return body;
    body = JSON.parse(json) as RowBody;
    this.#parsed.set(rowId, body);
    return body;
  }
}
