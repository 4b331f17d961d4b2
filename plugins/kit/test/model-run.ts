import {
  type Criteria,
  compileCriteria,
  isMemoryError,
  type MemoryEntry,
  type MemoryTier,
  matches,
  type Scope,
  type ScopeSelector,
} from "@membus/protocol";
import {
  comparePositions,
  type Embedder,
  type MemoryPlugin,
  type PluginForgetRequest,
  type PluginRetrieveRequest,
  type PluginStoreRequest,
  positionOf,
} from "@membus/protocol/plugin";
import { expect } from "vitest";
import { forgetRequest, retrieveRequest, scope, selector, storeRequest } from "./kit-requests.js";
import { asEntry, Oracle, type OracleEntry, type OracleOutcome } from "./model-oracle.js";
import { freshScores, vectorOfEntry } from "./model-scores.js";
import {
  type ConditionKind,
  LISTED,
  type Place,
  type SearchStep,
  type Step,
  type StoreEntryStep,
} from "./model-steps.js";
import type { TestClock } from "./test-clock.js";

/** The plugin under test, and events that affect it. */
export interface Subject {
  readonly plugin: MemoryPlugin;
  readonly clock: TestClock;
  readonly embedder: Embedder;
  /** Whether `accessed` is exact. */
  readonly exactAccess: boolean;
  flush(): Promise<void>;
  reopen(): Promise<void>;
  /** Crashes during a flush, after this number of its writes. */
  crash(writes: number): Promise<void>;
  /** Unloads every partition that can be unloaded. */
  evict(): Promise<void>;
  /** Resolves when pending vectors are stored. */
  backFilled(): Promise<void>;
}

type Done =
  | {
      readonly kind: "store";
      readonly scope: Scope;
      readonly request: PluginStoreRequest;
      readonly reply: unknown;
    }
  | {
      readonly kind: "forget";
      readonly selector: ScopeSelector;
      readonly request: PluginForgetRequest;
      readonly reply: unknown;
    };

/** Runs steps on the plugin and on the oracle, and compares the results. */
export class ModelRun {
  readonly #oracle = new Oracle();
  readonly #done: Done[] = [];

  constructor(
    readonly subject: Subject,
    readonly tier: MemoryTier,
  ) {}

  async run(step: Step): Promise<void> {
    switch (step.do) {
      case "store":
        return this.#store(step.place, step.entries, step.ack);
      case "retrieve":
        return this.#retrieve(step.place, step);
      case "list":
        return this.#list(step.place, step.criteria, step.field);
      case "forget":
        return this.#forget(step.place, step.criteria, step.dryRun);
      case "retry":
        return this.#retry(step.part, step.otherBody);
      case "advance":
        return this.subject.clock.advance(step.seconds);
      case "maintain":
        return this.subject.plugin.maintain?.();
      case "crash":
        return this.subject.crash(step.writes);
      default:
        return this.subject[step.do]();
    }
  }

  /** Compares all entries. */
  async checkAll(): Promise<void> {
    for (const tenant of ["acme", "globex"]) {
      for (const agent of ["alice", "bob"]) {
        for (const namespace of ["default/**", "a/**", "ab"]) {
          const everything = {
            criteria: {},
            mode: "hybrid",
            minScore: 0,
            pageSize: 1000,
            include: [],
          } as const;
          await this.#retrieve({ tenant, agent, namespace }, everything);
        }
        for (const field of LISTED) await this.#list({ tenant, agent, namespace: "**" }, {}, field);
      }
    }
  }

