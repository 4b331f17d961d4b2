import type { Table } from "@lancedb/lancedb";
import { storageUnreachable } from "@membus/plugin-kit";
import type { Clock } from "@membus/protocol";
import type { Logger } from "@membus/protocol/plugin";
import pLimit from "p-limit";
import { retryCommit } from "../table/commit-retry.js";
import type { TableOwnership } from "./table-records.js";
import type { Change } from "./table-store.js";
import { isUnreachable } from "./unreachable.js";

export interface VerifiedCommitsContext {
  readonly name: string;
  readonly ownership: TableOwnership;
  readonly clock: Clock;
  readonly logger: Logger;
  onRepair(): void;
}

/** A version that has only rows of this owner. */
export interface VerifiedVersion {
  readonly version: number;
  readonly rowCount: number;
}

/** Each repetition takes another late append of an earlier owner. */
const ATTEMPTS = 3;

/**
 * Commits of an open table, one after the other. An append of an earlier owner can still arrive once the version
 * that fenced it is cleaned up, and the next commit then includes it. So the rows are counted after each commit.
 * With another number the table is restored, and the commit is repeated.
 */
export class VerifiedCommits {
  readonly #table: Table;
  readonly #context: VerifiedCommitsContext;
  readonly #turns = pLimit(1);
  #verified: VerifiedVersion;
  #repairCount = 0;

  private constructor(table: Table, verified: VerifiedVersion, context: VerifiedCommitsContext) {
    this.#table = table;
    this.#verified = verified;
    this.#context = context;
  }

  /** @param table an open table. Its present version must have only rows of this owner. */
  static async on(table: Table, context: VerifiedCommitsContext): Promise<VerifiedCommits> {
    const verified = { version: await table.version(), rowCount: await table.countRows() };
    return new VerifiedCommits(table, verified, context);
  }

  /** The last verified version. */
  get verified(): VerifiedVersion {
    return this.#verified;
  }

  /** See `StoredTable.commit`. */
  run<T>(change: Change<T>, addedCount: (result: T) => number): Promise<T> {
    return this.#turns(async () => {
      for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
        const result = await this.#change(change);
        if (await this.#verify(addedCount(result))) return result;
      }
      const message = `${ATTEMPTS} commits to ${this.#context.name} included rows of another owner`;
      throw storageUnreachable(new Error(message));
    });
  }

  /**
   * Runs a read.
   * @throws {MemoryError} `unavailable` if it may have seen rows of another owner.
   */
  async read<T>(task: Change<T>): Promise<T> {
    const repairCount = this.#repairCount;
    const result = await task(this.#table);
    // A commit is done and not verified.
    if ((await this.#table.version()) !== this.#verified.version) await this.#turns(() => undefined);
    if (this.#repairCount === repairCount) return result;
    throw storageUnreachable(new Error(`${this.#context.name} had rows of another owner during a read`));
  }

  async #change<T>(change: Change<T>): Promise<T> {
    try {
      return await this.#commit(() => change(this.#table));
    } catch (error) {
      // A table that cannot be reached is opened again.
      if (!isUnreachable(error)) await this.#verifyLatest().catch(() => undefined);
      throw error;
    }
  }

  /** Verifies the table after a failed change, which may be done in part although LanceDB reports a failure. */
  async #verifyLatest(): Promise<void> {
    await this.#table.checkoutLatest();
    await this.#verify(0);
  }

  /** Returns false after a repair. */
  async #verify(addedCount: number): Promise<boolean> {
    const { version, rowCount } = this.#verified;
    const found = { version: await this.#table.version(), rowCount: await this.#table.countRows() };
    if (found.rowCount === rowCount + addedCount) {
      this.#verified = found;
      return true;
    }
    const { logger, name } = this.#context;
    const expected = { version, rowCount: rowCount + addedCount };
    logger.warn({ table: name, found, expected }, "a table has rows of another owner, restoring it");
    await this.#repair();
    return false;
  }

  async #repair(): Promise<void> {
    this.#repairCount++;
    const { version, rowCount } = this.#verified;
    await this.#context.ownership.untilOwned();
    await this.#table.checkout(version);
    await this.#commit(() => this.#table.restore());
    this.#context.onRepair();
    this.#verified = { version: await this.#table.version(), rowCount };
  }

  #commit<T>(change: () => Promise<T>): Promise<T> {
    return retryCommit(this.#context.clock, async () => {
      await this.#context.ownership.untilOwned();
      return change();
    });
  }
}
