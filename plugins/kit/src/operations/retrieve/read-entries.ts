import type { MemoryEntry, Snippet } from "@membus/protocol";
import { indexedText, type LoadedPartition } from "../../lifecycle/index.js";
import type { RowBody } from "../../row.js";
import { passageFinder } from "../../search/index.js";
import { chunkEnd, Yielder } from "../../yielder.js";
import type { RetrieveParts } from "../tier.js";
import { addNeighbours, type HitWithNeighbours } from "./add-neighbours.js";
import { type EntryTexts, entryOf, type Hit } from "./entry.js";
import type { EntryPlan } from "./retrieve-plan.js";
import { byScope, readLiveBodies, type ScopedHit } from "./scoped-hits.js";

export interface PageEntries {
  /** In the order of the hits. */
  readonly entries: readonly MemoryEntry[];
  /**
   * Whether the last hits are left out because the entries before them exceed `bytesMax` (clause PLUG-18).
   */
  readonly isCut: boolean;
  /** False if an entry was removed during the read. */
  readonly isWhole: boolean;
}

/**
 * Reads the entries of a page in parts. Contexts that are not returned do not count towards `bytesMax`.
 * Reading counts as a use of the entries.
 */
export async function readEntries(
  tier: RetrieveParts,
  hits: readonly ScopedHit[],
  plan: EntryPlan,
): Promise<PageEntries> {
  const entries: MemoryEntry[] = [];
  const yielder = new Yielder();
  const readPlan = { ...plan, snippetOf: snippetFinder(tier, plan) };
  let [next, left, isWhole] = [0, plan.bytesMax, true];
  while (next < hits.length && left >= 0) {
    const end = chunkEnd(hits, next, ({ hit }) => hit.bytes, left);
    const part = await addNeighbours(tier, hits.slice(next, end), plan.expand, left);
    const read = await readPart(tier, part, readPlan, yielder);
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

/** Returns the best passage of a body. */
type SnippetOf = (body: RowBody) => Snippet;

interface ReadPlan extends EntryPlan {
  /** Absent if no passage is returned. */
  readonly snippetOf: SnippetOf | undefined;
}

function snippetFinder({ analyzer }: RetrieveParts, { passageQuery }: EntryPlan): SnippetOf | undefined {
  if (passageQuery === undefined) return undefined;
  const find = passageFinder(analyzer, passageQuery);
  return (body) => {
    const text = indexedText(body);
    const { start, end } = find(text);
    return { text: text.slice(start, end), start };
  };
}

async function readPart(
  tier: RetrieveParts,
  part: readonly HitWithNeighbours[],
  plan: ReadPlan,
  yielder: Yielder,
): Promise<ReadonlyMap<Hit, ReadEntry>> {
  const entries = new Map<Hit, ReadEntry>();
  for (const [scope, ofScope] of byScope(part)) {
    await tier.registry.use(scope, async (loaded) => {
      const all = ofScope.flatMap(({ hit, before, after }) => [hit, ...before, ...after]);
      const bodies = await readLiveBodies(tier, loaded, all);
      await tier.expiry.expireInSteps(loaded);
      tier.expiry.expireNow(loaded);
      const reader = new EntryReader(tier, loaded, bodies, plan);
      for (const found of ofScope) {
        const read = reader.read(found);
        if (read !== undefined) entries.set(found.hit, read);
        await yielder.yieldIfDue();
      }
    });
  }
  return entries;
}

/** An entry, with its neighbours if requested. */
export interface ReadEntry {
  readonly entry: MemoryEntry;
  /** Approximate size of the returned data, not too high. */
  readonly bytes: number;
  /** False if a neighbour was removed during the read. */
  readonly isWhole: boolean;
}

/** Parts that a found entry has and a neighbour does not. */
interface EntryParts {
  readonly snippetOf?: SnippetOf | undefined;
  readonly neighbours?: MemoryEntry["neighbours"];
}

interface ReadTexts extends EntryTexts {
  readonly bytes: number;
}

/** Reads hits of one partition as entries, if they still exist. */
class EntryReader {
  readonly #tier: RetrieveParts;
  readonly #loaded: LoadedPartition;
  readonly #bodies: ReadonlyMap<number, string>;
  readonly #plan: ReadPlan;
  readonly #now: number;
  /** By row id, because an entry may be a neighbour of many hits. */
  readonly #texts = new Map<number, ReadTexts>();

  /** @param bodies by row id, as JSON */
  constructor(
    tier: RetrieveParts,
    loaded: LoadedPartition,
    bodies: ReadonlyMap<number, string>,
    plan: ReadPlan,
  ) {
    this.#tier = tier;
    this.#loaded = loaded;
    this.#bodies = bodies;
    this.#plan = plan;
    this.#now = tier.clock.now();
  }

  read({ hit, before, after }: HitWithNeighbours): ReadEntry | undefined {
    const { expand, snippetOf } = this.#plan;
    if (expand === undefined) return this.#read(hit, { snippetOf });
    const readAll = (hits: readonly Hit[]) => hits.flatMap((neighbour) => this.#read(neighbour) ?? []);
    const around = { before: readAll(before), after: readAll(after) };
    const neighbours = {
      before: around.before.map(({ entry }) => entry),
      after: around.after.map(({ entry }) => entry),
    };
    const own = this.#read(hit, { snippetOf, neighbours });
    const beside = [...around.before, ...around.after];
    const bytes = beside.reduce((sum, one) => sum + one.bytes, own?.bytes ?? 0);
    return own && { ...own, bytes, isWhole: beside.length === before.length + after.length };
  }

  #read(hit: Hit, { snippetOf, neighbours }: EntryParts = {}): ReadEntry | undefined {
    const { partition, id } = this.#loaded;
    const slot = partition.slotOfRow(hit.keyHash, hit.rowId);
    const texts = slot === undefined ? undefined : this.#textsOf(hit.rowId, slot);
    if (slot === undefined || texts === undefined) return undefined;
    partition.columns.accessed[slot] = this.#now;
    this.#tier.retention?.touched({ scope: id, keyHash: hit.keyHash });
    const embedder = this.#tier.embedder?.id;
    const passage = snippetOf?.(texts.body);
    return {
      entry: entryOf(this.#loaded, hit, texts, { ...this.#plan, embedder, passage, neighbours }),
      bytes: texts.bytes + (this.#plan.hasSnippet ? (passage?.text.length ?? 0) : 0),
      isWhole: true,
    };
  }

  /** Returns the bytes of the body's JSON that the entry leaves out. */
  #hiddenBytes({ context }: RowBody): number {
    if (context === undefined || this.#plan.hasContext) return 0;
    return JSON.stringify(context).length + ',"context":'.length;
  }

  #textsOf(rowId: number, slot: number): ReadTexts | undefined {
    const json = this.#bodies.get(rowId);
    const known = this.#texts.get(rowId);
    if (json === undefined || known !== undefined) return known;
    const { partition } = this.#loaded;
    const body = JSON.parse(json) as RowBody;
    const bytes = json.length + partition.columns.facets.sizeAt(slot) - this.#hiddenBytes(body);
    const texts = { body, facets: partition.facetsOf(slot), bytes };
    this.#texts.set(rowId, texts);
    return texts;
  }
}
