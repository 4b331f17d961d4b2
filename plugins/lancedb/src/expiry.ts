import { and, compare } from "./rows/filters.js";
import type { Column } from "./rows/schema.js";
import type { TenantTable } from "./table/tenant-table.js";

/** Rows read to find scopes: a scope with more expired rows than this hides others until the next look. */
const ROWS_MAX = 1_000_000;

/** Knows when a row of a table expires next, so that tables where nothing has expired are not read. */
export class Expiry {
  /** Unix seconds by table; absent while unknown. */
  readonly #next = new Map<string, number>();

  isDue(table: string, now: number): boolean {
    return (this.#next.get(table) ?? 0) <= now;
  }

  /** Rows that expire at `at` have been committed. */
  added(table: string, at: number): void {
    const next = this.#next.get(table);
    if (next !== undefined && at < next) this.#next.set(table, at);
  }

  /** Adds scopes of the table that hold an expired row to `scopes`, while it has fewer than `limit`. */
  async find(table: TenantTable, now: number, scopes: Set<string>, limit: number): Promise<void> {
    // What is added from here on lowers this; what was added before is seen by the reads below.
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
