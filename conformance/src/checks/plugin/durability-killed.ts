import { type Check, pluginCheck } from "../../catalogue/check.js";
import type { PluginContext } from "../../context.js";
import {
  expectEnds,
  expectGrowth,
  expectIdempotent,
  expectSubtreeForgotten,
  expectWhole,
} from "../../fixtures/life-promises.js";
import type { Moment } from "../../plugin-route/watched-life.js";
import { expectAcknowledged } from "./durability-crash.js";

/** Number of examined moments of one kind: the largest losses, then torn and complete writes. */
const LOSSES_MAX = 4;
const TORN_MAX = 2;
const WHOLE_MAX = 3;

const common = { features: ["durable"], provisions: ["kill", "stop"] } as const;

/** Opens the images of these moments. */
async function afterKills(
  t: PluginContext,
  kinds: readonly Moment["when"][],
  look: (moment: Moment, when: string) => Promise<void>,
): Promise<void> {
  const { moments } = await t.life();
  for (const moment of kinds.flatMap((kind) =>
    mostInformative(moments.filter(({ when }) => when === kind)),
  )) {
    const when = `after a kill ${moment.when}`;
    await t.resume(moment, `that was killed ${moment.when}`);
    await look(moment, when);
  }
}

/** Selects the most informative moments, in chronological order. */
function mostInformative(moments: readonly Moment[]): Moment[] {
  const byLoss = moments.filter(({ lostBytes }) => lostBytes > 0).sort((a, b) => b.lostBytes - a.lostBytes);
  const losses = byLoss.slice(0, LOSSES_MAX);
  const others = moments.filter((moment) => !losses.includes(moment));
  const torn = others.filter(({ isHalfway }) => isHalfway);
  const whole = others.filter(({ isHalfway }) => !isHalfway);
  const chosen = new Set([...losses, ...spread(torn, TORN_MAX), ...spread(whole, WHOLE_MAX)]);
  return moments.filter((moment) => chosen.has(moment));
}

/** Returns `count` items that are evenly distributed from the first to the last. */
function spread<Item>(items: readonly Item[], count: number): Item[] {
  if (items.length <= count) return [...items];
  const step = (items.length - 1) / (count - 1);
  return Array.from({ length: count }, (_, at) => items[Math.round(at * step)]!);
}

/** State after kills during every operation of a plugin. */
export const durabilityKilledChecks: readonly Check[] = [
  pluginCheck({
    id: "durability/kill-in-a-batch-leaves-all-or-nothing",
    clauses: ["PLUG-24", "DUR-1", "DUR-2", "PLUG-13"],
    ...common,
    async run(t) {
      await afterKills(t, ["in a batch"], async (moment, when) => {
        await expectWhole(t, moment, when);
        const repeated = await expectIdempotent(t, moment, when);
        await t.reopen();
        await expectWhole(t, repeated, `after all steps were repeated ${when}, and reopened`);
      });
    },
  }),
  pluginCheck({
    id: "durability/kill-in-maintenance-loses-nothing",
    clauses: ["DUR-1", "DUR-2", "PLUG-13", "ENTRY-13", "FORGET-6"],
    ...common,
    async run(t) {
      await afterKills(t, ["in maintenance"], async (moment, when) => {
        await expectWhole(t, moment, when);
        await expectGrowth(t, moment, when);
      });
    },
  }),
  pluginCheck({
    id: "durability/kill-in-a-forget-brings-nothing-back",
    clauses: ["DUR-2", "FORGET-6", "RETRY-4", "RET-16"],
    ...common,
    async run(t) {
      await afterKills(t, ["in a forget", "right after a forget"], async (moment, when) => {
        await expectIdempotent(t, moment, when);
        await expectEnds(t, moment, when);
      });
    },
  }),
  pluginCheck({
    id: "durability/kill-while-opening-loses-nothing",
    clauses: ["DUR-1", "DUR-2", "PLUG-13", "NS-6"],
    ...common,
    async run(t) {
      const acknowledged = await t.killWhileStoring();
      await afterKills(t, ["while it opens"], async (_, when) => {
        await expectAcknowledged(t, acknowledged, when);
      });
      await afterKills(t, ["while it closes and opens again"], async (moment, when) => {
        await expectSubtreeForgotten(t, moment, when);
      });
    },
  }),
];
