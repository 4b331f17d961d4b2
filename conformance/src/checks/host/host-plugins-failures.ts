import { type ErrorCode, MemoryError, type MemoryTier } from "@membus/protocol";
import { type Check, hostCheck } from "../../catalogue/check.js";
import type { HostContext, OwnHost } from "../../context.js";
import { answer, recordOf, request } from "../../fixtures/bare-messages.js";
import { askHost, findHost } from "../../fixtures/host-info.js";
import { newRequestId } from "../../fixtures/request-id.js";
import { type Script, ScriptedPlugin } from "../../host-route/scripted-plugin.js";

/** Returns a script with methods that all throw the error. */
function failing(error: unknown): Required<Pick<Script, "onStore" | "onRetrieve" | "onForget" | "onStatus">> {
  const fail = async () => {
    throw error;
  };
  return { onStore: fail, onRetrieve: fail, onForget: fail, onStatus: fail };
}

/** Starts a host of three scripted plugins, each with an entry named after its tier. */
async function startWithThree(t: HostContext): Promise<{
  own: OwnHost;
  plugins: Record<MemoryTier, ScriptedPlugin>;
  keys: Record<MemoryTier, string>;
}> {
  const keys = { working: "of working", episodic: "of episodic", semantic: "of semantic" };
  const plugins = {
    working: new ScriptedPlugin(),
    episodic: new ScriptedPlugin(),
    semantic: new ScriptedPlugin(),
  };
  const own = await t.startHost({ plugins });
  const tiers = Object.entries(keys) as [MemoryTier, string][];
  const { errors } = await own.caller.store(tiers.map(([tier, key]) => own.entry({ key, tier })));
  t.expect.equal(errors, [], "errors of a store of one entry for each tier");
  return { own, plugins, keys };
}

