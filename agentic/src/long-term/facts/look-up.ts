import { factId, isCurrent, keyHash } from "@membus/protocol";
import { kindIs } from "../../kind-filter.js";
import type { NamespaceView } from "../shelf.js";
import { type Fact, readFact } from "./fact.js";

/** What there is of a text: the fact that says it now, or the id that the next one gets. */
export interface Slot {
  readonly current?: Fact | undefined;
  readonly freeId: string;
}

/** Looks canonical texts up by their hashes. A text that was superseded may be true again: then it is a fact of its own. */
export async function lookUp(
  shelf: NamespaceView,
  texts: readonly string[],
  now: number,
): Promise<Map<string, Slot>> {
  const ids = new Map([...new Set(texts)].map((text) => [text, factId(text)]));
  const entries = await shelf.byKey([...ids.values()].map((fact) => ({ fact })));
  const slots = new Map<string, Slot>();
  for (const [text, id] of ids) {
    const entry = entries.get(keyHash({ fact: id }));
    const first = entry && readFact(entry);
    if (first === undefined) slots.set(text, { freeId: id });
    else if (isCurrent(first, now)) slots.set(text, { current: first, freeId: id });
    else slots.set(text, await latest(shelf, id, now));
  }
  return slots;
}

async function latest(shelf: NamespaceView, id: string, now: number): Promise<Slot> {
  const where = {
    all: [kindIs("fact"), { field: "key.fact", op: "starts_with" as const, value: `${id}.` }],
  };
  const facts = (await shelf.all({ where })).map(readFact).filter((fact) => fact !== undefined);
  const numbers = facts.map((fact) => Number(fact.id.slice(id.length + 1)));
  return {
    current: facts.find((fact) => isCurrent(fact, now)),
    freeId: `${id}.${Math.max(1, ...numbers) + 1}`,
  };
}
