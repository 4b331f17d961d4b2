import { delay, isMemoryError, systemClock } from "@membus/protocol";
import type { BusMessage } from "@membus/protocol/plugin";
import { type Check, hostCheck } from "../../catalogue/check.js";
import type { HostContext, OwnHost } from "../../context.js";
import { recordOf } from "../../fixtures/bare-messages.js";
import { answersOf } from "../../fixtures/host-info.js";
import { PATIENCE_MS } from "../../fixtures/patience.js";
import { ScriptedPlugin } from "../../host-route/scripted-plugin.js";
import { outcomeOf } from "./host-plugins-lifecycle.js";

const HOSTS_SUBJECT = "$SRV.INFO.membus";
const ASKED_WITHIN_SECONDS = 3_600;
const TEN_HOURS_MS = 10 * ASKED_WITHIN_SECONDS * 1_000;
const LOOK_INTERVAL_MS = 50;

/** Returns whether a host answers a ping. Waits up to ten seconds for the `wanted` state. */
async function servesInTheEnd(own: OwnHost, wanted: boolean): Promise<boolean> {
  const end = systemClock.now() + PATIENCE_MS / 1_000;
  let serves = !wanted;
  while (serves !== wanted && systemClock.now() < end) {
    await delay(systemClock, LOOK_INTERVAL_MS);
    serves = await own.send("ping", { type: "ping" }, { timeoutMs: 500 }).then(
      () => true,
      (error: unknown) => {
        if (!isMemoryError(error)) throw error;
        return false;
      },
    );
  }
  return serves;
}

/** Simulates a host of the same prefix with this metadata. Returns a function that stops it. */
function pretendHost(
  { bus }: HostContext,
  prefix: string,
  { servingMs, ...more }: { readonly servingMs: number; readonly cluster?: string },
): () => Promise<void> {
  const metadata = {
    protocol_version: "1.0",
    state: "serving",
    tenants: "*",
    prefix,
    serving_ms: String(servingMs),
    ...more,
  };
  const info = {
    type: "io.nats.micro.v1.info_response",
    name: "membus",
    id: `other-${prefix}`,
    version: "1.0.0",
    metadata,
  };
  const subscription = bus.subscribe(HOSTS_SUBJECT, ({ reply }: BusMessage) => {
    if (reply !== undefined) bus.publish(reply, Buffer.from(JSON.stringify(info)));
  });
  return () => subscription.drain();
}

/** Returns `cluster` of the metadata of each host with this prefix. */
async function clustersOf(t: HostContext, prefix: string): Promise<unknown[]> {
  const answers = await answersOf(t, HOSTS_SUBJECT, ({ metadata }) => recordOf(metadata).prefix === prefix);
  return answers.map(({ metadata }) => recordOf(metadata).cluster);
}

/** Starts a host in the cluster `one`, and returns whether its metadata has the cluster. */
async function startInCluster(t: HostContext): Promise<{ own: OwnHost; isClustered: boolean }> {
  const own = await t.startHost({ plugins: { working: new ScriptedPlugin() }, cluster: "one" });
  const [cluster] = await clustersOf(t, own.prefix);
  return { own, isClustered: cluster === "one" };
}

/** A host without clusters is as any other host, also if it should be in one. */
const clusterChecks: readonly Check[] = [
  hostCheck({
    id: "host-plugins/names-its-cluster",
    clauses: ["DISC-9"],
    provisions: ["own_plugins"],
    async run(t) {
      const { expect } = t;
      const { own } = await startInCluster(t);
      const [named] = await clustersOf(t, own.prefix);
      if (named !== undefined)
        expect.equal(named, "one", "`cluster` of the metadata of a host in the cluster one");
      const other = await t.startHost({ plugins: { working: new ScriptedPlugin() } });
      const found = await clustersOf(t, other.prefix);
      expect.equal(found, [undefined], "`cluster` of the metadata of a host outside a cluster");
    },
  }),
  hostCheck({
    id: "host-plugins/starts-beside-a-host-of-its-cluster",
    clauses: ["DISC-3"],
    provisions: ["own_plugins"],
    async run(t) {
      const { own, isClustered } = await startInCluster(t);
      for (const [cluster, outcome] of [
        ["two", "refused"],
        [undefined, "refused"],
        ["one", isClustered ? "started" : "refused"],
      ] as const) {
        const parts = { prefix: own.prefix, plugins: { working: new ScriptedPlugin() } };
        const started = await outcomeOf(t, { ...parts, ...(cluster && { cluster }) });
        const what = `starting a host of the cluster ${cluster ?? "(none)"} beside one of the cluster one`;
        t.expect.equal(started, outcome, what);
      }
    },
  }),
  hostCheck({
    id: "host-plugins/stops-for-no-host-of-its-cluster",
    clauses: ["DISC-5"],
    provisions: ["own_plugins"],
    async run(t) {
      const { own, isClustered } = await startInCluster(t);
      for (const [cluster, serves] of [
        ["one", isClustered],
        ["two", false],
      ] as const) {
        const withdraw = pretendHost(t, own.prefix, { servingMs: TEN_HOURS_MS, cluster });
        await t.bus.flush();
        await own.passTime(ASKED_WITHIN_SECONDS);
        await own.bus.flush();
        const what = `a host of the cluster one answers a ping, an hour after one of the cluster ${cluster} appeared`;
        t.expect.equal(await servesInTheEnd(own, serves), serves, what);
        await withdraw();
      }
    },
  }),
];

const servingChecks: readonly Check[] = [
  hostCheck({
    id: "host-plugins/stops-for-one-that-has-served-longer",
    clauses: ["DISC-5"],
    provisions: ["own_plugins"],
    async run(t) {
      const own = await t.startHost({ plugins: { working: new ScriptedPlugin() } });
      t.expect.equal(
        await servesInTheEnd(own, true),
        true,
        "a host answers a ping before another one appears",
      );
      for (const [servingMs, serves, which] of [
        [0, true, "that has only just begun to serve"],
        [TEN_HOURS_MS, false, "that has served for ten hours"],
      ] as const) {
        const withdraw = pretendHost(t, own.prefix, { servingMs });
        await t.bus.flush();
        await own.passTime(ASKED_WITHIN_SECONDS);
        await own.bus.flush();
        const what = `a host answers a ping, an hour after one of its prefix appeared ${which}`;
        t.expect.equal(await servesInTheEnd(own, serves), serves, what);
        await withdraw();
      }
    },
  }),
];

export const otherHostsChecks: readonly Check[] = [...servingChecks, ...clusterChecks];
