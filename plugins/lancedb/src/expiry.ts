import { and, compare } from "./rows/filters.js";
import type { Column } from "./rows/schema.js";
import type { TenantTable } from "./table/tenant-table.js";

/** Maximum rows read to find scopes. A scope with more expired rows hides others until the next run. */
const ROWS_MAX = 1_000_000;

/** Tracks the next expiry of each table, so that tables without expired rows are not read. */
export class Expiry {
  /** Unix seconds by table. Absent if unknown. */
  readonly #next = new Map<string, number>();

  isDue(table: string, now: number): boolean {
    return (this.#next.get(table) ?? 0) <= now;
  }

  /** Records that rows expiring at `at` were committed. */
  added(table: string, at: number): void {
    const next = this.#next.get(table);
    if (next !== undefined && at < next) this.#next.set(table, at);
  }

  /** Adds scopes of the table with expired rows to `scopes`, up to `limit`. */
  async find(table: TenantTable, now: number, scopes: Set<string>, limit: number): Promise<void> {
    // Rows added from here on lower this value. Rows added before are seen by the reads below.
    this.#next.set(table.name, Number.POSITIVE_INFINITY);
    const before = scopes.size;
    try {
      await findExpired(table, now, scopes, limit);
      this.added(table.name, scopes.size > before ? now : await firstAfter(table, now));
    } catch (error) {
      this.#next.delete(table.name);
      throw error;
    }
  }
}

async function findExpired(
  table: TenantTable,
  now: number,
  scopes: Set<string>,
  limit: number,
): Promise<void> {
  const expired = and(compare("expires_at", ">", 0), compare("expires_at", "<=", now));
  await table.read(async (lance) => {
    const column: Column = "scope";
    for await (const batch of lance.query().where(expired).select([column]).limit(ROWS_MAX)) {
      for (const scope of batch.getChild(column)!) {
        if (scopes.size >= limit) return;
        scopes.add(scope as string);
      }
    }
  });
}

async function firstAfter(table: TenantTable, now: number): Promise<number> {
  const column: Column = "expires_at";
  const first = await table.read((lance) =>
    lance
      .query()
      .where(compare(column, ">", now))
      .select([column])
      .orderBy({ columnName: column })
      .limit(1)
      .toArrow(),
  );
  return first.numRows === 0 ? Number.POSITIVE_INFINITY : (first.getChild(column)!.get(0) as number);
}
