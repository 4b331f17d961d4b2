import {
  deriveText,
  type EventAction,
  importanceFactor,
  LIMITS,
  MemoryError,
  matches,
  type Scope,
  type ScopeSelector,
  type StoreReceipt,
  scopeId,
  selectsScope,
  withTimeout,
} from "@membus/protocol";
import {
  comparePositions,
  type MemoryPlugin,
  type Operation,
  PLUGIN_CONTRACT,
  type PluginForgetRequest,
  type PluginForgetResult,
  type PluginManifest,
  type PluginRetrieveRequest,
  type PluginRetrieveResult,
  type PluginServices,
  type PluginStatusResult,
  type PluginStoreRequest,
  type PluginStoreResult,
  positionOf,
  type StoreItem,
} from "@membus/protocol/plugin";
import { isUnchanged, type MergeContext, mergeRow } from "./merge.js";
import { relevance } from "./relevance.js";
import { dropEnded, hasEnded, type Remembered } from "./remembered.js";
import { type Found, type Row, toEntry } from "./row.js";
import { BASICS_OFFERED } from "./steering.js";

export interface Partition {
  readonly scope: Scope;
  readonly rows: Map<string, Row>;
  /** Kept after all entries are deleted, so that revisions never repeat. */
  lastRevision: number;
}

type StoreFate = { readonly receipt: StoreReceipt } | { readonly error: MemoryError };

/** Time for which a store waits for the embedder (clause STORE-5). */
const EMBED_WAIT_MS = 1_000;

/**
 * A correct but slow plugin, based on maps and sorting. Every rule is a separate method, so that a mutant can
 * break one of them.
 */
export class ReferencePlugin implements MemoryPlugin {
  protected services!: PluginServices;
  protected readonly partitions = new Map<string, Partition>();
  protected readonly operations = new Map<string, Remembered>();

  get manifest(): PluginManifest {
    return {
      contract: PLUGIN_CONTRACT,
      name: "reference",
      version: "1.0.0",
      features: this.features(),
    };
  }

  protected features(): PluginManifest["features"] {
    const similarity = this.services === undefined || this.services.embedder !== undefined;
    const shared = this.services?.tier === "semantic";
    return { ...BASICS_OFFERED, similarity, shared };
  }

  async open(services: PluginServices): Promise<void> {
    this.services = services;
  }

  async close(): Promise<void> {}

  async onStore(scope: Scope, request: PluginStoreRequest): Promise<PluginStoreResult> {
    const entries = this.taken(request.entries);
    const result = await this.once(request.op, () => this.storeAll(scope, { ...request, entries }));
    return this.given(result);
  }

  async onRetrieve(selector: ScopeSelector, request: PluginRetrieveRequest): Promise<PluginRetrieveResult> {
    this.sweep();
    this.refuseTooMany(this.selectedPartitions(selector));
    const found = await this.find(selector, request);
    return this.page(found, request);
  }

  async onForget(selector: ScopeSelector, request: PluginForgetRequest): Promise<PluginForgetResult> {
    const count = async () => this.result(this.doomed(selector, request).length, request.op);
    if (request.dry_run) return count();
    return this.once(request.op, async () => this.forgetAll(selector, request));
  }

  async onStatus(op: Pick<Operation, "tenant" | "agent" | "id">): Promise<PluginStatusResult | undefined> {
    this.dropOperations();
    const result = (await this.operations.get(this.operationKey(op))?.result) as
      | PluginStoreResult
      | undefined;
    return result?.receipts === undefined ? undefined : { ...this.given(result), done: true };
  }

  // Copies of what the caller gives and gets, because it may change them (clause PLUG-25)

  protected taken(entries: readonly StoreItem[]): readonly StoreItem[] {
    return structuredClone(entries);
  }

  protected given({ receipts, errors }: PluginStoreResult): PluginStoreResult {
    return { receipts: structuredClone(receipts), errors: [...errors] };
  }

  async maintain(): Promise<void> {
    this.sweep();
  }

  // Operations

  protected operationKey({ tenant, agent, id }: Pick<Operation, "tenant" | "agent" | "id">): string {
    return JSON.stringify([tenant, agent, id]);
  }

  /** Executes an operation once and returns the same result for repetitions (clause RETRY-1). */
  protected async once<Result>(op: Operation, work: () => Promise<Result>): Promise<Result> {
    const key = this.operationKey(op);
    const earlier = this.operations.get(key);
    if (earlier !== undefined && !hasEnded(earlier, this.now())) {
      if (earlier.digest !== op.digest)
        throw new MemoryError("conflict", "another request had this id", { id: op.id });
      return (await earlier.result) as Result;
    }
    const result = work();
    this.operations.set(key, { digest: op.digest, at: this.now(), result });
    return result;
  }

  // Storing

