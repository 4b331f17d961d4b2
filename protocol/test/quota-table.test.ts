import { describe, expect, it } from "vitest";
import { option, optionSet, parseOptions, QuotaTable, quotaOptions } from "../src/index.js";

interface Shelf {
  readonly books: number;
  readonly metres?: number | undefined;
}

const SHELVES = quotaOptions(
  optionSet({ books: option.integer(1, 100).optional(), metres: option.integer(1, 10).optional() }),
);

function tableOf(quotas: object): QuotaTable<Shelf> {
  return new QuotaTable<Shelf>(parseOptions(SHELVES, quotas), { agent: { books: 7 }, tenant: { books: 70 } });
}

describe("QuotaTable", () => {
  it("returns default quotas of agents and tenants", () => {
    const table = tableOf({ agent: { metres: 3 } });
    expect(table.forAgent("acme", "alice")).toEqual({ books: 7, metres: 3 });
    expect(table.forTenant("acme")).toEqual({ books: 70 });
  });

  it("treats an undefined field as absent", () => {
    const table = tableOf({ agent: { books: undefined }, tenants: { acme: { books: undefined } } });
    expect(table.forAgent("acme", "alice").books).toBe(7);
    expect(table.forTenant("acme").books).toBe(70);
  });

  it("replaces a general quota by a named quota as a whole", () => {
    const agents = { "acme.alice": { books: 9 } };
    const table = tableOf({ agent: { metres: 3 }, agents, tenants: { acme: { metres: 1 } } });
    expect(table.forAgent("acme", "alice")).toEqual({ books: 9 });
    expect(table.forAgent("other", "alice")).toEqual({ books: 7, metres: 3 });
    expect([table.forTenant("acme"), table.forTenant("other")]).toEqual([
      { books: 70, metres: 1 },
      { books: 70 },
    ]);
  });

  it.each([
    [{ agnet: {} }, "unknown option `agnet` (did you mean `agent`?)"],
    [{ agent: 5 }, "agent must be an object"],
    [{ agents: { "a.b": 5 } }, 'agents["a.b"] must be an object'],
    [{ agents: { alice: {} } }, "agents.alice must be named <tenant>.<agent>"],
    [{ tenants: { "acme.alice": {} } }, 'tenants["acme.alice"] must be named by a tenant, without a dot'],
    [{ tenants: { acme: { book: 1 } } }, "tenants.acme: unknown option `book` (did you mean `books`?)"],
    [{ tenant: { metres: 11 } }, "tenant.metres must be an integer of 1..10, got 11"],
  ])("rejects invalid quotas with their path: %j", (quotas, message) => {
    expect(() => tableOf(quotas)).toThrow(message);
  });
});
