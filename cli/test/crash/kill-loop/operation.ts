import { randomUUID } from "node:crypto";
import type { AgentMemory, CallOptions, ForgetResult, StoreResult } from "@membus/agent-client";
import type { Ack, MemoryTier } from "@membus/protocol";
import type { Chance } from "./chance.js";

/** Word in every content, so that a query for it counts the entries of the text index. */
export const COMMON_WORD = "walnut";
const SLOTS = 8;

export interface Write {
  readonly slot: number;
  readonly text: string;
}

/** A request of a writer. Sending it again with the same `id` is a retry. */
export type Operation =
  | { readonly kind: "store"; readonly id: string; readonly ack: Ack; readonly writes: readonly Write[] }
  | {
      readonly kind: "forget";
      readonly id: string;
      readonly purge: boolean;
      readonly slots: readonly number[];
    };

export type Reply = StoreResult | ForgetResult;

/** Owner of the keys of an operation. No two writers share keys. */
export interface Owner {
  readonly memory: AgentMemory;
  readonly tier: MemoryTier;
  readonly writer: string;
}

/**
 * Returns a random operation: three stores of one to three entries for each forget of some or all entries of
 * the writer. One forget in 32 purges.
 */
export function randomOperation(chance: Chance): Operation {
  const id = randomUUID();
  if (chance.int(4) > 0) {
    const writes = randomSlots(chance).map((slot) => ({ slot, text: randomText(chance) }));
    return { kind: "store", id, ack: chance.int(3) === 0 ? "queued" : "stored", writes };
  }
  const isAll = chance.int(4) === 0;
  const slots = isAll ? Array.from({ length: SLOTS }, (_, slot) => slot) : randomSlots(chance);
  return { kind: "forget", id, purge: chance.int(32) === 0, slots };
}

export function send(
  operation: Operation,
  { memory, tier, writer }: Owner,
  options: CallOptions = {},
): Promise<Reply> {
  const { id } = operation;
  if (operation.kind === "store") {
    const entries = operation.writes.map(({ slot, text }) => ({
      key: { writer, slot },
      content: { text },
      tags: [writer],
      tier,
    }));
    return memory.store(entries, { ...options, id, ack: operation.ack, partial: true });
  }
  // Selects the entries to forget both by tag and by key.
  const { slots, purge } = operation;
  const criteria =
    slots.length === SLOTS ? { tags: [writer] } : { keys: slots.map((slot) => ({ writer, slot })) };
  return memory.forget({ ...criteria, tier, ...(purge && { purge }) }, { ...options, id });
}

function randomSlots(chance: Chance): number[] {
  const first = chance.int(SLOTS);
  return Array.from({ length: 1 + chance.int(3) }, (_, n) => (first + n) % SLOTS);
}

/** Returns a short text, or in one of eight cases a text of several disk sectors. */
function randomText(chance: Chance): string {
  return `${COMMON_WORD} ${chance.hex(chance.int(8) === 0 ? 10 + chance.int(15_000) : 10)}`;
}
