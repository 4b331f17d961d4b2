import { parseArgs } from "node:util";
import { STATIC_EMBEDDER_DEFAULTS } from "@membus/embeddings";
import { LIMITS } from "@membus/protocol";

/** The most entries that retrieves are measured over; a million takes many minutes, so it must be asked for. */
const ENTRIES_MAX_DEFAULT = 100_000;

export function helpText(cases: readonly string[]): string {
  return `npm run bench -- [--only CASE,...] [--entries MAX] [--dimensions N] [--json FILE] [--chart FILE]
npm run bench -- --from FILE --chart FILE

Every figure is a ratio to a raw limit that is measured beside it. bench/README.md tells what the cases are.

  --only CASE,...  ${cases.join(", ")}; all if not given
  --entries MAX    the most entries that \`retrieve\` is measured over, ${ENTRIES_MAX_DEFAULT} if not given
  --dimensions N   components of its vectors, 1 to ${LIMITS.embeddingDimensions}, ${STATIC_EMBEDDER_DEFAULTS.dimensions} if not given
  --json FILE      also writes the figures to this file
  --chart FILE     writes an SVG chart of the searches that \`retrieve\` measured
  --from FILE      reads the figures that --json wrote, instead of measuring
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

/** Of a command line. Undefined where it asks for help; a `TypeError` tells what is wrong with one. */
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
    if (!cases.includes(name)) throw new TypeError(`no case ${name}: there are ${cases.join(", ")}`);
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
  throw new TypeError(`--${flag} must be a whole number from 1 to ${max}, got ${text}`);
}
