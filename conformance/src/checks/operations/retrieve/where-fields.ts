import { type Check, memoryCheck } from "../../../catalogue/check.js";
import { foundIds } from "../../../fixtures/found-ids.js";

export const whereFieldChecks: readonly Check[] = [
  memoryCheck({
    id: "where/trees-nest",
    clauses: ["CRIT-5"],
    async run({ caller, entry, expect }) {
      const pairs = ["ac", "ad", "bc", "bd"];
      await caller.store(pairs.map((id) => entry({ key: { id }, metadata: { m: id[0]!, n: id[1]! } })));
      const m = { field: "metadata.m", op: "eq", value: "a" } as const;
      const n = { field: "metadata.n", op: "eq", value: "c" } as const;
      const expected: [object, string[]][] = [
        [m, ["ac", "ad"]],
        [{ all: [m, n] }, ["ac"]],
        [{ any: [m, n] }, ["ac", "ad", "bc"]],
        [{ not: m }, ["bc", "bd"]],
        [{ not: { any: [m, n] } }, ["bd"]],
        [{ not: { all: [m, n] } }, ["ad", "bc", "bd"]],
        [{ not: { not: m } }, ["ac", "ad"]],
        [{ any: [{ all: [m, { not: n }] }, { all: [{ not: m }, n] }] }, ["ad", "bc"]],
        [{ all: [{ any: [m, n] }, { any: [{ not: m }, { not: n }] }] }, ["ad", "bc"]],
      ];
      for (const [where, ids] of expected) {
        const found = await caller.retrieve({ where: where as never });
        const what = `ids for where ${JSON.stringify(where)}, with the values of m and n as ids`;
        expect.sameMembers(foundIds(found), ids, what);
      }
    },
  }),
  memoryCheck({
    id: "where/every-field-of-an-entry",
    clauses: ["CRIT-16"],
    async run({ caller, entry, expect, passTime }) {
      const one = { source: "s1", group: "g1", importance: 0.25, occurred_at: 100, tags: ["t1"] };
      const two = { source: "s2", group: "g2", importance: 0.75, occurred_at: 200, tags: ["t2"] };
      const second = entry({ ...two, key: { id: 2, n: 2 }, metadata: { n: 2 } });
      await caller.store([entry({ ...one, key: { id: 1, n: 1 }, metadata: { n: 1 } }), second]);
      const { entries } = await caller.retrieve({ keys: [second.key] });
      const stored = entries[0]?.timestamps.created ?? 0;
      await passTime(1);
      await caller.store({ ...second, content: "changed" });
      const expected: [string, string, unknown, number[]][] = [
        ["metadata.n", "eq", 1, [1]],
        ["key.n", "eq", 2, [2]],
        ["tags", "eq", "t1", [1]],
        ["source", "eq", "s2", [2]],
        ["author", "eq", caller.agent, [1, 2]],
        ["author", "ne", caller.agent, []],
        ["group", "eq", "g1", [1]],
        ["importance", "gt", 0.25, [2]],
        ["occurred_at", "lte", 100, [1]],
        ["created", "eq", stored, [1, 2]],
        ["created", "gt", stored, []],
        ["updated", "gt", stored, [2]],
        ["updated", "lte", stored, [1]],
        ["expires_at", "exists", false, [1, 2]],
      ];
      for (const [field, op, value, ids] of expected) {
        const found = await caller.retrieve({ where: { field, op, value } as never });
        const what = `ids for ${field} ${op} ${JSON.stringify(value)}, with entry 2 of two changed a second later`;
        expect.sameMembers(foundIds(found), ids, what);
      }
    },
  }),
  memoryCheck({
    id: "where/expires-at",
    clauses: ["CRIT-16"],
    features: ["ttl"],
    async run({ caller, entry, expect, now }) {
      const soon = Math.floor(now()) + 1_000;
      await caller.store([
        entry({ key: { id: "soon" }, expires_at: soon }),
        entry({ key: { id: "late" }, expires_at: soon + 500.5 }),
        entry({ key: { id: "never" } }),
      ]);
      const expected: [string, unknown, string[]][] = [
        ["exists", true, ["soon", "late"]],
        ["exists", false, ["never"]],
        ["lte", soon, ["soon"]],
        ["gt", soon, ["late"]],
        ["ne", soon, ["late", "never"]],
      ];
      for (const [op, value, ids] of expected) {
        const found = await caller.retrieve({ where: { field: "expires_at", op, value } as never });
        const what = `ids for expires_at ${op} ${value}, of entries that expire at ${soon}, ${soon + 500.5} and never`;
        expect.sameMembers(foundIds(found), ids, what);
      }
    },
  }),
  memoryCheck({
    id: "where/names-are-the-entrys-own",
    clauses: ["CRIT-16", "CRIT-8"],
    async run({ caller, entry, expect }) {
      await caller.store([
        entry({ key: { id: "dotted", "a.b": 1 }, metadata: { "a-b": 1, a_b: 2 } }),
        entry({ key: { id: "nested", a: { b: 1 } }, metadata: { a: "b" } }),
      ]);
      const expected: [object, string[]][] = [
        [{ field: "key.a.b", op: "eq", value: 1 }, ["dotted"]],
        [{ field: "key.a", op: "exists", value: true }, ["nested"]],
        [{ field: "metadata.a-b", op: "eq", value: 1 }, ["dotted"]],
        [{ field: "metadata.a_b", op: "eq", value: 1 }, []],
        [{ field: "metadata.constructor", op: "exists", value: true }, []],
        [{ field: "metadata.toString", op: "exists", value: true }, []],
        [{ field: "key.hasOwnProperty", op: "exists", value: true }, []],
      ];
      for (const [where, ids] of expected) {
        const found = await caller.retrieve({ where: where as never });
        const keys = 'keys {"id": "dotted", "a.b": 1} and {"id": "nested", "a": {"b": 1}}';
        expect.equal(
          foundIds(found),
          ids,
          `ids for where ${JSON.stringify(where)}, of two entries with the ${keys}`,
        );
      }
    },
  }),
];
