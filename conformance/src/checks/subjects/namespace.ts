import { type Check, memoryCheck } from "../../catalogue/check.js";
import { foundIds } from "../../fixtures/found-ids.js";
import { inBatches } from "../../fixtures/in-batches.js";
import { LIKE_NAMES } from "../../fixtures/like-names.js";
import { namespaceHostChecks } from "./namespace-host.js";

/** Names that faulty code treats as equal, or as special values. */
const LOOKALIKES = [
  "a",
  "A",
  "a ",
  " a",
  "ä",
  "a\u0308",
  "a.b",
  "..",
  ".",
  "%",
  "_",
  "a'b",
  'a"b',
  "a\\b",
  "user:a",
  "日本",
  ">",
];

const memoryChecks: readonly Check[] = [
  memoryCheck({
    id: "namespace/names-are-kept-apart",
    clauses: ["NS-1", "NS-2"],
    async run({ caller, entry, expect }) {
      const key = { id: "same in all" };
      const paths = LOOKALIKES.map((name) => `${caller.namespace}/${name}`);
      for (const namespace of paths) await caller.store(entry({ key, content: namespace }), { namespace });
      for (const namespace of paths) {
        const { entries, total } = await caller.retrieve({ namespace });
        const what = `a retrieve in the namespace ${JSON.stringify(namespace)}, with the same key stored in ${paths.length} namespaces`;
        expect.equal(
          entries.map(({ content }) => content),
          [namespace],
          `contents of ${what}`,
        );
        expect.equal(
          entries.map((found) => found.namespace),
          [namespace],
          `namespaces in the entries of ${what}`,
        );
        expect.equal(total, 1, `total of ${what}`);
      }
    },
  }),
  memoryCheck({
    id: "namespace/one-is-not-its-subtree",
    clauses: ["NS-2"],
    async run({ caller, entry, expect, agent }) {
      const below = agent({ below: "a" });
      await caller.store(entry({ key: { id: "above" } }));
      await below.store(entry({ key: { id: "below" } }));
      expect.equal(
        foundIds(await caller.retrieve()),
        ["above"],
        "entries of a namespace that has one below it",
      );
      expect.equal(
        foundIds(await below.retrieve()),
        ["below"],
        "entries of a namespace that has one above it",
      );
      const { deleted } = await caller.forget({ all: true });
      expect.equal(deleted, 1, "`deleted` of a forget of everything in a namespace that has one below it");
      expect.equal(
        foundIds(await below.retrieve()),
        ["below"],
        "entries below a namespace that was forgotten",
      );
    },
  }),
  memoryCheck({
    id: "namespace/subtree-holds-itself-and-below",
    clauses: ["NS-6"],
    features: ["subtree"],
    async run({ caller, entry, expect }) {
      const names = [
        "a_b",
        "a_b/c",
        "a_b/c/d",
        "a_bc",
        "a_b.c",
        "a_b-c/d",
        "axb",
        "axb/c",
        "A_b/c",
        "a",
        "x/a_b",
        "a_b\\c",
      ];
      for (const id of names)
        await caller.store(entry({ key: { id } }), { namespace: `${caller.namespace}/${id}` });
      const read = async (name: string) =>
        foundIds(await caller.retrieve({ namespace: `${caller.namespace}/${name}`, limit: 50 }));
      const what = `with an entry in each of ${names.join(", ")}`;
      expect.sameMembers(
        await read("a_b/**"),
        ["a_b", "a_b/c", "a_b/c/d"],
        `namespaces that a read of a_b/** finds, ${what}`,
      );
      expect.sameMembers(
        await read("a_b/c/**"),
        ["a_b/c", "a_b/c/d"],
        `namespaces that a read of a_b/c/** finds, ${what}`,
      );
      expect.sameMembers(await read("x/**"), ["x/a_b"], `namespaces that a read of x/** finds, ${what}`);
      expect.sameMembers(await read("a_b"), ["a_b"], `namespaces that a read of only a_b finds, ${what}`);
    },
  }),
  memoryCheck({
    id: "namespace/subtree-read-of-256-partitions",
    clauses: ["NS-4"],
    features: ["subtree"],
    // Other checks read all namespaces, and one request covers a limited number of them.
    turn: "alone",
    async run({ caller, entry, expect }) {
      const path = (name: string) => `${caller.namespace}/${name}`;
      const paths = Array.from({ length: 256 }, (_, at) => path(`${at % 2}/${at}`));
      await inBatches(paths, (namespace) => caller.store(entry(), { namespace }));
      const { total } = await caller.retrieve({ namespace: path("**"), limit: 1 });
      expect.equal(total, 256, "total of a read of a subtree with an entry in each of 256 namespaces");
      await caller.store(entry(), { namespace: path("0/one more") });
      const request = caller.retrieve({ namespace: path("**"), limit: 1 });
      const what = "a read of a subtree with an entry in each of 257 namespaces";
      const { detail } = await expect.refused(request, "too_large", what);
      expect.equal([detail.max, detail.got], [256, 257], `\`max\` and \`got\` in the error of ${what}`);
      const half = await caller.retrieve({ namespace: path("1/**"), limit: 1 });
      expect.equal(half.total, 128, "total of a read of a part of it that has 128 namespaces");
    },
  }),
  memoryCheck({
    id: "namespace/forget-of-a-subtree-reaches-all",
    clauses: ["NS-8", "NS-6"],
    features: ["subtree"],
    // Other checks read all namespaces, and one request covers a limited number of them.
    turn: "alone",
    async run({ caller, entry, expect }) {
      const path = (name: string) => `${caller.namespace}/${name}`;
      const paths = Array.from({ length: 260 }, (_, at) => path(`a/${at % 3}/${at}`));
      await inBatches([path("a"), ...paths], (namespace) => caller.store(entry(), { namespace }));
      await inBatches([path("ab"), path("ab/0"), path("b/a/0")], (namespace) =>
        caller.store(entry(), { namespace }),
      );
      const { deleted } = await caller.forget({ namespace: path("a/**"), all: true, deadline_ms: 14_000 });
      expect.equal(
        deleted,
        261,
        "`deleted` of a forget of a/**, with an entry in a and in each of 260 namespaces below it",
      );
      for (const part of ["a", "a/0/**", "a/1/**", "a/2/**"]) {
        const { total } = await caller.retrieve({ namespace: path(part) });
        expect.equal(total, 0, `total of a read of ${part} after a forget of a/** was answered`);
      }
      for (const kept of ["ab", "ab/0", "b/a/0"]) {
        const { total } = await caller.retrieve({ namespace: path(kept) });
        expect.equal(
          total,
          1,
          `total of a read of ${kept} after a forget of a/**, which does not contain it`,
        );
      }
    },
  }),
  memoryCheck({
    id: "namespace/forget-of-a-subtree-leaves-like-names",
    clauses: ["NS-6", "FORGET-1", "SCOPE-5"],
    features: ["subtree"],
    async run({ caller, agent, entry, expect, tier }) {
      const names = [...LIKE_NAMES, ...LIKE_NAMES.map((name) => `${name}/x`), "b_b/x/y"];
      const path = (name: string) => `${caller.namespace}/${name}`;
      const others = tier === "semantic" ? [] : [agent({ named: { agent: `${caller.agent}2` } })];
      await inBatches(others, (other) =>
        other.store(entry({ key: { of: "b_b" } }), { namespace: path("b_b") }),
      );
      await inBatches(names, (of) => caller.store(entry({ key: { of } }), { namespace: path(of) }));
      const removed = new Set<string>();
      for (const name of ["b_b", "bob", "%", "_", "b%b", ".", "1", "zo\u00eb", "zoe", "con"]) {
        const below = names.filter(
          (one) => !removed.has(one) && (one === name || one.startsWith(`${name}/`)),
        );
        const { deleted } = await caller.forget({ namespace: path(`${name}/**`), all: true });
        expect.equal(
          deleted,
          below.length,
          `\`deleted\` of a forget of ${name}/**, with similar names present`,
        );
        for (const one of below) removed.add(one);
      }
      const left = names.filter((name) => !removed.has(name));
      await inBatches(left, async (of) => {
        const { entries } = await caller.retrieve({ namespace: path(of) });
        expect.equal(
          foundIdsOf(entries),
          [of],
          `entries left in ${of} after forgets of subtrees with similar names`,
        );
      });
      for (const other of others) {
        const { total } = await other.retrieve({ namespace: path("b_b") });
        expect.equal(total, 1, `total of ${other.agent} after ${caller.agent} forgot the same subtree`);
      }
    },
  }),
];

function foundIdsOf(entries: readonly { readonly key: Readonly<Record<string, unknown>> }[]): unknown[] {
  return entries.map(({ key }) => key.of);
}

export const namespaceChecks: readonly Check[] = [...memoryChecks, ...namespaceHostChecks];
