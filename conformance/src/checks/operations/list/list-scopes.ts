import { type Check, hostCheck, memoryCheck, pluginCheck } from "../../../catalogue/check.js";
import type { MemoryContext } from "../../../context.js";
import { inBatches } from "../../../fixtures/in-batches.js";
import { valueCounts } from "../../../fixtures/listed.js";
import type { MemoryAgent } from "../../../memory-agent.js";

/**
 * Namespaces below the check's namespace that faulty code confuses: ab is not below a, and A differs from a.
 */
const NAMES = ["a", "a/b", "a/b/c", "a/B", "a/b c", "a/ä", "a/a\u0308", "a/%", "ab", "ab/c", "A/b"];

/**
 * Stores the same values for two agents. Each list must contain only the agent's values, and `**` only its
 * namespaces.
 */
async function expectApart(
  { entry, expect, features, random }: MemoryContext,
  [one, first]: readonly [string, MemoryAgent],
  [other, second]: readonly [string, MemoryAgent],
): Promise<void> {
  const tag = random.hex(16);
  await first.store([entry({ tags: [tag, "one"] }), entry({ tags: [tag] })]);
  await second.store(entry({ tags: [tag, "other"] }));
  for (const [who, agent, own] of [
    [
      one,
      first,
      [
        ["one", 1],
        [tag, 2],
      ],
    ],
    [
      other,
      second,
      [
        ["other", 1],
        [tag, 1],
      ],
    ],
  ] as const) {
    const tags = valueCounts(await agent.list({ field: "tags" }));
    expect.sameMembers(tags, own, `tags and counts listed for ${who}`);
    const spaces = await agent.list({ tags: [tag], ...(features.subtree && { namespace: "**" }) });
    const count = own[1]![1] as number;
    expect.equal(valueCounts(spaces), [[agent.namespace, count]], `namespaces and counts listed for ${who}`);
  }
}