  async #store(place: Place, steps: readonly StoreEntryStep[], ack: "stored" | "queued"): Promise<void> {
    const { plugin, clock } = this.subject;
    const target = scope({ tier: this.tier, ...place });
    const entries = steps.map(({ entry, condition }) => ({
      ...entry,
      ...this.#condition(target, entry, condition),
    }));
    const request = storeRequest(entries, { at: clock.now(), agent: place.agent, tenant: place.tenant }, ack);
    const expected = request.entries.map((item) => this.#oracle.store(target, item, request.op));
    const reply = await plugin.onStore(target, request);
    const queued = ack === "queued" && plugin.manifest.features.durable;
    const errors = reply.errors.map(({ index, error }) => ({
      index,
      code: error.code,
      detail: error.detail,
    }));
    expect({ receipts: reply.receipts, errors }).toEqual(expectedReply(request, expected, queued));
    this.#done.push({ kind: "store", scope: target, request, reply });
    await this.subject.backFilled();
    const status = await plugin.onStatus(request.op);
    expect(status?.done).toBe(true);
    expect(status?.receipts).toEqual(expectedReply(request, expected, false).receipts);
  }

  #condition(target: Scope, { key }: { key: unknown }, kind: ConditionKind): { if_revision?: number } {
    if (kind === "none") return {};
    if (kind === "absent") return { if_revision: 0 };
    const request = storeRequest([{ key: key as string }], { at: 0 });
    const hash = request.entries[0]!.key_hash;
    const entries = this.#oracle.entriesOf(target, this.subject.clock.now());
    const revision = entries.find(({ keyHash }) => keyHash === hash)?.revision ?? 0;
    return { if_revision: kind === "current" ? revision : Math.max(0, revision - 1) };
  }

  async #forget(place: Place, criteria: object, dryRun: boolean): Promise<void> {
    const { plugin, clock } = this.subject;
    const target = selector({ tier: this.tier, ...place });
    const request = forgetRequest(
      criteria,
      { at: clock.now(), agent: place.agent, tenant: place.tenant },
      dryRun,
    );
    const expected = this.#oracle.forget(target, request.filter, clock.now(), dryRun);
    const reply = await plugin.onForget(target, request);
    expect(reply.deleted).toBe(expected.length);
    if (!dryRun) this.#done.push({ kind: "forget", selector: target, request, reply });
  }

  async #list(place: Place, criteria: Criteria, field: string | undefined): Promise<void> {
    const { plugin, clock } = this.subject;
    const target = selector({ tier: this.tier, ...place });
    const filter = compileCriteria(criteria);
    const expected = this.#oracle.list(target, filter, field, clock.now());
    const { items } = await plugin.onList!(target, {
      filter,
      ...(field !== undefined && { field }),
      values_max: 1_000,
    });
    const figures = items.map(({ value, count, newest }) => ({ value, count, newest }));
    const held = [...expected].map(([value, entries]) => {
      const newest = Math.max(...entries.map(({ occurredAt }) => occurredAt));
      return { value, count: entries.length, newest };
    });
    expect(figures).toHaveLength(held.length);
    expect(figures).toEqual(expect.arrayContaining(held));
    for (const { value, bytes } of items) {
      const entries = expected.get(value)!;
      expect(bytes).toBeGreaterThanOrEqual(jsonBytes(entries.map(({ content }) => content)));
      expect(bytes).toBeLessThanOrEqual(jsonBytes(entries.map(returned)));
    }
  }

  /** Repeats an operation: same reply, no effect. With another body it is refused. */
  async #retry(part: number, otherBody: boolean): Promise<void> {
    const { plugin, clock } = this.subject;
    const now = clock.now();
    const recent = this.#done.filter(({ request }) => request.op.accepted_at > now - 500);
    const done = recent[Math.floor(part * recent.length)];
    if (done === undefined) return;
    const { digest } = done.request.op;
    const op = { ...done.request.op, accepted_at: now, digest: otherBody ? `${digest}x` : digest };
    const retried =
      done.kind === "store"
        ? plugin.onStore(done.scope, { ...done.request, op })
        : plugin.onForget(done.selector, { ...done.request, op });
    if (!otherBody) expect(await retried).toEqual(done.reply);
    else
      await expect(retried).rejects.toSatisfy((error) => isMemoryError(error) && error.code === "conflict");
  }

  async #retrieve(place: Place, step: SearchStep): Promise<void> {
    const target = selector({ tier: this.tier, ...place });
    const request = retrieveRequest({
      criteria: step.criteria,
      mode: step.mode,
      min_score: step.minScore,
      include: step.include,
      ...(step.query === undefined ? {} : { query: step.query }),
      ...(step.order === undefined ? {} : { order: step.order }),
    });
    const expected = this.#expected(target, request);
    const found = await this.#pages(target, request, step.pageSize, expected.length);
    expect(found).toEqual(expected.map(({ entry }) => entry));
    for (const { held } of expected) held.accessed = this.subject.clock.now();
  }

  /** Reads all pages. None may be degraded, and each has the complete total. */
  async #pages(
    target: ScopeSelector,
    request: PluginRetrieveRequest,
    limit: number,
    total: number,
  ): Promise<MemoryEntry[]> {
    const found: MemoryEntry[] = [];
    for (;;) {
      const last = found.at(-1);
      const after = last === undefined ? {} : { after: positionOf(last, request.order) };
      const page = await this.subject.plugin.onRetrieve(target, { ...request, ...after, limit });
      expect(page.total).toBe(total);
      expect(page.degraded).toBeUndefined();
      expect(page.entries.length).toBeLessThanOrEqual(limit);
      found.push(...page.entries.map((entry) => this.#comparable(entry)));
      if (page.entries.length < limit) return found;
    }
  }

  #comparable(entry: MemoryEntry): MemoryEntry {
    if (this.subject.exactAccess) return entry;
    const { created, updated } = entry.timestamps;
    return { ...entry, timestamps: { created, updated, accessed: 0 } };
  }

  #expected(
    target: ScopeSelector,
    request: PluginRetrieveRequest,
  ): { held: OracleEntry; entry: MemoryEntry }[] {
    const { clock, embedder } = this.subject;
    const found: { held: OracleEntry; entry: MemoryEntry }[] = [];
    for (const place of this.#oracle.scopes(target, clock.now())) {
      const all = this.#oracle.entriesOf(place, clock.now());
      const scores = freshScores(all, request, embedder);
      for (const held of all) {
        const score = scores.get(held.keyHash)!;
        const plain = asEntry(held, place);
        if (!matches(plain, request.filter) || score < request.min_score) continue;
        if (request.query !== undefined && score === 0) continue;
        const included = includedFields(held, request, embedder);
        found.push({ held, entry: this.#comparable({ ...plain, score, ...included }) });
      }
    }
    const { order } = request;
    return found.sort((a, b) =>
      comparePositions(positionOf(a.entry, order), positionOf(b.entry, order), order),
    );
  }
}

function jsonBytes(values: readonly unknown[]): number {
  return values.reduce((sum: number, value) => sum + Buffer.byteLength(JSON.stringify(value)), 0);
}

/** Returns the entry as a retrieve does, with its context. Only its size matters. */
function returned(held: OracleEntry): object {
  return { ...asEntry(held, scope()), ...(held.context !== undefined && { context: held.context }) };
}

function includedFields(
  held: OracleEntry,
  { include }: PluginRetrieveRequest,
  embedder: Embedder,
): Partial<MemoryEntry> {
  const vector = include.includes("embedding") ? vectorOfEntry(held, embedder) : null;
  return {
    ...(include.includes("context") && held.context !== undefined ? { context: held.context } : {}),
    ...(vector === null ? {} : { embedding: vector, embedding_model: embedder.id }),
  } as Partial<MemoryEntry>;
}

function expectedReply(request: PluginStoreRequest, outcomes: readonly OracleOutcome[], queued: boolean) {
  const receipts: object[] = [];
  const errors: object[] = [];
  for (const [position, result] of outcomes.entries()) {
    const { index, key_hash } = request.entries[position]!;
    if ("conflict" in result) errors.push({ index, code: "conflict", detail: { revision: result.conflict } });
    else {
      const outcome = queued && result.outcome !== "unchanged" ? "queued" : result.outcome;
      receipts.push({ index, key_hash, outcome, revision: result.revision });
    }
  }
  return { receipts, errors };
}
