import {
  InMemoryStore,
  type Item,
  type ListNamespacesOperation,
  type Operation,
  type PutOperation,
  type SearchOperation,
} from "@langchain/langgraph-checkpoint";
import { expect } from "vitest";
import { Chance } from "../../../cli/test/crash/kill-loop/chance.js";
import type { MembusStore } from "../src/langgraph/index.js";

const LABELS = ["a", "b", "ab", "acme", "acme-corp", "user 1", "langgraph", "ä"];
const KEYS = ["k", "k1", "K", "", "a.b", "ключ"];
const FIELDS = ["kind", "score", "at", "tags", "x y", "value"];
const SCALARS = ["report", "", "10", "2", 10, 2, 0, -1.5, true, false, null, "2026-01-02", "x".repeat(300)];
const VALUES = [...SCALARS, { deep: { er: 1 } }, ["l", 1], []];
const OPERATORS = ["$eq", "$ne", "$gt", "$gte", "$lt", "$lte", "$in", "$nin"];

type Found = Item & { score?: number };
const nameOf = (namespace: readonly string[], key: string) => JSON.stringify([namespace, key]);

/** Returns `count` results of `make`. */
function times<T>(count: number, make: () => T): T[] {
  return Array.from({ length: count }, make);
}

/** Applies the same batches to MembusStore and LangGraph's own store, which must have the same results. */
export class StoreComparison {
  readonly #chance: Chance;
  readonly #ours: MembusStore;
  readonly #theirs = new InMemoryStore();
  /** Order of first puts. LangGraph's store keeps it only within a namespace. */
  readonly #order = new Map<string, number>();
  readonly #created = new Map<string, Date>();
  readonly seen = { items: 0, searches: 0, namespaces: 0 };
  #puts = 0;

  constructor(seed: number, ours: MembusStore) {
    this.#chance = new Chance(seed);
    this.#ours = ours;
  }

  async step(): Promise<void> {
    const operations = times(1 + this.#chance.int(6), () => this.#operation());
    const theirs = await this.#inTheirs(operations);
    const ours = (await this.#ours.batch(operations)) as unknown[];
    expect(ours).toHaveLength(operations.length);
    for (const [index, operation] of operations.entries())
      this.#compare(operation, ours[index], theirs[index]);
    for (const operation of operations) if ("value" in operation) this.#follow(operation);
    this.#forgetEmptied();
  }

  /**
   * Runs the reads separately and copies their results, because LangGraph's store returns its own objects,
   * which later puts change.
   */
  async #inTheirs(operations: readonly Operation[]): Promise<unknown[]> {
    const reads = operations.filter((operation) => !("value" in operation));
    // LangGraph's store sorts and cuts each namespace separately. Here this is done with all results.
    const uncut = reads.map((each) =>
      "namespacePrefix" in each ? { ...each, limit: 1e6, offset: 0 } : each,
    );
    const found = structuredClone((await this.#theirs.batch(uncut)) as unknown[]);
    await this.#theirs.batch(operations.filter((operation) => "value" in operation));
    return operations.map((operation) => ("value" in operation ? undefined : found.shift()));
  }

  #compare(operation: Operation, ours: unknown, theirs: unknown): void {
    if ("value" in operation) expect(ours).toBeUndefined();
    else if ("namespacePrefix" in operation)
      this.#compareFound(operation, ours as Found[], theirs as Found[]);
    else if ("namespace" in operation) this.#compareItems(ours as Item | null, theirs as Item | null);
    else {
      expect(ours).toEqual(theirs);
      this.seen.namespaces += (ours as string[][]).length;
    }
  }

  #compareFound({ limit, offset }: SearchOperation, ours: Found[], theirs: Found[]): void {
    const place = ({ namespace, key }: Item) => this.#order.get(nameOf(namespace, key))!;
    const sorted = theirs.sort((a, b) => place(a) - place(b)).slice(offset!, offset! + limit!);
    expect(ours.map(plain)).toEqual(sorted.map(plain));
    expect(ours.map(({ score }) => score)).toEqual(sorted.map(({ score }) => score));
    this.seen.searches += Number(ours.length > 0);
  }

  #compareItems(ours: Item | null, theirs: Item | null): void {
    expect(ours && plain(ours)).toEqual(theirs && plain(theirs));
    if (ours === null) return;
    this.seen.items++;
    const name = nameOf(ours.namespace, ours.key);
    expect(ours.createdAt).toEqual(this.#created.get(name) ?? ours.createdAt);
    expect(ours.updatedAt.getTime()).toBeGreaterThanOrEqual(ours.createdAt.getTime());
    this.#created.set(name, ours.createdAt);
  }

  #follow({ namespace, key, value }: PutOperation): void {
    const name = nameOf(namespace, key);
    if (value !== null) this.#order.set(name, this.#order.get(name) ?? this.#puts++);
  }

