import type { MemoryEntry } from "@membus/protocol";
import {
  comparePositions,
  type PluginRetrieveRequest,
  type Position,
  positionOf,
} from "@membus/protocol/plugin";
import { type Check, pluginCheck } from "../../../catalogue/check.js";
import type { PluginContext } from "../../../context.js";
import { HERON } from "../../../fixtures/heron-entry.js";

const NONE: PluginRetrieveRequest = {
  filter: { all: [] },
  order: "newest",
  limit: 100,
  max_bytes: 2 ** 20,
  min_score: 0,
  mode: "hybrid",
  include: [],
  as_of: 0,
};

/** Returns the positions of entries, and positions between, before and after them. */
function positionsAround(entries: readonly MemoryEntry[], order: PluginRetrieveRequest["order"]): Position[] {
  const own = entries.map((entry) => positionOf(entry, order));
  const { rank, seq } = own[0]!;
  const hashes = ["0".repeat(64), "f".repeat(64)];
  const ties = own.flatMap((position) => hashes.map((key_hash) => ({ ...position, key_hash })));
  const ranks = own.flatMap((position) => [position.rank * 0.999, position.rank * 1.001]);
  const between = [...ranks, rank * 2, 0].map((other) => ({ ...own[0]!, rank: other, seq }));
  const beforeAndBehind = own.flatMap((position) =>
    [-1, 1].map((step) => ({ ...position, seq: position.seq + step })),
  );
  return [...own, ...ties, ...between, ...beforeAndBehind];
}

/** Expects the entries after each position to be the corresponding part of the whole list. */
async function expectBehind(
  { plugin, scope, expect, now }: PluginContext,
  asked: Partial<PluginRetrieveRequest>,
) {
  const selector = { ...scope(), subtree: false };
  const request = { ...NONE, as_of: now(), ...asked };
  const { order } = request;
  const whole = await plugin.onRetrieve(selector, request);
  const hashes = (entries: readonly MemoryEntry[]) => entries.map(({ key_hash }) => key_hash);
  expect.equal(
    whole.entries.length,
    8,
    `entries of onRetrieve with order ${order} and limit 100, of 8 that match`,
  );
  for (const after of positionsAround(whole.entries, order)) {
    const behind = whole.entries.filter(
      (entry) => comparePositions(after, positionOf(entry, order), order) < 0,
    );
    const { entries, total } = await plugin.onRetrieve(selector, { ...request, after, limit: 3 });
    const what = `of onRetrieve with order ${order}, limit 3 and after ${JSON.stringify(after)}`;
    expect.equal(
      hashes(entries),
      hashes(behind.slice(0, 3)),
      `key hashes ${what}, of 8 entries with ${behind.length} after the position`,
    );
    expect.equal(total, 8, `total ${what}, of 8 entries that match`);
  }
}

export const cursorAfterChecks: readonly Check[] = [
  pluginCheck({
    id: "cursor/after-is-a-place-in-time",
    clauses: ["PLUG-7"],
    async run(t) {
      const times = [100, 200, 200, 200, 300, 400.5, 400.5, 500];
      for (const occurred_at of times) await t.caller.store(t.entry({ occurred_at }));
      await expectBehind(t, { order: "newest" });
      await expectBehind(t, { order: "oldest" });
    },
  }),
  pluginCheck({
    id: "cursor/after-is-a-place-by-score",
    clauses: ["PLUG-7"],
    features: ["full_text"],
    async run(t) {
      const importances = [1, 0.5, 0.5, 0.5, 0.25, 0.75, 0.75, 0.1];
      await t.caller.store(importances.map((importance) => t.entry({ ...HERON, importance })));
      await t.caller.store(t.entry({ content: "a train leaves" }));
      await expectBehind(t, { order: "relevance", query: "heron", mode: "text" });
    },
  }),
];
