import { join } from "node:path";
import { replaceFile } from "@membus/disk";
import type { Logger } from "@membus/protocol";
import { readMarkerFile } from "../../journal/index.js";
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

/** Whose terms and vectors the rows of a tier's directory have. */
export interface GenerationMarker {
  /** How many there have been, this one included. */
  readonly generation: number;
  readonly analyzer: string;
  /** "" for none. */
  readonly embedder: string;
  /** False while there may be rows of another. */
  readonly done: boolean;
}

const FILE_NAME = "generation.json";

/** The marker of a directory; of a new one, and where the file says nothing, it names nothing: the rows are looked through. */
export async function readGenerationMarker(directory: string, logger: Logger): Promise<GenerationMarker> {
  const marker = await readMarkerFile<GenerationMarker>(join(directory, FILE_NAME), logger, isMarker);
  return marker ?? { generation: 0, analyzer: "", embedder: "", done: false };
}

function isMarker({ generation, analyzer, embedder, done }: Partial<GenerationMarker>): boolean {
  const hasTexts = typeof analyzer === "string" && typeof embedder === "string";
  return Number.isSafeInteger(generation) && hasTexts && typeof done === "boolean";
}

export async function writeGenerationMarker(directory: string, marker: GenerationMarker): Promise<void> {
  await replaceFile(join(directory, FILE_NAME), JSON.stringify(marker));
}
