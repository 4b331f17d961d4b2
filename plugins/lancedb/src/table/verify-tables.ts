import type { Table } from "@lancedb/lancedb";
import type { OnPartBytes, StoredPart, StoredRow } from "@membus/plugin-kit";
import type { RecordBatch } from "apache-arrow";
import { bodySums, mismatchedRows, rowSums, vectorSums } from "../rows/checksums.js";
import { compare, isIn } from "../rows/filters.js";
import { dataOf, summedColumns } from "../rows/row-columns.js";
import { COLUMNS, KEY_HASH_BYTES } from "../rows/schema.js";
import { TextColumn } from "../rows/text-column.js";
import type { SyncedVersion, TableStore } from "../store/table-store.js";
import { TableProgress } from "./table-progress.js";
import { chunks } from "./tenant-table.js";

/** Reads the last synced version of every table of a store. Nothing may be written there concurrently. */
export async function* verifyTables(store: TableStore, onBytes: OnPartBytes): AsyncGenerator<StoredPart> {
  const { tables } = await store.list();
  const connection = await store.view();
  try {
    for (const name of tables) {
      const stored = store.table(name);
      // The size is only for the progress. Reading the table reports files that cannot be listed.
      const sizeBytes = await stored.sizeBytes().catch(() => 0);
      const progress = new TableProgress(sizeBytes, (count) => onBytes(count, name));
      const reader = new TableReader(name, progress);
      const synced = await stored.synced().catch(() => undefined);
      try {
        // Without a synced version nothing was ever stored in the table.
        if (synced !== undefined) await reader.read(await stored.view(connection), synced);
      } catch (error) {
        const reason = (error as Error).message.split("\n", 1)[0];
        reader.problems.push(`${stored.location} cannot be read: ${reason}`);
      }
      yield { name, rows: reader.rows, problems: reader.problems, orphans: await stored.orphans() };
    }
  } finally {
    connection.close();
  }
}

class TableReader {
  readonly rows: StoredRow[] = [];
  readonly problems: string[] = [];
  readonly #progress: TableProgress;

  constructor(
    readonly name: string,
    progress: TableProgress,
  ) {
    this.#progress = progress;
  }

  async read(table: Table, { version, rowCount }: SyncedVersion): Promise<void> {
    try {
      await table.checkout(version);
      const present = new Set((await table.schema()).fields.map(({ name }) => name));
      const columns = COLUMNS.filter((column) => present.has(column));
      // Each row is read, and then counted with two indexes.
      this.#progress.expect(3 * (rowCount ?? (await table.countRows())));
      for await (const batch of table.query().select(columns)) {
        this.#take(batch);
        this.#progress.advance(batch.numRows);
      }
      const { length } = this.rows;
      if (rowCount !== undefined && length !== rowCount)
        this.problems.push(`${this.name} has ${length} rows, expected ${rowCount}`);
      await this.#compareIndexes(table);
    } finally {
      table.close();
    }
  }

  #take(batch: RecordBatch): void {
    const scopes = new TextColumn(dataOf(batch, "scope"));
    const embedders = new TextColumn(dataOf(batch, "embedder"));
    const ids = dataOf(batch, "row_id").values as Float64Array;
    const revisions = dataOf(batch, "revision").values as Float64Array;
    const hashes = dataOf(batch, "key_hash").values as Uint8Array;
    const report = (part: string, found: Float64Array, sums: "row_sum" | "body_sum" | "vector_sum") => {
      for (const row of mismatchedRows(found, dataOf(batch, sums)))
        this.problems.push(
          `${part} ${ids[row]} of ${scopes.at(row)} in ${this.name}: the checksum does not match`,
        );
    };
    report("row", rowSums(summedColumns(batch, (row) => scopes.at(row))), "row_sum");
    report("the body of row", bodySums(dataOf(batch, "body"), dataOf(batch, "row_id")), "body_sum");
    if (batch.getChild("vector") !== null)
      report(
        "the vector of row",
        vectorSums(dataOf(batch, "vector"), (row) => embedders.at(row)),
        "vector_sum",
      );
    for (let row = 0; row < batch.numRows; row++) {
      const hash = hashes.subarray(row * KEY_HASH_BYTES, (row + 1) * KEY_HASH_BYTES);
      const keyHash = Buffer.from(hash).toString("hex");
      this.rows.push({ scope: scopes.at(row), rowId: ids[row]!, revision: revisions[row]!, keyHash });
    }
  }

  /** Checks that queries by indexed columns find all rows. */
  async #compareIndexes(table: Table): Promise<void> {
    const counts = new Map<string, number>();
    for (const { scope } of this.rows) counts.set(scope, (counts.get(scope) ?? 0) + 1);
    for (const [scope, count] of counts) {
      const found = await table.countRows(compare("scope", "=", scope));
      if (found !== count)
        this.problems.push(`the scope index of ${this.name} finds ${found} of ${count} rows of ${scope}`);
      this.#progress.advance(count);
    }
    for (const ids of chunks(this.rows.map(({ rowId }) => rowId))) {
      const found = await table.countRows(isIn("row_id", ids));
      if (found !== ids.length)
        this.problems.push(
          `the row index of ${this.name} finds ${found} of ${ids.length} rows from row ${ids[0]} on`,
        );
      this.#progress.advance(ids.length);
    }
  }
}
