import { type Check, pluginCheck } from "../../catalogue/check.js";
import { pending } from "../../fixtures/pending.js";
import type { EntryInput } from "../../memory-agent.js";

const ROUNDS = 3;
const EACH = 16;

/** Changes that are acknowledged while maintenance runs. */
export const lifecycleMaintenanceChecks: readonly Check[] = [
  pluginCheck({
    id: "lifecycle/changes-beside-maintenance-last",
    clauses: ["PLUG-5", "PLUG-13", "FORGET-6"],
    features: ["durable"],
    async run({ caller, entry, expect, maintain, passTime, reopen }) {
      const expected = new Map<string, unknown>();
      const named = (id: string, content: string): EntryInput => entry({ key: { id }, content });
      const store = async (id: string, content: string) => {
        await caller.store(named(id, content));
        expected.set(id, content);
      };
      const forget = async (id: string) => {
        const { deleted } = await caller.forget({ keys: [{ id }] });
        expect.equal(deleted, 1, `\`deleted\` of a forget of ${id} during maintenance`);
        expected.delete(id);
      };
      for (let round = 1; round <= ROUNDS; round++) {
        const ids = Array.from({ length: EACH }, (_, at) => `${round}-${at}`);
        await caller.store(ids.map((id) => named(id, "before")));
        for (const id of ids) expected.set(id, "before");
        // Forgotten and replaced entries give maintenance something to clean up.
        await forget(ids[0]!);
        await store(ids[1]!, "replaced");
        await passTime(120);
        const maintaining = pending(maintain());
        for (let wait = 1; wait < round; wait++) await new Promise((resolve) => setImmediate(resolve));
        for (let at = 2; at < EACH; at += 3) {
          await store(`${round}-new-${at}`, "during");
          await store(ids[at]!, "updated during");
          await forget(ids[at + 1]!);
        }
        await maintaining;
        const sorted = (entries: Iterable<readonly [unknown, unknown]>) =>
          [...entries].map(([id, content]) => `${id}: ${content}`).sort();
        for (const when of ["after it", "after it, and close and open"]) {
          const { entries } = await caller.retrieve({ limit: 1_000 });
          const found = entries.map(({ key, content }) => [key.id, content] as const);
          const what = `ids and contents of entries that were stored, updated and forgotten during maintenance, ${when}, round ${round}`;
          expect.equal(sorted(found), sorted(expected), what);
          if (when === "after it") await reopen();
        }
      }
    },
  }),
];
