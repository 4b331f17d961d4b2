import { keyHash } from "@membus/protocol";
import { factId, isCurrent } from "@membus/protocol/records";
import { kindIs } from "../../kind-filter.js";
import type { NamespaceView } from "../namespace-view.js";
import { type Fact, readFact } from "./fact.js";

/** The lookup result for a text: its current fact if any, and the id for a new fact. */
export interface Slot {
  readonly current?: Fact | undefined;
  readonly freeId: string;
}

/**
 * Looks up canonical texts by their hashes. A text that was superseded can become true again. It is then a
 * new fact.
 */
export async function lookUp(
  view: NamespaceView,
  texts: readonly string[],
  now: number,
): Promise<Map<string, Slot>> {
  const ids = new Map([...new Set(texts)].map((text) => [text, factId(text)]));
  const entries = await view.byKey([...ids.values()].map((fact) => ({ fact })));
  const slots = new Map<string, Slot>();
  for (const [text, id] of ids) {
    const entry = entries.get(keyHash({ fact: id }));
    const first = entry && readFact(entry);
    if (first === undefined) slots.set(text, { freeId: id });
    else if (isCurrent(first, now)) slots.set(text, { current: first, freeId: id });
    else slots.set(text, await latest(view, id, now));
  }
  return slots;
}

async function latest(view: NamespaceView, id: string, now: number): Promise<Slot> {
  const where = {
    all: [kindIs("fact"), { field: "key.fact", op: "starts_with" as const, value: `${id}.` }],
  };
  const facts = (await view.all({ where })).map(readFact).filter((fact) => fact !== undefined);
  const numbers = facts.map((fact) => Number(fact.id.slice(id.length + 1)));
  return {
    current: facts.find((fact) => isCurrent(fact, now)),
    freeId: `${id}.${Math.max(1, ...numbers) + 1}`,
  };
}
