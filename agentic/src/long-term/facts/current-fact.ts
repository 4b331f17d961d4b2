import { MemoryError } from "@membus/protocol";
import { isCurrent } from "@membus/protocol/records";
import type { CallContext } from "../call-context.js";
import type { NamespaceView } from "../namespace-view.js";
import { type Fact, readFact } from "./fact.js";

/**
 * Returns a current fact, at this revision or (undefined) at any.
 * @throws {MemoryError} `memory_not_found`, or `conflict` if it has changed or was superseded.
 */
export async function currentFact(
  view: NamespaceView,
  id: string,
  ifRevision: number | undefined,
  { clock }: CallContext,
): Promise<Fact> {
  const [entry] = (await view.byKey([{ fact: id }])).values();
  const fact = entry && readFact(entry);
  if (fact === undefined) throw new MemoryError("memory_not_found", `fact ${id} does not exist`);
  const { revision } = fact.entry;
  if (!isCurrent(fact, clock.now()) || (ifRevision !== undefined && ifRevision !== revision)) {
    throw new MemoryError("conflict", `fact ${id} has changed or was superseded`, { revision });
  }
  return fact;
}
