import type { Table } from "@lancedb/lancedb";
import type { RecordBatch } from "apache-arrow";
import { arrow } from "../lancedb.js";
import type { TableOwnership } from "./table-records.js";

/** Rows of one append. */
const COPIED_ROWS = 8_192;

/** Adds all rows of a table to another one, in parts. */
export async function copyRows(from: Table, to: Table, ownership: TableOwnership): Promise<void> {
  let batches: RecordBatch[] = [];
  let rowCount = 0;
  const add = async () => {
    await ownership.untilOwned();
    await to.add(new (arrow().Table)(batches));
    batches = [];
    rowCount = 0;
  };
  for await (const batch of from.query()) {
    batches.push(batch);
    rowCount += batch.numRows;
    if (rowCount >= COPIED_ROWS) await add();
  }
  if (rowCount > 0) await add();
}
