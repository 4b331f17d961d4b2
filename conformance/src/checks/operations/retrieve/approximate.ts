import type { MemoryEntry } from "@membus/protocol";
import { type Check, hostCheck, memoryCheck } from "../../../catalogue/check.js";
import { foundIds } from "../../../fixtures/found-ids.js";
import { vectorAt } from "../../../fixtures/vector-at.js";
import { ScriptedPlugin } from "../../../host-route/scripted-plugin.js";

const COUNT = 300;
/** Degrees of the entry vectors, in a mixed order. None is as near to 0 as another. */
const DEGREES = Array.from({ length: COUNT }, (_, at) => (((at * 7) % COUNT) * 60) / COUNT);
const NEAREST = DEGREES.toSorted((a, b) => a - b);
const LIMIT = 20;

const scoresOf = (entries: readonly MemoryEntry[]) =>
  new Map(entries.map(({ key, score }) => [JSON.stringify(key), score]));

export const approximateChecks: readonly Check[] = [
  memoryCheck({
    id: "similarity/exact-misses-none",
    clauses: ["RET-50"],
    features: ["similarity"],
    async run({ caller, entry, expect, embedder }) {
      const entries = DEGREES.map((id) => entry({ key: { id }, ...vectorAt(embedder, id) }));
      await caller.store(entries);
      const request = { ...vectorAt(embedder, 0), mode: "vector", exact: true, limit: LIMIT } as const;
      const found = await caller.retrieve(request);
      const what = `of the first ${LIMIT} of ${COUNT} entries with vectors from 0 to 60 degrees, for an embedding at 0 with \`exact\``;
      expect.equal(foundIds(found), NEAREST.slice(0, LIMIT), `degrees ${what}`);
      expect.equal([found.total, found.total_relation], [COUNT, "eq"], `total ${what}`);
      expect.equal(found.approximate, undefined, `\`approximate\` ${what}`);
    },
  }),
  memoryCheck({
    id: "similarity/says-that-it-may-have-missed-some",
    clauses: ["RET-49", "RET-51"],
    features: ["similarity"],
    async run({ caller, entry, expect, embedder, features, tier }) {
      await caller.store(DEGREES.map((id) => entry({ key: { id }, ...vectorAt(embedder, id) })));
      const request = { ...vectorAt(embedder, 0), mode: "vector" } as const;
      const exact = await caller.retrieve({ ...request, exact: true, limit: COUNT });
      const found = await caller.retrieve({ ...request, limit: LIMIT });
      const { approximate, total_relation } = found;
      const what = `of the first ${LIMIT} of ${COUNT} entries with vectors from 0 to 60 degrees, for an embedding at 0`;
      const scores = scoresOf(exact.entries);
      for (const { key, score } of found.entries) {
        const name = JSON.stringify(key);
        expect.equal(score, scores.get(name), `score of ${name}, as with \`exact\`, ${what}`);
      }
      if (approximate === undefined) {
        expect.equal(foundIds(found), NEAREST.slice(0, LIMIT), `degrees, without \`approximate\`, ${what}`);
        return;
      }
      expect.equal(approximate, [tier], `\`approximate\` ${what}`);
      expect.equal(
        features.approximate,
        true,
        `whether the tier declares \`approximate\`, which it is, ${what}`,
      );
      expect.equal(total_relation, "gte", `total_relation of an approximate reply, ${what}`);
    },
  }),
  hostCheck({
    id: "host-plugins/approximate-tiers-are-named",
    clauses: ["RET-49", "RET-50"],
    provisions: ["own_plugins"],
    async run({ startHost, expect }) {
      const [always, searching] = [new ScriptedPlugin({}), new ScriptedPlugin({ approximate: true })];
      const asked: Record<string, unknown> = {};
      always.script.onRetrieve = async (usual, request) => {
        asked.working = request.exact;
        return usual();
      };
      searching.script.onRetrieve = async (usual, request) => {
        asked.episodic = request.exact;
        const page = await usual();
        return request.exact ? page : { ...page, total_relation: "gte", approximate: true };
      };
      const { caller, entry } = await startHost({ plugins: { working: always, episodic: searching } });
      await caller.store([entry({ tier: "working" }), entry({ tier: "episodic" })]);
      const what = "of a retrieve of two tiers, where only the episodic one searches an index";
      const found = await caller.retrieve({ tier: null });
      expect.equal(found.approximate, ["episodic"], `\`approximate\` ${what}`);
      expect.equal(found.total_relation, "gte", `total_relation ${what}`);
      expect.equal(
        asked,
        { working: undefined, episodic: undefined },
        `\`exact\` in the requests to the plugins ${what}`,
      );
      const exact = await caller.retrieve({ tier: null, exact: true });
      expect.equal(exact.approximate, undefined, `\`approximate\` with \`exact\`, ${what}`);
      expect.equal(
        [exact.entries.length, exact.total_relation],
        [2, "eq"],
        `entries and total_relation with \`exact\`, ${what}`,
      );
      expect.equal(
        asked,
        { working: undefined, episodic: true },
        `\`exact\` in the requests to the plugins with \`exact\`, ${what}`,
      );
    },
  }),
];