export const listScopeChecks: readonly Check[] = [
  memoryCheck({
    id: "list/agents-are-apart",
    clauses: ["LIST-3", "LIST-7", "SCOPE-5"],
    features: ["list"],
    tiers: ["working", "episodic"],
    async run(t) {
      await expectApart(t, ["the first agent", t.caller], ["the second agent", t.agent({ agent: "second" })]);
    },
  }),
  memoryCheck({
    id: "list/tenants-are-apart",
    clauses: ["LIST-3", "LIST-7", "SCOPE-5"],
    features: ["list"],
    provisions: ["second_tenant"],
    async run(t) {
      const second = t.agent({ tenant: "second" });
      await expectApart(t, ["the first tenant's agent", t.caller], ["the second tenant's agent", second]);
    },
  }),
  memoryCheck({
    id: "list/sessions-are-apart",
    clauses: ["LIST-3", "LIST-7", "SCOPE-2"],
    features: ["list"],
    tiers: ["working"],
    async run(t) {
      const [one, other] = [t.agent({ session: "one" }), t.agent({ session: "other" })];
      await expectApart(t, ["one session", one], ["the other session", other]);
    },
  }),
  memoryCheck({
    id: "list/shared-entries-count-for-all",
    clauses: ["LIST-3", "SCOPE-4"],
    features: ["list", "shared"],
    async run({ caller, agent, entry, expect }) {
      const second = agent({ agent: "second" });
      await caller.store(entry({ tags: ["a"] }));
      await second.store(entry({ tags: ["a", "b"] }));
      for (const one of [caller, second]) {
        const tags = valueCounts(await one.list({ field: "tags" }));
        expect.equal(
          tags,
          [
            ["a", 2],
            ["b", 1],
          ],
          `tags and counts of a shared tier listed for ${one.agent}`,
        );
      }
      const authors = valueCounts(await caller.list({ field: "author" }));
      expect.sameMembers(
        authors,
        [
          [caller.agent, 1],
          [second.agent, 1],
        ],
        "authors and counts of a shared tier",
      );
    },
  }),
  memoryCheck({
    id: "list/one-namespace-is-not-another",
    clauses: ["LIST-1", "NS-2"],
    features: ["list"],
    async run({ caller, agent, entry, expect }) {
      const below = agent({ below: "a" });
      await caller.store(entry({ tags: ["above"] }));
      await below.store(entry({ tags: ["below"] }));
      for (const [one, tag] of [
        [caller, "above"],
        [below, "below"],
      ] as const) {
        const tags = valueCounts(await one.list({ field: "tags" }));
        expect.equal(tags, [[tag, 1]], `tags and counts of the namespace ${tag} another`);
        const spaces = valueCounts(await one.list());
        expect.equal(
          spaces,
          [[one.namespace, 1]],
          `namespaces of a list of only the namespace ${tag} another`,
        );
      }
    },
  }),
  memoryCheck({
    id: "list/namespaces-of-a-subtree",
    clauses: ["LIST-1", "LIST-6", "NS-6", "PLUG-20"],
    features: ["list", "subtree"],
    async run({ caller, entry, expect }) {
      const own = caller.namespace;
      const path = (name: string) => `${own}/${name}`;
      for (const name of NAMES)
        await caller.store(entry({ key: { name }, tags: ["t"] }), { namespace: path(name) });
      await caller.store(entry({ tags: ["u"] }), { namespace: path("a/b") });
      const below = async (namespace: string, tag: string) =>
        valueCounts(await caller.list({ namespace: path(namespace), tags: [tag] }));
      const ofA = NAMES.filter((name) => name === "a" || name.startsWith("a/"));
      const what = `with entries in ${NAMES.join(", ")}`;
      expect.sameMembers(
        await below("a/**", "t"),
        ofA.map((name) => [path(name), 1]),
        `namespaces of a list of a/**, ${what}`,
      );
      expect.equal(
        await below("a/**", "u"),
        [[path("a/b"), 1]],
        "namespaces where one entry meets the criteria",
      );
      expect.equal(await below("nothing/**", "t"), [], "namespaces below an empty one");
      const tags = valueCounts(await caller.list({ namespace: path("a/**"), field: "tags" }));
      expect.equal(
        tags,
        [
          ["t", ofA.length],
          ["u", 1],
        ],
        `tags and counts of a list of a/**, ${what}`,
      );
      await caller.forget({ namespace: path("a/b/**"), all: true });
      const left = ofA.filter((name) => name !== "a/b" && name !== "a/b/c").map((name) => [path(name), 1]);
      expect.sameMembers(
        await below("a/**", "t"),
        left,
        "namespaces of a list of a/** after a forget of a/b/**",
      );
    },
  }),
  memoryCheck({
    id: "list/all-namespaces",
    clauses: ["LIST-7"],
    features: ["list", "subtree"],
    // Other checks may create more namespaces than one request covers.
    turn: "alone",
    async run({ caller, agent, entry, expect, random }) {
      const [tag, below] = [random.hex(16), agent({ below: "x" })];
      for (const one of [caller, below]) await one.store(entry({ tags: [tag] }));
      const spaces = valueCounts(await caller.list({ namespace: "**", tags: [tag] }));
      const expected = [
        [caller.namespace, 1],
        [below.namespace, 1],
      ];
      expect.equal(spaces, expected, "namespaces of a list of **, of two entries in separate namespaces");
      const tags = valueCounts(await caller.list({ namespace: "**", tags: [tag], field: "tags" }));
      expect.equal(tags, [[tag, 2]], "tags and counts of a list of **");
    },
  }),
  memoryCheck({
    id: "list/subtree-of-256-partitions",
    clauses: ["LIST-12"],
    features: ["list", "subtree"],
    async run({ caller, entry, expect }) {
      const path = (name: string) => `${caller.namespace}/${name}`;
      const paths = Array.from({ length: 256 }, (_, at) => path(`${at}`));
      await inBatches(paths, (namespace) => caller.store(entry({ tags: ["t"] }), { namespace }));
      for (const request of [{}, { field: "tags" }]) {
        const { items } = await caller.list({ ...request, namespace: path("**"), limit: 1_000 });
        const count = items.reduce((sum, item) => sum + item.count, 0);
        expect.equal(
          count,
          256,
          `entries that a list with ${JSON.stringify(request)} of 256 namespaces counts`,
        );
      }
      await caller.store(entry({ tags: ["t"] }), { namespace: path("one more") });
      for (const request of [{}, { field: "tags" }]) {
        const what = `a list with ${JSON.stringify(request)} of 257 namespaces`;
        const { detail } = await expect.refused(
          caller.list({ ...request, namespace: path("**") }),
          "too_large",
          what,
        );
        expect.equal([detail.max, detail.got], [256, 257], `\`max\` and \`got\` in the error of ${what}`);
      }
    },
  }),
  pluginCheck({
    id: "list/no-more-values-than-asked-for",
    clauses: ["PLUG-20"],
    features: ["list"],
    async run({ caller, entry, plugin, scope, expect }) {
      await caller.store(["a", "b", "c"].map((group) => entry({ group })));
      const onList = (values_max: number) =>
        plugin.onList!({ ...scope(), subtree: false }, { filter: { all: [] }, field: "group", values_max });
      const { items } = await onList(3);
      expect.equal(items.length, 3, "items of onList with values_max 3, of 3 groups");
      await expect.refused(onList(2), "too_large", "onList with values_max 2, of 3 groups");
    },
  }),
  hostCheck({
    id: "list/all-namespaces-are-for-lists-alone",
    clauses: ["LIST-7"],
    features: ["list"],
    async run({ caller, entry, expect }) {
      const calls = {
        "a store in": () => caller.store(entry(), { namespace: "**" }),
        "a retrieve of": () => caller.retrieve({ namespace: "**" }),
        "a forget of": () => caller.forget({ namespace: "**", tags: ["no entry has it"] }),
      };
      for (const [what, call] of Object.entries(calls)) {
        const { detail } = await expect.refused(call(), "schema_violation", `${what} **`);
        expect.equal(detail.path, "namespace", `\`path\` in the error of ${what} **`);
      }
      for (const namespace of ["*", "/**", `${caller.namespace}/*`, `${caller.namespace}**`, "**/a", "***"]) {
        await expect.refused(caller.list({ namespace }), "schema_violation", `a list of ${namespace}`);
      }
    },
  }),
];
