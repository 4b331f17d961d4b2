import type { RowBody } from "../../row.js";
import type { Partition } from "../../search/index.js";
import { Yielder } from "../../yielder.js";
import type { BodyCache } from "../residency/body-cache.js";
import type { DocumentIndexer } from "./index-document.js";

/** Rows read in one call. */
const BATCH = 256;
const NOTHING = new Uint32Array(0);

/**
 * Analyses the rows of a loaded partition that have another analyzer's terms, so that all terms in RAM are of
 * one analyzer.
 */
export async function reanalyse(
  scope: string,
  partition: Partition,
  { bodies, indexer }: { readonly bodies: BodyCache; readonly indexer: DocumentIndexer },
): Promise<void> {
  const yielder = new Yielder();
  for (let from = 0; ; ) {
    const rows = partition.rowsToReanalyse(BATCH, from);
    if (rows.length === 0) return;
    const found = await bodies.get(
      scope,
      rows.map(({ rowId }) => rowId),
    );
    for (const { slot, rowId } of rows) {
      const body = found.get(rowId);
      const facets = partition.facetsOf(slot);
      const occurredAt = partition.columns.numbers.occurredAt[slot]!;
      const draft =
        body === undefined ? undefined : { body: JSON.parse(body) as RowBody, facets, occurredAt };
      partition.setTerms(slot, draft === undefined ? NOTHING : indexer.terms(draft));
      await yielder.yieldIfDue();
    }
    from = rows.at(-1)!.slot + 1;
  }
}
