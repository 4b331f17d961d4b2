import type { MemoryEntry } from "@membus/protocol";
import { type Check, pluginCheck } from "../../catalogue/check.js";
import type { Acknowledged, PluginContext } from "../../context.js";
import { readPages } from "../../fixtures/read-pages.js";
import type { MemoryAgent } from "../../memory-agent.js";

/** Returns all entries, including those that a killed process stored without an acknowledgement. */
async function everything(caller: MemoryAgent): Promise<MemoryEntry[]> {
  const pages = await readPages(caller, { limit: 1_000, order: "oldest" });
  return pages.flatMap(({ entries }) => entries);
}

function isWhole({ key, content }: MemoryEntry): boolean {
  const number = key.stored;
  return JSON.stringify(content) === JSON.stringify({ number, text: `entry number ${number}` });
}

/** Expects all acknowledged changes, and no duplicate or partial entry. */
export async function expectAcknowledged(
  { caller, expect }: PluginContext,
  { kept, forgotten }: Acknowledged,
  when: string,
): Promise<void> {
  const found = await everything(caller);
  const hashes = new Set(found.map(({ key_hash }) => key_hash));
  const stored = new Set(found.map(({ key }) => key.stored));
  const numberOf = ({ key }: { readonly key: unknown }) => (key as { stored: number }).stored;
  const missing = kept.map(({ entry }) => numberOf(entry)).filter((number) => !stored.has(number));
  expect.equal(missing, [], `numbers of acknowledged entries that are missing ${when}`);
  expect.equal(found.length - hashes.size, 0, `duplicate entries ${when}`);
  expect.equal(
    found.filter((entry) => !isWhole(entry)),
    [],
    `partial entries ${when}`,
  );
  const { total } = await caller.retrieve({ limit: 0 });
  expect.equal(total, found.length, `total ${when}, compared with the returned entries`);
  const back = forgotten.map(numberOf).filter((number) => stored.has(number));
  expect.equal(back, [], `numbers of forgotten entries that exist again ${when}`);
}

/** State left by a process that was killed during stores and forgets. */
export const durabilityCrashChecks: readonly Check[] = [
  pluginCheck({
    id: "durability/entries-survive-kill",
    clauses: ["PLUG-13", "DUR-1", "DUR-2", "FORGET-6"],
    features: ["durable"],
    provisions: ["kill"],
    async run(t) {
      const acknowledged = await t.killWhileStoring();
      await expectAcknowledged(t, acknowledged, "after a kill");
      t.expect.atLeast(
        acknowledged.forgotten.length,
        1,
        "entries of forgets that were acknowledged before the process was killed",
      );
    },
  }),
  pluginCheck({
    id: "durability/results-survive-kill",
    clauses: ["RETRY-4", "PLUG-13", "DUR-2"],
    features: ["durable"],
    provisions: ["kill"],
    async run({ caller, expect, killWhileStoring }) {
      const { kept } = await killWhileStoring();
      const keys = kept.map(({ entry }) => entry.key);
      const before = await caller.retrieve({ keys });
      const revisions = new Map(before.entries.map(({ key, revision }) => [key.stored, revision]));
      for (const { entry, requestId } of kept) {
        const { receipts } = await caller.store(entry, { id: requestId });
        const got = receipts.map(({ outcome, revision }) => ({ outcome, revision }));
        const revision = revisions.get((entry.key as { stored: number }).stored);
        const what = "the result of a store that was acknowledged before a kill and is repeated after it";
        expect.equal(got, [{ outcome: "created", revision }], what);
      }
      const after = await caller.retrieve({ keys, limit: 0 });
      expect.equal(after.total, kept.length, "entries after every store that was acknowledged is repeated");
    },
  }),
];
