import type { Storage } from "@membus/plugin-kit";
import { parseScopeId, type Scope, scopeId } from "@membus/protocol";
import fc from "fast-check";
import { afterEach, describe, expect, it } from "vitest";
import { episodic, loadIds, makeRow, StorageFixture, scoped } from "./storage-fixture.js";

const fixture = new StorageFixture();
afterEach(() => fixture.end());

const SCOPES: readonly Scope[] = [
  episodic("acme", "alice"),
  episodic("acme", "alice", "it's"),
  episodic("acme", "bob"),
  episodic("Acme", "alice"),
  { tier: "semantic", tenant: "beta", namespace: "a/b" },
];

/** Model of a storage: row ids by scope id. */
type Model = Map<string, Set<number>>;

type Step =
  | { readonly do: "append"; readonly scopes: readonly number[] }
  | { readonly do: "remove"; readonly picks: readonly number[] }
  | { readonly do: "removeFrom"; readonly pick: number; readonly scopes: readonly number[] }
  | { readonly do: "maintain"; readonly purge: boolean }
  | { readonly do: "sync" }
  | { readonly do: "reopen" };

const scopeIndex = fc.nat(SCOPES.length - 1);
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constant("append" as const),
      scopes: fc.array(scopeIndex, { maxLength: 12 }),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant("remove" as const),
      picks: fc.array(fc.nat(200), { maxLength: 8 }),
    }),
  },
  fc.record({
    do: fc.constant("removeFrom" as const),
    pick: fc.nat(200),
    scopes: fc.uniqueArray(scopeIndex, { maxLength: 3 }),
  }),
  { weight: 2, arbitrary: fc.record({ do: fc.constant("maintain" as const), purge: fc.boolean() }) },
  fc.record({ do: fc.constant("sync" as const) }),
  fc.record({ do: fc.constant("reopen" as const) }),
);

class Run {
  readonly #model: Model = new Map(SCOPES.map((scope) => [scopeId(scope), new Set()]));
  #nextId = 1;

  constructor(
    public storage: Storage,
    readonly directory: string,
  ) {}

  async take(next: Step): Promise<void> {
    if (next.do === "append") await this.#append(next.scopes);
    else if (next.do === "remove") await this.#remove(next.picks);
    else if (next.do === "removeFrom") await this.#removeFrom(next.pick, next.scopes);
    else if (next.do === "maintain") await this.storage.maintain({ purge: next.purge });
    else if (next.do === "sync") await this.storage.sync();
    else
      this.storage = await fixture.reopen(this.storage, this.directory, {
        openTablesMax: 2,
        fragmentsMax: 3,
      });
  }

  async check(): Promise<void> {
    for (const scope of SCOPES) {
      const ids = [...this.#model.get(scopeId(scope))!];
      expect(await loadIds(this.storage, scope)).toEqual(ids);
      const bodies = await this.storage.readBodies(scopeId(scope), [...ids, 1_000_000]);
      expect([...bodies.keys()].sort((a, b) => a - b)).toEqual(ids);
    }
    const filled = [...this.#model].flatMap(([scope, ids]) => (ids.size > 0 ? [scope] : []));
    const tenants = [...new Set(SCOPES.map(({ tenant }) => tenant))];
    const found = await Promise.all(tenants.map((tenant) => this.storage.scopes(tenant)));
    expect(found.flat().map(scopeId).sort()).toEqual(filled.sort());
  }

  async #append(scopes: readonly number[]): Promise<void> {
    const rows = scopes.flatMap((index) => scoped(SCOPES[index]!, makeRow(this.#nextId++)));
    await this.storage.append(rows);
    for (const { scope, row } of rows) this.#model.get(scope)!.add(row.rowId);
  }

  async #remove(picks: readonly number[]): Promise<void> {
    const all = [...this.#model].flatMap(([scope, ids]) => [...ids].map((rowId) => ({ scope, rowId })));
    const chosen = picks.flatMap((pick) => all[pick] ?? { scope: scopeId(SCOPES[0]!), rowId: 5_000 + pick });
    await this.storage.remove(chosen);
    for (const { scope, rowId } of chosen) this.#model.get(scope)!.delete(rowId);
  }

  async #removeFrom(from: number, scopes: readonly number[]): Promise<void> {
    const ids = scopes.map((index) => scopeId(SCOPES[index]!));
    await this.storage.removeFrom(from, ids);
    for (const id of ids)
      for (const rowId of [...this.#model.get(id)!]) if (rowId >= from) this.#model.get(id)!.delete(rowId);
  }
}

describe("any sequence of calls", () => {
  it("leaves the same rows as a plain map", async () => {
    const sequences = fc.array(step, { minLength: 4, maxLength: 16 });
    await fc.assert(
      fc.asyncProperty(sequences, async (steps) => {
        const directory = await fixture.directory();
        const run = new Run(await fixture.open(directory, { openTablesMax: 2, fragmentsMax: 3 }), directory);
        for (const next of steps) await run.take(next);
        await run.check();
        run.storage = await fixture.reopen(run.storage, directory);
        await run.check();
      }),
      { numRuns: 25 },
    );
  });
});

describe("a scope id", () => {
  it("names its scope", () => {
    expect(SCOPES.map((scope) => parseScopeId(scopeId(scope)))).toEqual(SCOPES);
  });
});