  protected async storeAll(scope: Scope, request: PluginStoreRequest): Promise<PluginStoreResult> {
    this.sweep();
    const receipts: StoreReceipt[] = [];
    const errors: { index: number; error: MemoryError }[] = [];
    const written: Row[] = [];
    for (const item of this.itemsOf(request)) {
      const partition = this.partition(scope);
      const storing = this.storeOne(partition, item, request.op);
      // The rows of a batch appear in one step (clause STORE-15).
      const fate = storing instanceof Promise ? await storing : storing;
      if ("error" in fate) errors.push({ index: item.index, error: fate.error });
      else receipts.push(fate.receipt);
      const row = partition.rows.get(this.rowKey(item));
      if (row !== undefined && "receipt" in fate && fate.receipt.outcome !== "unchanged") written.push(row);
    }
    if (request.ack === "stored") for (const row of written) await this.embed(row);
    return { receipts, errors };
  }

  protected itemsOf({ entries }: PluginStoreRequest): readonly StoreItem[] {
    return entries;
  }

  protected storeOne(partition: Partition, item: StoreItem, op: Operation): StoreFate | Promise<StoreFate> {
    const previous = this.previous(partition, item);
    const refusal = this.refusal(item, previous);
    if (refusal !== undefined) return { error: refusal };
    const revision = this.nextRevision(partition, op);
    const row = this.merge(item, previous, {
      scope: partition.scope,
      agent: op.agent,
      acceptedAt: op.accepted_at,
      revision,
    });
    const { index, key_hash } = item;
    if (previous && this.unchanged(item, row, previous)) {
      return { receipt: { index, key_hash, outcome: "unchanged", revision: previous.revision } };
    }
    partition.lastRevision = revision;
    partition.rows.set(this.rowKey(item), row);
    return { receipt: { index, key_hash, outcome: previous ? "updated" : "created", revision } };
  }

  protected rowKey(item: Pick<StoreItem, "key_hash" | "key">): string {
    return item.key_hash;
  }

  protected previous(partition: Partition, item: StoreItem): Row | undefined {
    const row = partition.rows.get(this.rowKey(item));
    return row === undefined || this.isOver(row) ? undefined : row;
  }

  /** Returns the error of an entry that must not be stored (clauses UPD-7 and UPD-8). */
  protected refusal(item: StoreItem, previous: Row | undefined): MemoryError | undefined {
    const revision = previous?.revision ?? 0;
    if (item.if_revision == null || item.if_revision === revision) return undefined;
    return new MemoryError("conflict", `the entry is at revision ${revision}`, { revision });
  }

  protected nextRevision(partition: Partition, op: Operation): number {
    return Math.max(partition.lastRevision + 1, Math.floor(op.accepted_at * 1e6));
  }

  protected merge(item: StoreItem, previous: Row | undefined, context: MergeContext): Row {
    return mergeRow(item, previous, context);
  }

  protected unchanged(item: StoreItem, row: Row, previous: Row): boolean {
    return isUnchanged(item, row, previous);
  }

  protected async embed(row: Row): Promise<void> {
    row.vector = row.givenVector ?? (await this.vectorOf(row));
  }

  /**
   * Returns the vector of a row. Undefined if the embedder does not answer in time, and the entry is then
   * found by words (clause STORE-9).
   */
  protected async vectorOf(row: Row): Promise<Float32Array | undefined> {
    const text = row.text ?? deriveText(row.content);
    const answer = this.services.embedder?.embed([text], "document").catch(() => undefined);
    return (await withTimeout(this.services.clock, EMBED_WAIT_MS, Promise.resolve(answer)))?.[0] ?? undefined;
  }

  // Retrieving

  protected async find(selector: ScopeSelector, request: PluginRetrieveRequest): Promise<Found[]> {
    const vector = await this.queryVector(request);
    if (vector !== undefined) await this.embedPending(selector);
    const isRanked = request.query !== undefined || request.embedding !== undefined;
    const found = this.select(selector, request)
      .map((row) => ({ row, score: this.scoreOf(row, request, isRanked ? vector : null) }))
      .filter(({ score }) => this.isFound(score, request, isRanked));
    return found.sort((a, b) => this.compare(a, b, request));
  }

  /** @param vector null for a listing */
  protected scoreOf(
    row: Row,
    request: PluginRetrieveRequest,
    vector: Float32Array | undefined | null,
  ): number {
    if (vector === null) return row.importance;
    return this.relevance(row, request, vector) * importanceFactor(row.importance);
  }

  /** Embeds the rows that have no vector because the embedder did not answer. */
  protected async embedPending(selector: ScopeSelector): Promise<void> {
    const rows = this.selectedPartitions(selector).flatMap((partition) => [...partition.rows.values()]);
    for (const row of rows) row.vector ??= await this.vectorOf(row);
  }

  protected select(selector: ScopeSelector, request: Pick<PluginRetrieveRequest, "filter">): Row[] {
    const rows = this.selectedPartitions(selector).flatMap((partition) => [...partition.rows.values()]);
    return rows.filter((row) => this.isLive(row, request) && this.isSelected(row, request));
  }

  /** Returns whether a request with these criteria may return a row. */
  protected isLive(row: Row, _request: Pick<PluginRetrieveRequest, "filter">): boolean {
    return !this.isOver(row);
  }

