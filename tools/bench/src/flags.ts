import { parseArgs } from "node:util";
import { STATIC_EMBEDDER_DEFAULTS } from "@membus/embeddings";
import { LIMITS } from "@membus/protocol";

/** Default for the largest `retrieve` size. A million takes many minutes, so it must be requested. */
const ENTRIES_MAX_DEFAULT = 100_000;

export function helpText(cases: readonly string[]): string {
  return `npm run bench -- [--only CASE,...] [--entries MAX] [--dimensions N] [--json FILE] [--chart FILE]
npm run bench -- --from FILE --chart FILE

Every result is a ratio to a baseline that is measured in the same run. See tools/bench/README.md for the cases.

  --only CASE,...  cases to run: ${cases.join(", ")} (default: all)
  --entries MAX    largest size for \`retrieve\` (default ${ENTRIES_MAX_DEFAULT})
  --dimensions N   vector dimensions, 1..${LIMITS.embeddingDimensions} (default ${STATIC_EMBEDDER_DEFAULTS.dimensions})
  --json FILE      also write the results to this file
  --chart FILE     write an SVG chart of the \`retrieve\` searches
  --from FILE      read results written by --json instead of measuring
`;
}

export interface Flags {
  readonly only: readonly string[];
  readonly entriesMax: number;
  readonly dimensions: number;
  readonly json: string | undefined;
  readonly chart: string | undefined;
  readonly from: string | undefined;
}

/**
 * Parses a command line. Returns undefined if it requests help.
 * @throws {TypeError} naming the invalid flag.
 */
export function readFlags(args: string[], cases: readonly string[]): Flags | undefined {
  const { values } = parseArgs({
    args,
    options: {
      only: { type: "string", default: cases.join(",") },
      entries: { type: "string", default: String(ENTRIES_MAX_DEFAULT) },
      dimensions: { type: "string", default: String(STATIC_EMBEDDER_DEFAULTS.dimensions) },
      json: { type: "string" },
      chart: { type: "string" },
      from: { type: "string" },
      help: { type: "boolean", short: "h" },
    },
  });
  if (values.help === true) return undefined;
  const only = values.only.split(",");
  for (const name of only) {
    if (!cases.includes(name))
      throw new TypeError(`unknown case ${name}: expected one of ${cases.join(", ")}`);
  }
  return {
    only,
    entriesMax: numberOf("entries", values.entries, Number.MAX_SAFE_INTEGER),
    dimensions: numberOf("dimensions", values.dimensions, LIMITS.embeddingDimensions),
    json: values.json,
    chart: values.chart,
    from: values.from,
  };
}

function numberOf(flag: string, text: string, max: number): number {
  const number = Number(text);
  if (Number.isInteger(number) && number >= 1 && number <= max) return number;
  throw new TypeError(`--${flag} must be an integer in 1..${max}, got ${text}`);
}
