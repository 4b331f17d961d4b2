import { delay, systemClock } from "@membus/protocol";
import { type Check, hostTierCheck, pluginCheck } from "../../../catalogue/check.js";
import type { PluginContext } from "../../../context.js";
import { newRequestId } from "../../../fixtures/request-id.js";
import { filesWith } from "../../../plugin-route/files-with.js";

/** Maximum number of maintenance rounds for a scheduled purge, two minutes of the plugin's clock apart. */
const ROUNDS_MAX = 60;
const ROUND_SECONDS = 120;

/** Runs maintenance until no file contains the text or the time limit is reached. */
async function maintainUntilDeleted(t: PluginContext, text: string): Promise<string[]> {
  for (let round = 0; round < ROUNDS_MAX; round++) {
    if ((await filesWith(t.services.dataDirectory!, text)).length === 0) return [];
    await t.passTime(ROUND_SECONDS);
    await delay(systemClock, 5);
    await t.maintain();
  }
  return filesWith(t.services.dataDirectory!, text);
}

/** Forgotten bytes on disk. */
export const forgetPurgeChecks: readonly Check[] = [
  pluginCheck({
    id: "forget/purge-is-told-truly",
    clauses: ["FORGET-7", "FORGET-6"],
    features: ["durable"],
    async run(t) {
      const { caller, entry, expect, random, services } = t;
      const secret = `secret${random.hex(24)}`;
      const [one, other] = [entry({ content: secret, tags: ["red"] }), entry({ tags: ["red"] })];
      await caller.store([one, other]);
      await caller.retrieve({ tags: ["red"] });
      const { deleted, receipt } = await caller.forget({ keys: [one.key] });
      expect.equal(deleted, 1, "deleted by a forget of 1 of 2 entries");
      const held = receipt.purge === "done" ? await filesWith(services.dataDirectory!, secret) : [];
      expect.equal(held, [], "files with a forgotten content although the `purge` of the receipt is `done`");
      const later = await maintainUntilDeleted(t, secret);
      expect.equal(later, [], "files with a forgotten content after two hours of maintenance");
      const { entries } = await caller.retrieve();
      expect.equal(
        entries.map(({ key }) => key),
        [other.key],
        "keys left after a forget and its purge",
      );
    },
  }),
  pluginCheck({
    id: "forget/purge-asked-for-is-done",
    clauses: ["FORGET-9"],
    features: ["durable", "purge"],
    async run({ caller, entry, expect, maintain, random, services }) {
      const secret = `secret${random.hex(24)}`;
      const entries = ["one", "two"].map((id) => entry({ key: { id }, content: `${secret} ${id}` }));
      const other = entry({ content: "other" });
      await caller.store([...entries, other]);
      await maintain();
      await caller.retrieve();
      const asked = { keys: entries.map(({ key }) => key), purge: true, id: newRequestId() };
      for (const which of ["a forget with `purge`", "the same forget sent again"]) {
        const { deleted, receipt } = await caller.forget(asked);
        expect.equal([deleted, receipt.purge], [2, "done"], `deleted and \`purge\` of ${which}`);
      }
      const held = await filesWith(services.dataDirectory!, secret);
      expect.equal(held, [], "files with a forgotten content after the reply to a forget with `purge`");
      const left = (await caller.retrieve()).entries.map(({ key }) => key);
      expect.equal(left, [other.key], "keys left after a forget with `purge`");
    },
  }),
  hostTierCheck({
    id: "forget/purge-refused-when-undeclared",
    clauses: ["FORGET-10", "PLUG-4"],
    withoutFeature: "purge",
    async run({ caller, entry, expect, tier }) {
      await caller.store(entry({ key: { id: "there" }, tags: ["red"] }));
      const asked = caller.forget({ tier, tags: ["red"], purge: true });
      await expect.refused(asked, "unsupported", "a forget with purge, which is not declared");
      const { entries } = await caller.retrieve();
      expect.equal(
        entries.map(({ key }) => key),
        [{ id: "there" }],
        "keys of a listing after it",
      );
    },
  }),
];
