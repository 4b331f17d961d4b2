import type { Feature } from "@membus/protocol/plugin";
import { type Check, hostCheck, hostTierCheck } from "../../../catalogue/check.js";
import { foundIds } from "../../../fixtures/found-ids.js";
import { HERON } from "../../../fixtures/heron-entry.js";
import { ScriptedPlugin } from "../../../host-route/scripted-plugin.js";
import type { RetrieveInput } from "../../../memory-agent.js";

/** Requests for each feature. They would find entries if the feature were ignored. */
const DEMANDS = {
  fields: { fields: ["text"] },
  recency: { recency: { half_life_s: 60 } },
  diversity: { query: "heron", diversity: 0.5 },
  expand: { expand: { before: 1 } },
  explain: { explain: true },
  rerank: { query: "heron", rerank: true },
  snippet: { include: ["snippet"] },
} as const satisfies Partial<Record<Feature, RetrieveInput>>;

type Steering = keyof typeof DEMANDS;

/** Returns a check that an undeclared steering feature is refused and not ignored. */
function refusedWhereUndeclared(feature: Steering): Check {
  return hostTierCheck({
    id: `${feature}/refused-when-undeclared`,
    clauses: [feature === "snippet" ? "RET-47" : "RET-22", "PLUG-4"],
    withoutFeature: feature,
    async run({ caller, entry, expect, tier }) {
      await caller.store(entry({ ...HERON, key: { id: "there" } }));
      const request = { ...DEMANDS[feature], tier };
      const what = `a retrieve with ${JSON.stringify(DEMANDS[feature])}, without ${feature} declared`;
      await expect.refused(caller.retrieve(request), "unsupported", what);
      expect.equal(foundIds(await caller.retrieve()), ["there"], "entries of a listing afterwards");
    },
  });
}

/** Returns a check that the feature gives a single page without a cursor, and only for ranked results. */
function givesOnePage(feature: "diversity" | "rerank"): Check {
  const demand = feature === "diversity" ? { diversity: 0.5 } : { rerank: true };
  return hostTierCheck({
    id: `${feature}/gives-one-page`,
    clauses: ["RET-27", "RET-7"],
    features: [feature, "full_text"],
    async run({ caller, entry, expect }) {
      const ids = [1, 0.9, 0.8, 0.7, 0.6];
      await caller.store(ids.map((id) => entry({ key: { id }, content: `heron ${id}`, importance: id })));
      const asked = { query: "heron", mode: "text", limit: 2 } as const;
      const plain = await caller.retrieve(asked);
      expect.holds(plain.cursor !== undefined, "cursor of the first 2 of 5 entries", plain.cursor, "one");
      const chosen = await caller.retrieve({ ...asked, ...demand });
      const what = `of a page of 2 of 5 entries with ${JSON.stringify(demand)}`;
      expect.equal(chosen.entries.length, 2, `entries ${what}`);
      expect.equal(chosen.cursor, undefined, `cursor ${what}`);
      const continued = caller.retrieve({ ...asked, ...demand, cursor: plain.cursor! });
      await expect.refused(continued, "schema_violation", `a retrieve with a cursor and ${feature}`);
    },
  });
}

function needsARanking(feature: "diversity" | "rerank", wrong: readonly RetrieveInput[]): Check {
  return hostTierCheck({
    id: `${feature}/needs-a-ranking`,
    clauses: ["RET-28"],
    features: [feature, "full_text"],
    async run({ caller, entry, expect }) {
      await caller.store(entry({ ...HERON, key: { id: "there" } }));
      for (const request of wrong) {
        const what = `a retrieve with ${JSON.stringify(request)}`;
        await expect.refused(caller.retrieve(request), "schema_violation", what);
      }
    },
  });
}

const orders = ["newest", "oldest"] as const;

export const steeringRefusedChecks: readonly Check[] = [
  ...(Object.keys(DEMANDS) as Steering[]).map(refusedWhereUndeclared),
  givesOnePage("diversity"),
  givesOnePage("rerank"),
  needsARanking("diversity", [
    { diversity: 0.5 },
    ...orders.map((order) => ({ query: "heron", diversity: 0.5, order })),
  ]),
  needsARanking("rerank", [
    { rerank: true },
    ...orders.map((order) => ({ query: "heron", rerank: true, order })),
  ]),
  hostCheck({
    id: "host-plugins/tiers-that-cannot-be-steered-are-named",
    clauses: ["RET-22"],
    provisions: ["own_plugins"],
    async run({ startHost, expect }) {
      const [unsupporting, offering] = [new ScriptedPlugin({}), new ScriptedPlugin({ recency: true })];
      const { caller, entry } = await startHost({ plugins: { working: unsupporting, episodic: offering } });
      await caller.store([entry({ tier: "working" }), entry({ tier: "episodic" })]);
      const recency = { half_life_s: 60 };
      const { entries, degraded = [] } = await caller.retrieve({ tier: null, recency });
      const what = "of a retrieve of two tiers with `recency`, declared only by the episodic tier";
      expect.equal(
        entries.map(({ tier }) => tier),
        ["episodic"],
        `tiers of the entries ${what}`,
      );
      expect.equal(
        degraded.map(({ tier, code }) => ({ tier, code })),
        [{ tier: "working", code: "unsupported" }],
        `tier and code in \`degraded\` ${what}`,
      );
      const named = caller.retrieve({ tier: "working", recency });
      await expect.refused(named, "unsupported", "a retrieve of the working tier with `recency`");
    },
  }),
];
