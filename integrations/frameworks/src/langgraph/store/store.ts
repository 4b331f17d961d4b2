import {
  BaseStore,
  type GetOperation,
  type Item,
  type ListNamespacesOperation,
  type Operation,
  type OperationResults,
  type PutOperation,
  type SearchItem,
  type SearchOperation,
} from "@langchain/langgraph-checkpoint";
import { type AgentMemory, toMemoryError } from "@membus/agent-client";
import { LongRecords } from "@membus/agentic/long-records";
import { type Filter, keyHash, LIMITS, parseOptions } from "@membus/protocol";
import { isHead } from "@membus/protocol/records";
import { itemInput, itemKey, itemOf, PATH_FIELD, pathOf } from "./item-entry.js";
import { listNamespaces } from "./list-namespaces.js";
import { type Known, knownOperation } from "./operations.js";
import { type ResolvedStoreOptions, type StoreOptions, StoreOptionsSchema } from "./store-options.js";
import { hostFilters, matchesFilter } from "./value-filter.js";

const SEARCH_LIMIT = 10;

/** Items of one page if the host cannot evaluate the whole filter. */
const FILTERED_PAGE = 200;

/**
 * LangGraph's store in the memory of an agent, searched by words and meaning without an embedding setup. The
 * client sets the agent. A namespace of LangGraph is a part of a key.
 *
 * Methods throw `MemoryError` for errors of the bus or the host, and `InvalidNamespaceError` for an invalid
 * namespace. They throw `TypeError` for a filter with an unknown operator or a value that JSON cannot
 * represent.
 */
export class MembusStore extends BaseStore {
  readonly #memory: AgentMemory;
  readonly #records: LongRecords;
  readonly #settings: ResolvedStoreOptions;

  /** @throws {TypeError} for an unknown option (naming the nearest known one) or a value out of range. */
  constructor(memory: AgentMemory, options: StoreOptions = {}) {
    super();
    this.#settings = parseOptions(StoreOptionsSchema, options);
    this.#memory = memory.inNamespace(this.#settings.namespace);
    this.#records = new LongRecords(this.#memory, this.#settings.tier);
  }

  /**
   * Executes operations. Reads see the state before the batch. Of several puts of one item the last counts.
   * If one operation is invalid, none is executed.
   */
  override async batch<Op extends Operation[]>(operations: Op): Promise<OperationResults<Op>> {
    const known = operations.map(knownOperation);
    const puts = lastPuts(known);
    const inputs = puts.filter(({ value }) => value !== null).map((put) => itemInput(put, this.#settings));
    const items = await this.#items(known.flatMap((each) => (each.kind === "get" ? [each.operation] : [])));
    const results = await Promise.all(known.map((each) => this.#resultOf(each, items)));
    await this.#forget(puts.filter(({ value }) => value === null));
    const { errors } = await this.#records.store(inputs, { replacing: true });
    if (errors[0] !== undefined) throw toMemoryError(errors[0]);
    return results as OperationResults<Op>;
  }

  async #resultOf(
    { kind, operation }: Known,
    items: ReadonlyMap<string, Item>,
  ): Promise<Item | null | SearchItem[] | string[][] | undefined> {
    switch (kind) {
      case "get":
        return items.get(keyHash(itemKey(operation))) ?? null;
      case "search":
        return this.#search(operation);
      case "list":
        return this.#list(operation);
      case "put":
        return undefined;
    }
  }

  /** Returns items by key hash. */
  async #items(gets: readonly GetOperation[]): Promise<Map<string, Item>> {
    const found = new Map<string, Item>();
    for (const keys of pagesOf(gets.map(itemKey))) {
      const pages = this.#records.entries({ keys }, { pageSize: keys.length });
      for await (const entry of pages) if (!isHead(entry)) found.set(entry.key_hash, itemOf(entry));
    }
    return found;
  }

  /**
   * Returns items in the order of their first `put`. With a query, best first and without items of score 0.
   */
  async #search(operation: SearchOperation): Promise<SearchItem[]> {
    const { namespacePrefix, filter, query, limit = SEARCH_LIMIT, offset = 0 } = operation;
    const found: SearchItem[] = [];
    if (limit <= 0) return found;
    const ranking = query ? { query: shortenQuery(query) } : { order: "oldest" as const };
    const filters = hostFilters(filter ?? {});
    const isFiltered = filters.length < Object.keys(filter ?? {}).length;
    const pageSize = pageFor(isFiltered ? Math.max(limit + offset, FILTERED_PAGE) : limit + offset);
    const where = { all: [below(namespacePrefix), ...filters] };
    let left = offset;
    const options = { pageSize, allowApproximate: true };
    for await (const entry of this.#records.entries({ ...ranking, where }, options)) {
      if (query && entry.score <= 0) break;
      if (isHead(entry) || !matchesFilter(entry.content, filter ?? {}) || --left >= 0) continue;
      found.push({ ...itemOf(entry), ...(query && { score: entry.score }) });
      if (found.length === limit) break;
    }
    return found;
  }

  #list(operation: ListNamespacesOperation): Promise<string[][]> {
    return listNamespaces(this.#memory, this.#settings.tier, operation);
  }

  async #forget(deletes: readonly PutOperation[]): Promise<void> {
    for (const keys of pagesOf(deletes.map(itemKey))) await this.#records.forget({ keys });
  }
}

/** Returns the last put of each item, in the order of its first. */
function lastPuts(known: readonly Known[]): PutOperation[] {
  const last = new Map<string, PutOperation>();
  for (const { kind, operation } of known) {
    if (kind === "put") last.set(keyHash(itemKey(operation)), operation);
  }
  return [...last.values()];
}

function below(prefix: readonly string[]): Filter {
  if (prefix.length === 0) return { field: PATH_FIELD, op: "exists", value: true };
  return { field: PATH_FIELD, op: "starts_with", value: pathOf(prefix) };
}

/** Shortens a query. A node may pass a whole message. */
function shortenQuery(query: string): string {
  return query.slice(0, LIMITS.queryLength).toWellFormed();
}

function pageFor(count: number): number {
  return Math.max(1, Math.min(count, LIMITS.retrieveLimit));
}

function pagesOf<T>(items: readonly T[]): T[][] {
  const size = LIMITS.criteriaKeys;
  const count = Math.ceil(items.length / size);
  return Array.from({ length: count }, (_, page) => items.slice(page * size, (page + 1) * size));
}
