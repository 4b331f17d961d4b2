import type { EntryInput } from "@membus/agent-client";
import { keyHash } from "@membus/protocol";
import type { CostMeter } from "../model/index.js";
import type { Shelves } from "./shelves.js";

/** Takes memories out of quarantine: they are shared from then on, and still say whose word they are. */
export async function promoteMemories(
  { main, quarantine }: Shelves,
  ids: readonly string[],
  meter: CostMeter,
): Promise<number> {
  if (quarantine === undefined || ids.length === 0) return 0;
  const keys = ids.flatMap((id) => [{ fact: id }, { experience: id }, { guideline: id }, { tool_call: id }]);
  const entries = [...(await quarantine.byKey(keys)).values()];
  if (entries.length === 0) return 0;
  const { receipts, errors } = await main.store(
    entries.map((entry) => ({ ...entry, if_revision: 0 }) as EntryInput),
  );
  // What is there already is there: promoted before, or said by the user, too.
  const arrived = [...receipts, ...errors.filter(({ code }) => code === "conflict")].map(
    ({ index }) => entries[index]!,
  );
  const gone =
    arrived.length === 0
      ? 0
      : await quarantine.forget({ keys: arrived.map(({ key }) => ({ $hash: keyHash(key as never) })) });
  meter.written(receipts.length + gone);
  return arrived.length;
}
