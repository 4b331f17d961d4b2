import type { DamagedPart } from "@membus/plugin-kit";
import type { Clock } from "@membus/protocol";
import type { Logger } from "@membus/protocol/plugin";
import pLimit from "p-limit";
import type { TableStore } from "../store/table-store.js";
import type { TableChanges } from "./table-changes.js";

export interface DamagedTablesDependencies {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly store: TableStore;
}

interface DamagedTable {
  readonly reason: string;
  readonly changes: TableChanges;
  /** Grows with every change. */
  revision: number;
  /** Revision that is in the queue. */
  keptRevision: number;
  /** Unix seconds of the next retry. */
  retryAt: number;
  /** Whether no task uses its files any more. */
  isReleased: boolean;
}

/** A failed table that no task uses. */
export interface TakenTable {
  /** Changes that are not durable. */
  readonly changes: TableChanges;
  /** Closes its files, which may take as long as running reads. */
  release(): Promise<unknown>;
}

const REASON_LENGTH_MAX = 200;
const RETRY_S_MAX = 300;
/** Seconds after which a failure no longer lengthens the retry interval. */
const REMEMBERED_S = 2 * RETRY_S_MAX;

/**
 * Tables that cannot be opened or written. Their pending changes are kept in a queue next to the table,
 * because the log is trimmed. No new changes arrive, because the tenant is refused.
 */
export class DamagedTables {
  readonly #parts: DamagedTablesDependencies;
  readonly #tables = new Map<string, DamagedTable>();
  readonly #failures = new Map<string, { readonly count: number; readonly at: number }>();
  /** Running decisions whether failed tables are damaged. */
  readonly #verdicts = new Map<string, Promise<Error | undefined>>();
  /** Serialises reads and writes of the queues. */
  readonly #turns = pLimit(1);

  constructor(parts: DamagedTablesDependencies) {
    this.#parts = parts;
  }

  get names(): readonly string[] {
    return [...this.#tables.keys()];
  }

  get parts(): readonly DamagedPart[] {
    return [...this.#tables].map(([name, { reason }]) => ({ name, reason }));
  }

  get count(): number {
    return this.#tables.size;
  }

  has(name: string): boolean {
    return this.#tables.has(name);
  }

  /**
   * The running decision whether a table is damaged, if there is one. No task may start to use the table before its end:
   * its changes would be lost.
   */
  verdictOn(name: string): Promise<Error | undefined> | undefined {
    return this.#verdicts.get(name);
  }

  /**
   * Sets a table aside after an error, or returns what keeps the store from answering. All failures of a table at this
   * time get the same answer. Errors as in `add`.
   */
  judge(name: string, error: unknown, take: () => Promise<TakenTable>): Promise<Error | undefined> {
    const decide = async () => {
      if (this.has(name)) return undefined;
      const obstacle = await this.#parts.store.obstacle?.();
      if (obstacle === undefined) await this.add(name, error, await take());
      return obstacle;
    };
    const verdict = this.#verdicts.get(name) ?? decide().finally(() => this.#verdicts.delete(name));
    this.#verdicts.set(name, verdict);
    return verdict;
  }

  /** Adds a change for a damaged table. */
  change(name: string, change: (changes: TableChanges) => void): void {
    const table = this.#tables.get(name)!;
    change(table.changes);
    table.revision++;
  }

  /** Sets a table aside. If its changes cannot be kept, it is not set aside and `error` is thrown. */
  add(name: string, error: unknown, { changes, release }: TakenTable): Promise<void> {
    return this.#turns(async () => {
      if (this.#tables.has(name)) return this.change(name, (kept) => kept.add(changes));
      const { logger, store } = this.#parts;
      const kept = await store.table(name).queue.read();
      kept.add(changes);
      try {
        await this.#write(name, kept);
      } catch (cause) {
        logger.error({ err: cause, table: name }, "could not set a damaged table aside");
        throw error;
      }
      const retryAt = this.#nextTry(name);
      const reason = reasonOf(error);
      const table = { reason, changes: kept, revision: 0, keptRevision: 0, retryAt, isReleased: false };
      this.#tables.set(name, table);
      const released = () => {
        table.isReleased = true;
      };
      release().then(released, released);
      logger.error(
        { err: error, table: name, remedy: store.remedy },
        "a table is damaged, requests of its tenant are refused",
      );
    });
  }

  /** Writes all queued changes durably. */
  keep(): Promise<void> {
    return this.#turns(async () => {
      for (const [name, table] of this.#tables) {
        const { revision } = table;
        if (table.keptRevision === revision) continue;
        await this.#write(name, table.changes);
        table.keptRevision = revision;
      }
    });
  }

  /** Tables that are due for a retry. */
  get due(): readonly string[] {
    const now = this.#parts.clock.now();
    return [...this.#tables].flatMap(([name, { retryAt, isReleased }]) =>
      isReleased && retryAt <= now ? [name] : [],
    );
  }

  /** Retries a table: `redo` opens it and applies the queued changes. Returns whether it is in use again. */
  retry(name: string, applyChanges: (changes: TableChanges) => Promise<void>): Promise<boolean> {
    return this.#turns(async () => {
      const table = this.#tables.get(name)!;
      try {
        // Repeats until no further change has arrived.
        for (let done = -1; done !== table.revision; ) {
          done = table.revision;
          await applyChanges(table.changes);
        }
      } catch (error) {
        table.retryAt = this.#nextTry(name);
        this.#parts.logger.warn({ err: error, table: name }, "a table is still damaged");
        return false;
      }
      this.#tables.delete(name);
      this.#parts.logger.info({ table: name }, "a table is in use again");
      return true;
    });
  }

  async #write(name: string, changes: TableChanges): Promise<void> {
    if (!changes.isEmpty) await this.#parts.store.table(name).queue.write(changes);
  }

  #nextTry(name: string): number {
    const now = this.#parts.clock.now();
    const last = this.#failures.get(name);
    const count = last !== undefined && now - last.at < REMEMBERED_S ? last.count + 1 : 1;
    this.#failures.set(name, { count, at: now });
    return now + Math.min(RETRY_S_MAX, 2 ** count);
  }
}

/** Returns the first line of an error, without the place in LanceDB's source that follows it. */
function reasonOf(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  const [line = ""] = message.split("\n", 1);
  return line.split(", /", 1)[0]!.slice(0, REASON_LENGTH_MAX);
}
