import { delay, systemClock } from "@membus/protocol";
import { type Check, pluginCheck } from "../../../catalogue/check.js";
import type { PluginContext } from "../../../context.js";
import { newRequestId } from "../../../fixtures/request-id.js";
import { filesWith } from "../../../plugin-route/files-with.js";

/** Maximum number of maintenance rounds for a scheduled purge, one minute of the plugin's clock apart. */
const ROUNDS_MAX = 120;
const ROUND_SECONDS = 60;
/** Largest error of times that a plugin rounds. */
const ROUNDING_S = 0.01;

/**
 * Passes time until the purge is done. Returns the latest time, from `storedAt` on, at which a file contained
 * the text.
 */
async function heldUntil(
  t: PluginContext,
  id: string,
  text: string,
  storedAt: number,
): Promise<number | undefined> {
  let heldAt = storedAt;
  for (let round = 0; round < ROUNDS_MAX; round++) {
    await t.passTime(ROUND_SECONDS);
    await delay(systemClock, 5);
    const now = t.now();
    if ((await filesWith(t.services.dataDirectory!, text)).length > 0) heldAt = now;
    if ((await t.caller.erasure(id)).purge === "done") return heldAt;
    await t.maintain();
  }
  return undefined;
}

/** Expects `purged_at` to be between the last time the bytes were seen and now. */
async function expectTime(t: PluginContext, id: string, heldAt: number, when: string): Promise<void> {
  const { purge, purged_at = 0 } = await t.caller.erasure(id);
  const now = t.now();
  t.expect.equal(purge, "done", `\`purge\` of a forget that is done, ${when}`);
  const [earliest, latest] = [heldAt - ROUNDING_S, now + ROUNDING_S];
  t.expect.holds(
    purged_at >= earliest && purged_at <= latest,
    `\`purged_at\` of a forget, ${when}`,
    purged_at,
    `at least ${earliest}, when its bytes were still on disk, and at most ${latest}, the time of the status`,
  );
}

/** Time and extent of an erasure. */
export const forgetErasedChecks: readonly Check[] = [
  pluginCheck({
    id: "forget/erasure-time-is-true",
    clauses: ["STATUS-5", "STATUS-7", "PLUG-22"],
    features: ["durable", "erasure"],
    async run(t) {
      const { caller, entry, expect, random } = t;
      const [secret, id] = [`secret${random.hex(24)}`, newRequestId()];
      const one = entry({ content: secret });
      await caller.store([one, entry()]);
      await t.passTime(ROUND_SECONDS);
      const storedAt = t.now();
      await caller.forget({ keys: [one.key], id });
      const heldAt = await heldUntil(t, id, secret, storedAt);
      expect.holds(heldAt !== undefined, "`purge` of a forget after two hours", "scheduled", "done");
      await expectTime(t, id, heldAt!, "once it is done");
      await t.passTime(ROUND_SECONDS);
      await expectTime(t, id, heldAt!, "a minute after it was done");
      await t.reopen();
      await expectTime(t, id, heldAt!, "after close and open");
    },
  }),
  pluginCheck({
    id: "forget/purge-erases-what-is-left",
    clauses: ["FORGET-11", "FORGET-9"],
    features: ["durable", "purge"],
    async run(t) {
      const { caller, entry, expect, features, random, services } = t;
      const secret = `secret${random.hex(24)}`;
      const kept = entry({ key: { id: "kept" }, content: `${secret} written over` });
      const gone = entry({ content: `${secret} forgotten` });
      const ended = features.ttl ? [entry({ content: `${secret} ended`, ttl: 10 })] : [];
      await caller.store([kept, gone, ...ended]);
      await t.passTime(20);
      await t.maintain();
      await caller.store({ ...kept, content: "new" });
      await caller.forget({ keys: [gone.key] });
      const { deleted, receipt } = await caller.forget({ keys: [{ id: "never stored" }], purge: true });
      const what = "a forget with `purge` that deletes nothing";
      expect.equal([deleted, receipt.purge], [0, "done"], `\`deleted\` and \`purge\` of ${what}`);
      for (const how of ["written over", "forgotten", "ended"]) {
        const held = await filesWith(services.dataDirectory!, `${secret} ${how}`);
        expect.equal(held, [], `files with a content that was ${how} before, after ${what}`);
      }
      const { entries } = await caller.retrieve();
      expect.equal(
        entries.map(({ content }) => content),
        ["new"],
        `contents after ${what}`,
      );
    },
  }),
];
