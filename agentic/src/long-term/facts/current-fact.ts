import { isCurrent, MemoryError } from "@membus/protocol";
import type { CallContext } from "../call-context.js";
import type { NamespaceView } from "../shelf.js";
import { type Fact, readFact } from "./fact.js";

/**
 * A fact that is current, at this revision or, if undefined, at any.
 * @throws {MemoryError} `memory_not_found`, or `conflict` where it is not what it was.
 */
export async function currentFact(
  shelf: NamespaceView,
  id: string,
  ifRevision: number | undefined,
  { clock }: CallContext,
): Promise<Fact> {
  const [entry] = (await shelf.byKey([{ fact: id }])).values();
  const fact = entry && readFact(entry);
  if (fact === undefined) throw new MemoryError("memory_not_found", `there is no fact ${id}`);
  const { revision } = fact.entry;
  if (!isCurrent(fact, clock.now()) || (ifRevision !== undefined && ifRevision !== revision)) {
    throw new MemoryError("conflict", `fact ${id} is not what it was`, { revision });
  }
  return fact;
}