  /** LangGraph's store lists namespaces that once had an item. */
  #forgetEmptied(): void {
    const data = Reflect.get(this.#theirs, "data") as Map<string, Map<string, Item>>;
    const there = new Set(
      [...data.values()].flatMap((items) =>
        [...items.values()].map((item) => nameOf(item.namespace, item.key)),
      ),
    );
    for (const name of [...this.#order.keys(), ...this.#created.keys()]) {
      if (there.has(name)) continue;
      this.#order.delete(name);
      this.#created.delete(name);
    }
    for (const [namespace, items] of data) if (items.size === 0) data.delete(namespace);
  }

  #operation(): Operation {
    const choice = this.#chance.int(100);
    if (choice < 25) return { namespace: this.#namespace(), key: this.#chance.one(KEYS) };
    if (choice < 60) return this.#put();
    if (choice < 85) return this.#search();
    return this.#list();
  }

  #put(): PutOperation {
    const fields = FIELDS.filter(() => this.#chance.int(100) < 50);
    const value = Object.fromEntries(fields.map((name) => [name, this.#value()]));
    return {
      namespace: this.#namespace(),
      key: this.#chance.one(KEYS),
      value: this.#chance.int(100) < 20 ? null : value,
    };
  }

  #search(): SearchOperation {
    const filter = this.#chance.int(100) < 70 ? this.#filter() : undefined;
    return {
      namespacePrefix: this.#chance.int(100) < 30 ? [] : this.#namespace(),
      ...(filter && { filter }),
      limit: this.#chance.one([0, 1, 3, 10, 200]),
      offset: this.#chance.one([0, 0, 1, 5]),
    };
  }

  #filter(): Record<string, unknown> {
    const fields = times(1 + this.#chance.int(2), () => this.#chance.one(FIELDS));
    return Object.fromEntries(fields.map((name) => [name, this.#wanted()]));
  }

  #wanted(): unknown {
    if (this.#chance.int(100) < 40) return this.#chance.one([this.#value(), {}, undefined]);
    const names = times(1 + this.#chance.int(2), () => this.#chance.one(OPERATORS));
    return Object.fromEntries(
      names.map((name) => {
        const list = times(this.#chance.int(4), () => this.#value());
        return [name, /in$/.test(name) && this.#chance.int(100) < 90 ? list : this.#chance.one(SCALARS)];
      }),
    );
  }

  /** Returns a copy, because in one process an object equals itself. */
  #value(): unknown {
    return structuredClone(this.#chance.one<unknown>(VALUES));
  }

  #list(): ListNamespacesOperation {
    const path = () => this.#namespace().map((label) => (this.#chance.int(100) < 20 ? "*" : label));
    const conditions = (["prefix", "suffix"] as const).filter(() => this.#chance.int(100) < 40);
    return {
      matchConditions: conditions.map((matchType) => ({ matchType, path: path() })),
      ...(this.#chance.int(100) < 40 && { maxDepth: 1 + this.#chance.int(3) }),
      limit: this.#chance.one([1, 5, 100]),
      offset: this.#chance.one([0, 0, 2]),
    };
  }

  #namespace(): string[] {
    return times(1 + this.#chance.int(3), () => this.#chance.one(LABELS));
  }
}

function plain({ namespace, key, value }: Item) {
  return { namespace, key, value };
}
