import { randomBytes, randomInt, randomUUID } from "node:crypto";
import type { AgentMemory, CallOptions, ForgetResult, StoreResult } from "@membus/agent-client";
import type { Ack, MemoryTier } from "@membus/protocol";

/** Every content has it, so that a query for it counts what the text index knows. */
export const COMMON_WORD = "walnut";
const SLOTS = 8;

export interface Write {
  readonly slot: number;
  readonly text: string;
}

/** What a lane asks for: said again with the same `id`, it is the same request. */
export type Operation =
  | { readonly kind: "store"; readonly id: string; readonly ack: Ack; readonly writes: readonly Write[] }
  | { readonly kind: "forget"; readonly id: string; readonly slots: readonly number[] };

export type Reply = StoreResult | ForgetResult;

/** Whose entries an operation is about: no two lanes have a key in common. */
export interface Owner {
  readonly memory: AgentMemory;
  readonly tier: MemoryTier;
  readonly lane: string;
}

/** Three stores of one to three entries for each forget of some or of all the lane has. */
export function randomOperation(): Operation {
  const id = randomUUID();
  if (randomInt(4) > 0) {
    const writes = randomSlots(3).map((slot) => ({ slot, text: randomText() }));
    return { kind: "store", id, ack: randomInt(3) === 0 ? "queued" : "stored", writes };
  }
  const slots = randomInt(4) === 0 ? Array.from({ length: SLOTS }, (_, slot) => slot) : randomSlots(3);
  return { kind: "forget", id, slots };
}

export function send(
  operation: Operation,
  { memory, tier, lane }: Owner,
  options: CallOptions = {},
): Promise<Reply> {
  const { id } = operation;
  if (operation.kind === "store") {
    const entries = operation.writes.map(({ slot, text }) => ({
      key: { lane, slot },
      content: { text },
      tags: [lane],
      tier,
    }));
    return memory.store(entries, { ...options, id, ack: operation.ack });
  }
  // Both ways to name what is to go: by tag, and by key.
  const { slots } = operation;
  const criteria =
    slots.length === SLOTS ? { tags: [lane] } : { keys: slots.map((slot) => ({ lane, slot })) };
  return memory.forget({ ...criteria, tier }, { ...options, id });
}

function randomSlots(countMax: number): number[] {
  const first = randomInt(SLOTS);
  return Array.from({ length: 1 + randomInt(countMax) }, (_, n) => (first + n) % SLOTS);
}

/** Mostly short; one in eight takes several sectors of the disk. */
function randomText(): string {
  return `${COMMON_WORD} ${randomBytes(randomInt(8) === 0 ? randomInt(15_000) : 10).toString("hex")}`;
}
