import type { EntryInput } from "@membus/agent-client";
import type { MemoryEntry } from "@membus/protocol";
import { isCurrent } from "@membus/protocol/records";
import type { CallContext } from "./call-context.js";
import { readFact } from "./facts/fact.js";
import { lookUp } from "./facts/look-up.js";
import type { MainAndQuarantine } from "./main-and-quarantine.js";
import type { NamespaceView } from "./namespace-view.js";
import { keysOf } from "./recall/memory.js";

/**
 * Moves memories out of quarantine into the main namespace. They keep their trust. Facts that are not current
 * stay.
 */
export async function promoteMemories(
  { main, quarantine }: MainAndQuarantine,
  ids: readonly string[],
  context: CallContext,
): Promise<number> {
  if (quarantine === undefined || ids.length === 0) return 0;
  const now = context.clock.now();
  const found = [...(await quarantine.byKey(ids.flatMap(keysOf))).values()].filter((entry) => {
    const fact = readFact(entry);
    return fact === undefined || isCurrent(fact, now);
  });
  const moves = await movesTo(main, found, now);
  const written = moves.flatMap(({ entry }) => entry ?? []);
  const { receipts } = written.length === 0 ? { receipts: [] } : await main.store(written);
  const stored = new Set(receipts.map(({ index }) => written[index]));
  // Memories with a conflict stay in quarantine, to be promoted again.
  const arrived = moves.filter(({ entry }) => entry === undefined || stored.has(entry));
  const forgotten = await quarantine.forgetKeys(arrived.map(({ from }) => from.key));
  context.meter.written(receipts.length + forgotten);
  return arrived.length;
}

interface Move {
  readonly from: MemoryEntry;
  /** Absent if the main namespace already has the fact. */
  readonly entry?: EntryInput | undefined;
}

async function movesTo(main: NamespaceView, found: readonly MemoryEntry[], now: number): Promise<Move[]> {
  const facts = new Map(found.map((entry) => [entry, readFact(entry)]));
  const texts = [...facts.values()].flatMap((fact) => fact?.text ?? []);
  const slots = await lookUp(main, texts, now);
  const others = await main.byKey(found.filter((entry) => !facts.get(entry)).map(({ key }) => key));
  return found.map((from) => {
    const fact = facts.get(from);
    if (fact === undefined) {
      const if_revision = others.get(from.key_hash)?.revision ?? 0;
      return { from, entry: { ...from, if_revision } as EntryInput };
    }
    const { current, freeId } = slots.get(fact.text)!;
    if (current !== undefined) return { from };
    return { from, entry: { ...from, key: { fact: freeId }, if_revision: 0 } as EntryInput };
  });
}
