import { mkdirSync } from "node:fs";
import { type DirectoryLock, lockDirectory } from "@membus/disk";
import { MemoryError } from "@membus/protocol";
import type {
  Operation,
  PluginErasureResult,
  PluginForgetResult,
  PluginServices,
} from "@membus/protocol/plugin";
import { Journal } from "./journal.js";
import { ReferencePlugin } from "./reference-plugin.js";
import type { Row } from "./row.js";

/** One line of the journal: the rows of an operation and its result. */
export interface JournalLine {
  readonly rows: readonly Row[];
  /** Highest revision of every written partition, including deleted entries. */
  readonly lastRevisions: readonly { readonly scope: Row["scope"]; readonly revision: number }[];
  readonly operations: readonly RememberedLine[];
}

type OperationIdentity = Pick<Operation, "tenant" | "agent" | "id">;

interface RememberedLine {
  readonly op: Pick<Operation, "tenant" | "agent" | "id" | "digest">;
  readonly at: number;
  readonly result: unknown;
}

/**
 * The reference plugin with a journal. An operation is answered after its line is on disk.
 *
 * A forget rewrites the whole journal, so that no forgotten data is left.
 */
export class DurablePlugin extends ReferencePlugin {
  protected journal!: Journal<JournalLine>;
  protected lock: DirectoryLock | undefined;
  readonly #settled = new Map<string, RememberedLine>();

  protected override features() {
    return { ...super.features(), durable: true, purge: true, erasure: true };
  }

  override async open(services: PluginServices): Promise<void> {
    await super.open(services);
    const directory = services.dataDirectory;
    if (directory === undefined) throw new MemoryError("unavailable", "a durable tier needs a directory");
    mkdirSync(directory, { recursive: true });
    this.lock = await this.takeLock(directory);
    this.journal = this.openJournal(directory);
    for (const line of this.journal.read()) this.replay(line);
    this.rewrite();
  }

  override async close(): Promise<void> {
    this.rewrite();
    this.journal.close();
    await this.lock?.release();
  }

  protected async takeLock(directory: string): Promise<DirectoryLock | undefined> {
    return lockDirectory(directory, this.services);
  }

  protected openJournal(directory: string): Journal<JournalLine> {
    return new Journal(directory);
  }

  // Writing

  protected override async storeAll(...[scope, request]: Parameters<ReferencePlugin["storeAll"]>) {
    const result = await super.storeAll(scope, request);
    const { rows, lastRevision } = this.partition(scope);
    const written = request.entries.flatMap((item) => rows.get(this.rowKey(item)) ?? []);
    this.remember(request.op, result);
    this.append({
      rows: written,
      lastRevisions: [{ scope, revision: lastRevision }],
      operations: this.remembered(request.op),
    });
    return result;
  }

  protected override async forgetAll(...[selector, request]: Parameters<ReferencePlugin["forgetAll"]>) {
    const result = await super.forgetAll(selector, request);
    this.remember(request.op, result);
    if (result.deleted > 0 || request.purge) this.rewrite();
    else this.append({ rows: [], lastRevisions: [], operations: this.remembered(request.op) });
    return result;
  }

  protected append(line: JournalLine): void {
    this.journal.append(line);
  }

  /** Rewrites the journal with only the current rows. */
  protected rewrite(): void {
    this.journal.rewrite(this.rewritten());
  }

  protected rewritten(): JournalLine {
    const partitions = [...this.partitions.values()];
    return {
      rows: partitions.flatMap(({ rows }) => [...rows.values()]),
      lastRevisions: partitions.map(({ scope, lastRevision }) => ({ scope, revision: lastRevision })),
      operations: [...this.#settled.values()].filter(({ op }) => this.operations.has(this.operationKey(op))),
    };
  }

  protected remember({ tenant, agent, id, digest }: Operation, result: unknown): void {
    const op = { tenant, agent, id, digest };
    this.#settled.set(this.operationKey(op), { op, at: this.now(), result });
  }

  protected remembered(op: Operation): RememberedLine[] {
    return [this.#settled.get(this.operationKey(op))!];
  }

  protected override dropOperations(): void {
    super.dropOperations();
    for (const key of this.#settled.keys()) {
      if (this.operations.has(key)) return;
      this.#settled.delete(key);
    }
  }

  /** Reports an erasure as complete, because a forget is only answered after the journal is rewritten. */
  async onErasure(op: OperationIdentity): Promise<PluginErasureResult | undefined> {
    const known = this.#settled.get(this.operationKey(op));
    const isForget = (known?.result as Partial<PluginForgetResult> | undefined)?.deleted !== undefined;
    return isForget ? { purge: "done", purged_at: known!.at } : undefined;
  }

  // Reading

  protected replay({ rows, lastRevisions, operations }: JournalLine): void {
    for (const row of rows) this.replayRow(row);
    for (const { scope, revision } of lastRevisions) this.replayRevision(scope, revision);
    for (const line of operations) this.replayOperation(line);
  }

  protected replayRow(row: Row): void {
    this.partition(row.scope).rows.set(this.rowKey(row), row);
  }

  protected replayRevision(scope: Row["scope"], revision: number): void {
    const partition = this.partition(scope);
    partition.lastRevision = Math.max(partition.lastRevision, revision);
  }

  protected replayOperation(line: RememberedLine): void {
    const { op, at, result } = line;
    const key = this.operationKey(op);
    this.#settled.set(key, line);
    this.operations.set(key, { digest: op.digest, at, result: Promise.resolve(result) });
  }
}