const thrownChecks: readonly Check[] = [
  hostCheck({
    id: "host-plugins/thrown-memory-error-is-sent",
    clauses: ["PLUG-10"],
    provisions: ["own_plugins"],
    async run(t) {
      const { expect } = t;
      const plugin = new ScriptedPlugin();
      const own = await t.startHost({ plugins: { working: plugin } });
      plugin.script = failing(new MemoryError("memory_full", "the store is full", { shelf: 7 }));
      const sent = {
        code: "memory_full",
        message: "the store is full",
        detail: { shelf: 7 },
        retryable: false,
      };
      const { errors } = await own.caller.store(own.entry());
      expect.equal(
        errors.map(({ code, message, detail, retryable }) => ({ code, message, detail, retryable })),
        [sent],
        "errors of a store after the plugin threw memory_full with a message and a detail",
      );
      for (const operation of ["retrieve", "forget", "status"] as const) {
        const fields = operation === "status" ? { request_id: newRequestId() } : { tier: "working" };
        const what = `a ${operation} after the plugin threw memory_full with a message and a detail`;
        const reply = await answer(own, what, operation, request(own, operation, fields));
        const { code, message, detail, retryable } = reply.message;
        expect.equal({ code, message, detail, retryable }, sent, `the reply to ${what}`);
      }
    },
  }),
  hostCheck({
    id: "host-plugins/what-else-is-thrown-is-runtime-error",
    clauses: ["PLUG-10", "ERR-3"],
    provisions: ["own_plugins"],
    async run(t) {
      const { expect } = t;
      const plugin = new ScriptedPlugin();
      const own = await t.startHost({ plugins: { working: plugin } });
      for (const [name, thrown] of [
        ["an Error", new Error("out of order")],
        ["an object that looks like one of the protocol", { code: "conflict", message: "no", detail: {} }],
        ["undefined", undefined],
      ] as const) {
        plugin.script = failing(thrown);
        const { errors, stored } = await own.caller.store(own.entry());
        const what = `after the plugin threw ${name}`;
        expect.equal(
          { stored, codes: errors.map(({ code }) => code) },
          { stored: [], codes: ["runtime_error"] },
          `stored keys and codes of the errors of a store ${what}`,
        );
        await expect.refused(own.caller.retrieve(), "runtime_error", `a retrieve ${what}`);
        await expect.refused(own.caller.forget({ tags: ["a"] }), "runtime_error", `a forget ${what}`);
        await expect.refused(own.caller.status(newRequestId()), "runtime_error", `a status ${what}`);
      }
    },
  }),
  hostCheck({
    id: "host-plugins/cause-is-never-sent",
    clauses: ["ERR-3"],
    provisions: ["own_plugins"],
    async run(t) {
      const plugin = new ScriptedPlugin();
      const own = await t.startHost({ plugins: { working: plugin } });
      const secret = `password-${newRequestId()}`;
      const cause = new Error(secret);
      for (const [name, thrown] of [
        ["an Error that contains a password", cause],
        [
          "unavailable with an Error that contains a password",
          new MemoryError("unavailable", "down", {}, { cause }),
        ],
        ["a text that is a password", secret],
      ] as const) {
        plugin.script = failing(thrown);
        for (const operation of ["store", "retrieve", "forget"] as const) {
          const fields = operation === "store" ? { entries: [own.entry()] } : { tier: "working" };
          const what = `a ${operation} after the plugin threw ${name}`;
          const { bytes, headers } = await answer(own, what, operation, request(own, operation, fields));
          const text = Buffer.from(bytes).toString("utf8");
          t.expect.holds(!text.includes(secret), `the reply to ${what}`, text, "no part of the password");
          const shown = JSON.stringify(headers);
          t.expect.holds(
            !shown.includes(secret),
            `headers of the reply to ${what}`,
            shown,
            "no part of the password",
          );
        }
      }
    },
  }),
  hostCheck({
    id: "host-plugins/failing-tier-refuses-its-own-entries",
    clauses: ["STORE-2"],
    provisions: ["own_plugins"],
    async run(t) {
      const { expect } = t;
      const { own, plugins } = await startWithThree(t);
      plugins.episodic.script = failing(new MemoryError("unavailable", "the disk is unavailable"));
      const keys = ["new of working", "new of episodic", "new of semantic"] as const;
      const { stored, errors } = await own.caller.store([
        own.entry({ key: keys[0], tier: "working" }),
        own.entry({ key: keys[1], tier: "episodic" }),
        own.entry({ key: keys[2], tier: "semantic" }),
      ]);
      expect.equal(
        stored,
        [{ name: keys[0] }, { name: keys[2] }],
        "`stored` of a store for three tiers, with the episodic plugin throwing unavailable",
      );
      expect.equal(
        errors.map(({ index, code, retryable }) => ({ index, code, retryable })),
        [{ index: 1, code: "unavailable", retryable: true }],
        "errors of a store for three tiers, with the episodic plugin throwing unavailable",
      );
    },
  }),
];

