import { readFile, rename, unlink } from "node:fs/promises";
import { dirname } from "node:path";
import { SerialQueue } from "@membus/disk";
import type { Clock, Logger } from "@membus/protocol";
import { type Disk, isMissing, replaceFile } from "../disk.js";
import { TableChanges } from "./table-changes.js";

export interface SetAsideParts {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly disk: Disk;
  /** Where the changes of a table wait. */
  pathOf(name: string): string;
}

interface DamagedTable {
  readonly changes: TableChanges;
  /** Grows with every change. */
  revision: number;
  /** The revision that is on disk. */
  keptRevision: number;
  /** Unix seconds; not tried again before. */
  retryAt: number;
  /** Nothing works on its files any more. */
  isReleased: boolean;
}

const RETRY_S_MAX = 300;
/** What failed longer ago does not make the next wait longer. */
const REMEMBERED_S = 2 * RETRY_S_MAX;

/**
 * Tables that cannot be opened or written. What should be done to one waits in a file beside it, as the log lets go of
 * it; nothing new comes, since its tenant is refused.
 */
export class SetAside {
  readonly #parts: SetAsideParts;
  readonly #tables = new Map<string, DamagedTable>();
  readonly #failures = new Map<string, { readonly count: number; readonly at: number }>();
  /** What reads and writes the files of changes. */
  readonly #turns = new SerialQueue();

  constructor(parts: SetAsideParts) {
    this.#parts = parts;
  }

  get names(): readonly string[] {
    return [...this.#tables.keys()];
  }

  get count(): number {
    return this.#tables.size;
  }

  has(name: string): boolean {
    return this.#tables.has(name);
  }

  /** What waits for a table that is set aside. */
  change(name: string, change: (changes: TableChanges) => void): void {
    const table = this.#tables.get(name)!;
    change(table.changes);
    table.revision++;
  }

  /**
   * `release` lets go of its files, which may take as long as whoever reads them. Where its changes cannot be kept, the
   * table is not set aside, and `error` is thrown.
   */
  put(name: string, error: unknown, changes: TableChanges, release: () => Promise<unknown>): Promise<void> {
    return this.#turns.run(async () => {
      if (this.#tables.has(name)) return this.change(name, (kept) => kept.add(changes));
      const { logger } = this.#parts;
      const kept = await this.waiting(name);
      kept.add(changes);
      try {
        await this.#write(name, kept);
      } catch (cause) {
        logger.error({ err: cause, table: name }, "a damaged table cannot be set aside");
        throw error;
      }
      const retryAt = this.#nextTry(name);
      const table = { changes: kept, revision: 0, keptRevision: 0, retryAt, isReleased: false };
      this.#tables.set(name, table);
      const released = () => {
        table.isReleased = true;
      };
      release().then(released, released);
      const remedy = "with the host stopped, restore it from a backup, or move it away to begin anew";
      logger.error({ err: error, table: name, remedy }, "a table is damaged; its tenant alone is refused");
    });
  }

  /** What waits for a table on disk, from whichever process. */
  async waiting(name: string): Promise<TableChanges> {
    const path = this.#parts.pathOf(name);
    try {
      return TableChanges.decode(await readFile(path));
    } catch (error) {
      if (isMissing(error)) return new TableChanges();
      const aside = `${path}.corrupt`;
      await rename(path, aside);
      this.#parts.logger.error({ err: error, file: aside }, "changes that waited for a table are lost");
      return new TableChanges();
    }
  }

  /** Everything that waits is on disk. */
  keep(): Promise<void> {
    return this.#turns.run(async () => {
      for (const [name, table] of this.#tables) {
        const { revision } = table;
        if (table.keptRevision === revision) continue;
        await this.#write(name, table.changes);
        table.keptRevision = revision;
      }
    });
  }

  /** Tables to be tried again now. */
  get due(): readonly string[] {
    const now = this.#parts.clock.now();
    return [...this.#tables].flatMap(([name, { retryAt, isReleased }]) =>
      isReleased && retryAt <= now ? [name] : [],
    );
  }

  /** Tries a table again: `redo` opens it and does what has waited. Returns whether it is in use again. */
  retry(name: string, redo: (changes: TableChanges) => Promise<void>): Promise<boolean> {
    return this.#turns.run(async () => {
      const table = this.#tables.get(name)!;
      try {
        // Until nothing has come in between.
        for (let done = -1; done !== table.revision; ) {
          done = table.revision;
          await redo(table.changes);
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

  /** What has waited is done, and on disk for good. */
  async done(name: string): Promise<void> {
    const path = this.#parts.pathOf(name);
    await unlink(path).catch((error: unknown) => {
      if (!isMissing(error)) throw error;
    });
    await this.#parts.disk.syncDirectory(dirname(path));
  }

  async #write(name: string, changes: TableChanges): Promise<void> {
    const { disk, pathOf } = this.#parts;
    if (!changes.isEmpty) await replaceFile(pathOf(name), changes.encode(), disk);
  }

  #nextTry(name: string): number {
    const now = this.#parts.clock.now();
    const last = this.#failures.get(name);
    const count = last !== undefined && now - last.at < REMEMBERED_S ? last.count + 1 : 1;
    this.#failures.set(name, { count, at: now });
    return now + Math.min(RETRY_S_MAX, 2 ** count);
  }
}
