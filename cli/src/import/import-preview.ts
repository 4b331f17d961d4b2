import { type ImportSource, readItems } from "./foreign-format.js";

/** What an import would store. */
export interface ImportPreview {
  /** Number of entries by the kind of their record. Other entries count as "entry". */
  readonly kinds: Readonly<Record<string, number>>;
  /** Number of entries by tier. */
  readonly tiers: Readonly<Record<string, number>>;
  readonly rejected: number;
  /** First three entries, each with its namespace if the client has another one. */
  readonly samples: readonly object[];
}

const SAMPLES = 3;

/** Reads a source without storing anything. Rows that only the host would reject are counted as entries. */
export async function previewImport(source: ImportSource, defaultTier: string): Promise<ImportPreview> {
  const tiers: Record<string, number> = {};
  const kinds: Record<string, number> = {};
  const samples: object[] = [];
  let rejected = 0;
  for await (const { entry, namespace } of readItems(source)) {
    if (entry === undefined) {
      rejected++;
      continue;
    }
    const kind = kindOf(entry);
    kinds[kind] = (kinds[kind] ?? 0) + 1;
    const tier = String((entry as { tier?: unknown }).tier ?? defaultTier);
    tiers[tier] = (tiers[tier] ?? 0) + 1;
    if (samples.length < SAMPLES) samples.push(namespace === undefined ? entry : { namespace, ...entry });
  }
  return { kinds, tiers, rejected, samples };
}

function kindOf(entry: object): string {
  const { metadata, key } = entry as { metadata?: { kind?: unknown } | null; key?: { graph?: unknown } };
  if (typeof metadata?.kind === "string") return metadata.kind;
  return key?.graph === "entity" ? "entity" : "entry";
}