  protected isSelected(row: Row, { filter }: Pick<PluginRetrieveRequest, "filter">): boolean {
    return matches({ ...row, timestamps: row }, filter);
  }

  protected selectedPartitions(selector: ScopeSelector): Partition[] {
    return [...this.partitions.values()].filter(({ scope }) => this.selects(selector, scope));
  }

  protected selects(selector: ScopeSelector, scope: Scope): boolean {
    return selectsScope(selector, scope);
  }

  /** Refuses a read of more partitions than the limit (clause NS-4). */
  protected refuseTooMany(partitions: readonly Partition[]): void {
    const [max, got] = [LIMITS.subtreePartitions, partitions.filter(({ rows }) => rows.size > 0).length];
    if (got > max)
      throw new MemoryError("too_large", "too many namespaces", { limit: "subtreePartitions", max, got });
  }

  protected async queryVector(request: PluginRetrieveRequest): Promise<Float32Array | undefined> {
    const { mode, embedding, query } = request;
    if (mode === "text") return undefined;
    if (embedding !== undefined || query === undefined) return embedding;
    const answer = Promise.resolve(this.services.embedder?.embed([query], "query"));
    if (mode === "vector") return (await answer)?.[0] ?? undefined;
    const orWords = answer.catch(() => undefined);
    return (await withTimeout(this.services.clock, EMBED_WAIT_MS, orWords))?.[0] ?? undefined;
  }

  protected relevance(row: Row, request: PluginRetrieveRequest, vector: Float32Array | undefined): number {
    if (this.features().full_text) return relevance(row, request, vector);
    const { query: _, ...withoutWords } = request;
    return relevance(row, withoutWords, vector);
  }

  protected isFound(score: number, { min_score }: PluginRetrieveRequest, isRanked: boolean): boolean {
    return score >= min_score && (!isRanked || score > 0);
  }

  protected compare(a: Found, b: Found, { order }: PluginRetrieveRequest): number {
    return comparePositions(this.position(a, order), this.position(b, order), order);
  }

  protected position({ row, score }: Found, order: PluginRetrieveRequest["order"]) {
    const { scope, seq, occurred_at, key_hash } = row;
    return positionOf({ ...scope, score, occurred_at, seq, key_hash }, order);
  }

  protected page(found: readonly Found[], request: PluginRetrieveRequest): PluginRetrieveResult {
    const { after, limit, order, include } = request;
    const behind = after
      ? found.filter((one) => comparePositions(after, this.position(one, order), order) < 0)
      : found;
    const page = behind.slice(0, limit);
    for (const { row } of page) this.touch(row);
    const entries = page.map(({ row, score }) => this.entry(this.copy(row), score, include));
    return { entries, total: found.length, total_relation: "eq" };
  }

  protected copy(row: Row): Row {
    return structuredClone(row);
  }

  protected touch(row: Row): void {
    row.accessed = this.now();
  }

  protected entry(row: Row, score: number, include: readonly string[]) {
    return toEntry(row, score, include, this.services.embedder?.id);
  }

  // Forgetting

  protected doomed(selector: ScopeSelector, request: PluginForgetRequest): Row[] {
    return this.select(selector, request);
  }

  protected async forgetAll(
    selector: ScopeSelector,
    request: PluginForgetRequest,
  ): Promise<PluginForgetResult> {
    const doomed = this.doomed(selector, request);
    for (const row of doomed) this.drop(row, "forgotten", request.op.agent);
    return this.result(doomed.length, request.op);
  }

  protected result(deleted: number, op: Operation): PluginForgetResult {
    return { deleted, at: op.accepted_at, purge: "done" };
  }

  protected drop(row: Row, action: Exclude<EventAction, "stored">, agent: string): void {
    this.partition(row.scope).rows.delete(this.rowKey(row));
    this.report(row, action, agent);
  }

  protected report(row: Row, action: EventAction, agent: string): void {
    const { scope, key, key_hash, tags, group, revision, author } = row;
    this.services.notify({ action, scope, key, key_hash, tags, group, revision, author }, agent);
  }

  // Time and place

  protected now(): number {
    return this.services.clock.now();
  }

  protected isOver({ expires_at }: Row): boolean {
    return expires_at !== undefined && expires_at <= this.now();
  }

  /** Drops expired rows, which it reports, and operations that are no longer remembered. */
  protected sweep(): void {
    this.dropOperations();
    for (const { rows } of this.partitions.values()) {
      for (const row of [...rows.values()]) if (this.isOver(row)) this.drop(row, "expired", row.author);
    }
  }

  protected dropOperations(): void {
    dropEnded(this.operations, this.now());
  }

  protected partitionKey(scope: Scope): string {
    return scopeId(scope);
  }

  protected partition(scope: Scope): Partition {
    const key = this.partitionKey(scope);
    const partition = this.partitions.get(key) ?? { scope, rows: new Map(), lastRevision: 0 };
    this.partitions.set(key, partition);
    return partition;
  }
}
