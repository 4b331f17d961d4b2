import type { MemoryEntry, PluginRetrieveRequest, Scope } from "@membus/protocol";
import type { Resident } from "../residency/resident.js";
import type { RowBody } from "../row.js";
import { expireNow, type Tier } from "../tier.js";
import { byScope, readLiveBodies } from "./by-scope.js";
import { copyHit, entryOf, type Hit } from "./entry.js";
import type { ScopedHit } from "./merge-hits.js";
import { NeighbourFinder } from "./neighbours.js";

type Wanted = Pick<PluginRetrieveRequest, "include" | "expand">;

/** A hit with what stands around it. */
interface Surrounded {
  readonly hit: Hit;
  readonly before: readonly Hit[];
  readonly after: readonly Hit[];
}

/** The entries of a page in its order, without those that went away while they were read. Reading is a use of them. */
export async function readEntries(
  tier: Tier,
  hits: readonly ScopedHit[],
  wanted: Wanted,
): Promise<MemoryEntry[]> {
  const read = new Map<Hit, MemoryEntry>();
  for (const [scope, ofScope] of byScope(hits)) await readScope(tier, scope, ofScope, wanted, read);
  return hits.flatMap(({ hit }) => read.get(hit) ?? []);
}

async function readScope(
  tier: Tier,
  scope: Scope,
  hits: readonly Hit[],
  wanted: Wanted,
  read: Map<Hit, MemoryEntry>,
): Promise<void> {
  await tier.registry.use(scope, async (resident) => {
    const surrounded = surround(tier, resident, hits, wanted);
    const all = surrounded.flatMap(({ hit, before, after }) => [hit, ...before, ...after]);
    const bodies = await readLiveBodies(tier, resident, all);
    expireNow(tier, resident);
    const reader = new EntryReader(tier, resident, bodies, wanted);
    for (const found of surrounded) {
      const entry = reader.read(found);
      if (entry !== undefined) read.set(found.hit, entry);
    }
  });
}

function surround(tier: Tier, resident: Resident, hits: readonly Hit[], { expand }: Wanted): Surrounded[] {
  if (expand === undefined) return hits.map((hit) => ({ hit, before: [], after: [] }));
  const { partition } = resident;
  expireNow(tier, resident);
  const finder = new NeighbourFinder(partition, hits);
  const copy = (slot: number) => copyHit(resident, slot, partition.columns.importances[slot]!);
  return hits.map((hit) => {
    const { before, after } = finder.find(hit, expand);
    return { hit, before: before.map(copy), after: after.map(copy) };
  });
}

/** Turns hits into entries, as long as they are there. */
class EntryReader {
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
    if (slot === undefined || body === undefined) return undefined;
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
