import type { MemoryEntry, PluginRetrieveRequest } from "@membus/protocol";
import type { Resident } from "../../lifecycle/index.js";
import type { RowBody } from "../../row.js";
import type { ReadParts } from "../tier.js";
import { type EntryTexts, entryOf, type Hit } from "./entry.js";
import type { Surrounded } from "./surround.js";

/** An entry, with its neighbours where they are asked for. */
export interface ReadEntry {
  readonly entry: MemoryEntry;
  /** Of what is returned, roughly; not more. */
  readonly bytes: number;
  /** False where a neighbour went away while it was read. */
  readonly isWhole: boolean;
}

interface ReadTexts extends EntryTexts {
  readonly bytes: number;
}

/** Turns hits of one partition into entries, as long as they are there. */
export class EntryReader {
  readonly #tier: ReadParts;
  readonly #resident: Resident;
  readonly #bodies: ReadonlyMap<number, string>;
  readonly #wanted: Pick<PluginRetrieveRequest, "include" | "expand">;
  readonly #now: number;
  /** By row id: an entry may stand beside many hits. */
  readonly #texts = new Map<number, ReadTexts>();

  /** @param bodies by row id, as JSON */
  constructor(
    tier: ReadParts,
    resident: Resident,
    bodies: ReadonlyMap<number, string>,
    wanted: Pick<PluginRetrieveRequest, "include" | "expand">,
  ) {
    this.#tier = tier;
    this.#resident = resident;
    this.#bodies = bodies;
    this.#wanted = wanted;
    this.#now = tier.clock.now();
  }

  read({ hit, before, after }: Surrounded): ReadEntry | undefined {
    if (this.#wanted.expand === undefined) return this.#read(hit);
    const readAll = (hits: readonly Hit[]) => hits.flatMap((neighbour) => this.#read(neighbour) ?? []);
    const around = { before: readAll(before), after: readAll(after) };
    const own = this.#read(hit, {
      before: around.before.map(({ entry }) => entry),
      after: around.after.map(({ entry }) => entry),
    });
    const beside = [...around.before, ...around.after];
    const bytes = beside.reduce((sum, one) => sum + one.bytes, own?.bytes ?? 0);
    return own && { ...own, bytes, isWhole: beside.length === before.length + after.length };
  }

  #read(hit: Hit, neighbours?: MemoryEntry["neighbours"]): ReadEntry | undefined {
    const { partition, id } = this.#resident;
    const slot = partition.slotOfRow(hit.keyHash, hit.rowId);
    const texts = slot === undefined ? undefined : this.#textsOf(hit.rowId, slot);
    if (slot === undefined || texts === undefined) return undefined;
    partition.columns.accessed[slot] = this.#now;
    this.#tier.retention?.touched({ scope: id, keyHash: hit.keyHash });
    const { include } = this.#wanted;
    const embedder = this.#tier.embedder?.id;
    return {
      entry: entryOf(this.#resident, hit, texts, { include, embedder, neighbours }),
      bytes: texts.bytes,
      isWhole: true,
    };
  }

  /** Of what the body has as JSON and the entry has not. */
  #hiddenBytes({ context }: RowBody): number {
    if (context === undefined || this.#wanted.include.includes("context")) return 0;
    return JSON.stringify(context).length + ',"context":'.length;
  }

  #textsOf(rowId: number, slot: number): ReadTexts | undefined {
    const json = this.#bodies.get(rowId);
    const known = this.#texts.get(rowId);
    if (json === undefined || known !== undefined) return known;
    const { partition } = this.#resident;
    const body = JSON.parse(json) as RowBody;
    const bytes = json.length + partition.columns.facets.sizeAt(slot) - this.#hiddenBytes(body);
    const texts = { body, facets: partition.facetsOf(slot), bytes };
    this.#texts.set(rowId, texts);
    return texts;
  }
}
