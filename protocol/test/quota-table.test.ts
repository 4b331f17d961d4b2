import { describe, expect, it } from "vitest";
import { integerOption, optionalOption, type QuotaOptions, QuotaTable } from "../src/index.js";

interface Shelf {
  readonly books: number;
  readonly metres?: number | undefined;
}

function tableOf(quotas: QuotaOptions<Partial<Shelf>>) {
  return new QuotaTable<Shelf>(quotas, {
    name: "shelves",
    rules: { books: integerOption(1, 100), metres: optionalOption(integerOption(1, 10)) },
    agent: { books: 7 },
    tenant: { books: 70 },
  });
}

describe("QuotaTable", () => {
  it("returns default quotas of agents and tenants", () => {
    const book = tableOf({ agent: { metres: 3 } });
    expect(book.forAgent("acme", "alice")).toEqual({ books: 7, metres: 3 });
    expect(book.forTenant("acme")).toEqual({ books: 70 });
  });

  it("replaces a general quota by a named quota as a whole", () => {
    const agents = { "acme.alice": { books: 9 } };
    const book = tableOf({ agent: { metres: 3 }, agents, tenants: { acme: { metres: 1 } } });
    expect(book.forAgent("acme", "alice")).toEqual({ books: 9 });
    expect(book.forAgent("other", "alice")).toEqual({ books: 7, metres: 3 });
    expect([book.forTenant("acme"), book.forTenant("other")]).toEqual([
      { books: 70, metres: 1 },
      { books: 70 },
    ]);
  });

  it.each([
    [{ agnet: {} }, "shelves: unknown option `agnet` (did you mean `agent`?)"],
    [{ agent: 5 }, "shelves: agent must be an object"],
    [{ agents: { "a.b": 5 } }, "shelves.agents.a.b must be an object"],
    [{ agents: { alice: {} } }, "shelves.agents.alice: an agent must be named <tenant>.<agent>"],
    [{ tenants: { "acme.alice": {} } }, "shelves.tenants.acme.alice: a tenant name must not contain a dot"],
    [
      { tenants: { acme: { book: 1 } } },
      "shelves.tenants.acme: unknown option `book` (did you mean `books`?)",
    ],
    [{ tenant: { metres: 11 } }, "shelves.tenant: metres must be an integer of 1..10, got 11"],
  ])("rejects invalid quotas with their path: %j", (quotas, message) => {
    expect(() => tableOf(quotas as never)).toThrow(message);
  });
});
