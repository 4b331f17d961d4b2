import { GENERATION_MARKER, type Markers } from "../../place/index.js";
import type { Row } from "../../row.js";
import type { GenerationIds } from "../../storage.js";

/**
 * Returns whether a row must be rewritten for a generation. Without an embedder, vectors stay unchanged, and
 * so do rows with a vector. Their terms are recomputed at each load.
 */
export function isOutdated(
  row: Pick<Row, "analyzer" | "embedder">,
  { analyzer, embedder }: GenerationIds,
): boolean {
  if (embedder === undefined) return row.analyzer !== analyzer && row.embedder === "";
  return row.analyzer !== analyzer || row.embedder !== embedder;
}

/** Analyzer and embedder of the rows in a tier. */
export interface GenerationMarker {
  /** Number of generations so far, including this one. */
  readonly generation: number;
  readonly analyzer: string;
  /** "" for none. */
  readonly embedder: string;
  /** False while rows of another generation may exist. */
  readonly done: boolean;
}

/**
 * Reads the marker of a tier. For a new tier or an unreadable marker, it names no generation, so all rows are
 * checked.
 */
export async function readGenerationMarker(markers: Markers): Promise<GenerationMarker> {
  const marker = await markers.read<GenerationMarker>(GENERATION_MARKER, isMarker);
  return marker ?? { generation: 0, analyzer: "", embedder: "", done: false };
}

function isMarker({ generation, analyzer, embedder, done }: Partial<GenerationMarker>): boolean {
  const hasTexts = typeof analyzer === "string" && typeof embedder === "string";
  return Number.isSafeInteger(generation) && hasTexts && typeof done === "boolean";
}

export function writeGenerationMarker(markers: Markers, marker: GenerationMarker): Promise<void> {
  return markers.write(GENERATION_MARKER, marker);
}