const mergeChecks: readonly Check[] = [
  hostCheck({
    id: "host-plugins/degraded-names-the-failing-tier",
    clauses: ["RET-13", "RET-4"],
    provisions: ["own_plugins"],
    async run(t) {
      const { expect } = t;
      const { own, plugins, keys } = await startWithThree(t);
      plugins.episodic.script = failing(new Error("out of order"));
      plugins.semantic.script = failing(new MemoryError("unavailable", "the disk is unavailable"));
      const { entries, degraded = [], total_relation } = await own.caller.retrieve({ tier: null });
      const what = "of a retrieve of three tiers with two failures";
      expect.equal(
        entries.map(({ key }) => key),
        [{ name: keys.working }],
        `keys of the entries ${what}`,
      );
      expect.sameMembers(
        degraded.map(({ tier, code }) => ({ tier, code })),
        [
          { tier: "episodic", code: "runtime_error" },
          { tier: "semantic", code: "unavailable" },
        ],
        `tier and code in \`degraded\` ${what}`,
      );
      const messages = degraded.map(({ message }) => message).filter((message) => message !== "");
      expect.equal(messages.length, 2, `messages in \`degraded\` ${what}`);
      expect.equal(
        total_relation,
        "gte",
        `\`total_relation\` ${what}, because the failed tiers may have more entries`,
      );
    },
  }),
  hostCheck({
    id: "host-plugins/no-degraded-where-all-answer",
    clauses: ["RET-13", "RET-19", "RET-4"],
    provisions: ["own_plugins"],
    async run(t) {
      const { expect } = t;
      const { own, keys } = await startWithThree(t);
      const { entries, degraded, total, total_relation } = await own.caller.retrieve({ tier: null });
      const what = "of a retrieve of three tiers that all answer";
      expect.sameMembers(
        entries.map(({ key }) => key),
        Object.values(keys).map((name) => ({ name })),
        `keys of the entries ${what}`,
      );
      expect.equal(degraded ?? [], [], `\`degraded\` ${what}`);
      expect.equal({ total, total_relation }, { total: 3, total_relation: "eq" }, `total ${what}`);
    },
  }),
  hostCheck({
    id: "host-plugins/error-where-no-tier-answers",
    clauses: ["RET-21"],
    provisions: ["own_plugins"],
    async run(t) {
      const { own, plugins } = await startWithThree(t);
      const down = failing(new MemoryError("unavailable", "the disk is unavailable"));
      for (const plugin of Object.values(plugins)) plugin.script = down;
      const codes: ErrorCode[] = ["unavailable"];
      await t.expect.refused(
        own.caller.retrieve({ tier: null }),
        codes,
        "a retrieve of three tiers that all failed",
      );
      await t.expect.refused(
        own.caller.retrieve({ tier: "semantic" }),
        codes,
        "a retrieve of one tier that failed",
      );
    },
  }),
  hostCheck({
    id: "host-plugins/forget-that-fails-in-a-tier-is-an-error",
    clauses: ["FORGET-8"],
    provisions: ["own_plugins"],
    async run(t) {
      const { expect } = t;
      const { own, plugins } = await startWithThree(t);
      const asked = { tier: null, all: true, id: newRequestId() };
      plugins.semantic.script = failing(new MemoryError("unavailable", "the disk is unavailable"));
      await expect.refused(
        own.caller.forget(asked),
        "unavailable",
        "a forget in three tiers with one failure",
      );
      plugins.semantic.script = {};
      const { total } = await own.caller.retrieve({ tier: "semantic" });
      expect.equal(total, 1, "entries of the tier with the failed forget");
      const { deleted, receipt } = await own.caller.forget(asked);
      const what = "of the same forget sent again once the tier works";
      expect.equal(receipt.by_tier, { working: 1, episodic: 1, semantic: 1 }, `\`by_tier\` ${what}`);
      expect.equal(deleted, 3, `\`deleted\` ${what}`);
      const left = await own.caller.retrieve({ tier: null });
      expect.equal(left.entries, [], `entries in all tiers after the reply ${what}`);
    },
  }),
];

/** Returns the `$SRV.STATS` data of each tier of a host. */
async function tiersOf(own: OwnHost): Promise<Readonly<Record<string, unknown>>> {
  const { id } = await findHost(own);
  const [stats] = await askHost(own, `$SRV.STATS.membus.${id}`, id);
  return recordOf(stats?.tiers);
}

const servingCheck = hostCheck({
  id: "host-plugins/tier-that-takes-no-stores-is-told",
  clauses: ["DISC-6"],
  provisions: ["own_plugins"],
  async run(t) {
    const { own, plugins } = await startWithThree(t);
    for (const failed of [1, 0, undefined]) {
      plugins.semantic.script = { stats: () => ({ shelves: 7, ...(failed !== undefined && { failed }) }) };
      const tiers = await tiersOf(own);
      const observed = Object.keys(plugins).map((tier) => [tier, recordOf(tiers[tier]).serving]);
      t.expect.equal(
        Object.fromEntries(observed),
        { working: true, episodic: true, semantic: failed !== 1 },
        `\`serving\` of each tier in $SRV.STATS while the metrics of the semantic one have \`failed\` ${failed}`,
      );
      const { shelves } = recordOf(tiers.semantic);
      t.expect.equal(shelves, 7, "a metric of the plugin of the semantic tier in $SRV.STATS");
    }
  },
});

export const failureChecks: readonly Check[] = [...thrownChecks, ...mergeChecks, servingCheck];
