import { delay, isMemoryError, type MemoryTier, systemClock } from "@membus/protocol";
import { type Check, hostCheck, memoryCheck, pluginCheck } from "../../../catalogue/check.js";
import type { HostContext, PluginContext } from "../../../context.js";
import { newRequestId } from "../../../fixtures/request-id.js";
import { ScriptedPlugin } from "../../../host-route/scripted-plugin.js";
import type { ErasureReply } from "../../../memory-agent.js";
import { filesWith } from "../../../plugin-route/files-with.js";

/** Maximum number of maintenance rounds for a scheduled purge, one minute of the plugin's clock apart. */
const ROUNDS_MAX = 120;
const ROUND_SECONDS = 60;

/** Returns the status of a forget. Undefined after the plugin has dropped it. */
async function erasureOf({ caller }: PluginContext, id: string): Promise<ErasureReply | undefined> {
  try {
    return await caller.erasure(id);
  } catch (error) {
    if (isMemoryError(error) && error.code === "memory_not_found") return undefined;
    throw error;
  }
}

/** Polls the status until the purge is done, and expects it before the reported time. */
async function untilDone(t: PluginContext, id: string): Promise<ErasureReply | undefined> {
  for (let round = 0; round < ROUNDS_MAX; round++) {
    const status = await erasureOf(t, id);
    if (status?.purge !== "scheduled") return status;
    const isOver = round > 0 && status.purge_by !== undefined && status.purge_by <= t.now();
    t.expect.equal(isOver, false, "a status that is `scheduled` past its `purge_by`, after maintenance");
    await t.passTime(ROUND_SECONDS);
    await delay(systemClock, 5);
    await t.maintain();
  }
  return erasureOf(t, id);
}

/** Starts a host with the given plugins and returns the status of a forget that all of them know. */
async function statusOf(t: HostContext, plugins: Partial<Record<MemoryTier, ScriptedPlugin>>) {
  const own = await t.startHost({ plugins });
  const id = newRequestId();
  await own.caller.forget({ tier: null, tags: ["red"], id });
  return own.caller.erasure(id);
}

/** Status of the erasure of forgotten bytes. */
export const forgetErasureChecks: readonly Check[] = [
  pluginCheck({
    id: "forget/erasure-is-told-truly",
    clauses: ["STATUS-5", "STATUS-7", "PLUG-22"],
    features: ["durable", "erasure"],
    async run(t) {
      const { caller, entry, expect, random, services } = t;
      const [secret, id] = [`secret${random.hex(24)}`, newRequestId()];
      const one = entry({ content: secret });
      await caller.store([one, entry()]);
      await caller.forget({ keys: [one.key], id });
      const forgotAt = t.now();
      const done = await untilDone(t, id);
      const held = await filesWith(services.dataDirectory!, secret);
      expect.equal(held, [], "files with a forgotten content although its status is not `scheduled`");
      if (done === undefined) return;
      expect.equal(done.done, true, "`done` of the status of a forget with `purge` `done`");
      expect.atLeast(done.purged_at ?? 0, forgotAt - 1, "`purged_at` of a forget");
      await t.reopen();
      const later = await erasureOf(t, id);
      expect.equal(later?.purge, "done", "`purge` of a forget that was done, after a restart");
    },
  }),
  memoryCheck({
    id: "retry/status-of-a-forget",
    clauses: ["STATUS-1", "STATUS-4", "STATUS-5", "PLUG-22"],
    features: ["erasure"],
    async run({ caller, agent, entry, expect }) {
      const [stored, forgotten] = [newRequestId(), newRequestId()];
      await caller.store(entry({ tags: ["red"] }), { id: stored });
      await caller.forget({ tags: ["red"], id: forgotten });
      const { done, purge, purged_at } = await caller.erasure(forgotten);
      const isDone = purge === "done";
      expect.equal([done, purged_at !== undefined], [isDone, isDone], `\`done\` and \`purged_at\`, ${purge}`);
      const others = [
        [caller.erasure(newRequestId()), "an unused id"],
        [caller.erasure(stored), "the id of a store"],
        [agent({ agent: "second" }).erasure(forgotten), "the id of another agent's forget"],
      ] as const;
      for (const [asked, what] of others) {
        await expect.refused(asked, "memory_not_found", `a status of a forget with ${what}`);
      }
    },
  }),
  hostCheck({
    id: "host-plugins/status-of-a-forget-is-of-all-tiers",
    clauses: ["STATUS-5", "STATUS-6"],
    provisions: ["own_plugins"],
    async run(t) {
      const { expect } = t;
      const erasing = () => new ScriptedPlugin({ erasure: true });
      const [working, episodic] = [erasing(), erasing()];
      const semantic = new ScriptedPlugin();
      const both = await statusOf(t, { working, episodic, semantic });
      expect.equal([both.done, both.purge], [true, "done"], "a status of a forget that is done in all tiers");
      episodic.script = { onErasure: async () => ({ purge: "scheduled", purge_by: 2_000_000_000 }) };
      const { done, purge, purge_by } = await statusOf(t, { working, episodic, semantic });
      const expected = [false, "scheduled", 2_000_000_000];
      expect.equal([done, purge, purge_by], expected, "a status of a forget that is scheduled in one tier");
      const undeclared = statusOf(t, { semantic });
      await expect.refused(undeclared, "unsupported", "a status of a forget without a tier that declares it");
    },
  }),
  hostCheck({
    id: "host-plugins/status-of-a-forget-says-why",
    clauses: ["STATUS-8"],
    provisions: ["own_plugins"],
    async run(t) {
      const [working, episodic] = [
        new ScriptedPlugin({ erasure: true }),
        new ScriptedPlugin({ erasure: true }),
      ];
      const reasonOf = async () => (await statusOf(t, { working, episodic })).purge_reason;
      const scheduled = { purge: "scheduled" } as const;
      working.script = { onErasure: async () => scheduled };
      t.expect.equal(await reasonOf(), undefined, "`purge_reason` of a forget without one");
      episodic.script = { onErasure: async () => ({ ...scheduled, purge_reason: "replica_down" }) };
      t.expect.equal(
        await reasonOf(),
        "replica_down",
        "`purge_reason` of a forget with one in the second tier",
      );
      working.script = { onErasure: async () => ({ ...scheduled, purge_reason: "first_tier" }) };
      t.expect.equal(await reasonOf(), "first_tier", "`purge_reason` of a forget with two of them");
    },
  }),
];
