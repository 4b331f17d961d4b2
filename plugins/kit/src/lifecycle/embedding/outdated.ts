import type { Row } from "../../row.js";
import type { GenerationIds } from "../../storage.js";

/**
 * Whether a row has to be written anew for a generation. Without an embedder vectors stay as they are, and so does the
 * row that has one: its terms are made anew whenever it is loaded.
 */
export function isOutdated(
  row: Pick<Row, "analyzer" | "embedder">,
  { analyzer, embedder }: GenerationIds,
): boolean {
  if (embedder === undefined) return row.analyzer !== analyzer && row.embedder === "";
  return row.analyzer !== analyzer || row.embedder !== embedder;
}
