import { toMemoryError } from "@membus/agent-client";
import { kindIs } from "../../kind-filter.js";
import type { CallContext } from "../call-context.js";
import type { NamespaceView } from "../namespace-view.js";
import { type Fact, readFact, restoredEntry } from "./fact.js";
import { lookUp } from "./look-up.js";

/** Facts per store. */
const BATCH_COUNT_MAX = 100;

export interface UndoneConsolidation {
  /** Ids of the facts that are current again. */
  readonly restored: readonly string[];
  /** Ids of facts that changed since, and of facts with a text that is current again. They are unchanged. */
  readonly conflicts: readonly string[];
}

/** Makes the facts that a consolidation replaced current again. The facts that replaced them stay. */
export async function undoConsolidation(
  view: NamespaceView,
  consolidation: string,
  { clock, meter }: CallContext,
): Promise<UndoneConsolidation> {
  const where = {
    all: [kindIs("fact"), { field: "metadata.consolidation", op: "eq" as const, value: consolidation }],
  };
  const facts = (await view.all({ where })).map(readFact).filter((fact) => fact !== undefined);
  const texts = facts.map(({ text }) => text);
  const slots = await lookUp(view, texts, clock.now());
  const isFree = ({ text }: Fact) => slots.get(text)!.current === undefined;
  const free = facts.filter(isFree);
  const conflicts = facts.filter((fact) => !isFree(fact)).map(({ id }) => id);
  const restored: string[] = [];
  for (let from = 0; from < free.length; from += BATCH_COUNT_MAX) {
    const batch = free.slice(from, from + BATCH_COUNT_MAX);
    const { errors } = await view.store(batch.map(restoredEntry));
    const failed = new Map(errors.map((error) => [error.index, error]));
    for (const [index, { id }] of batch.entries()) {
      const error = failed.get(index);
      if (error !== undefined && error.code !== "conflict") throw toMemoryError(error);
      (error === undefined ? restored : conflicts).push(id);
    }
  }
  meter.written(restored.length);
  return { restored, conflicts };
}
