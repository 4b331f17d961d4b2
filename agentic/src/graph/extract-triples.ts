import { parseOption } from "@membus/protocol";
import type { Trust } from "@membus/protocol/records";
import { z } from "zod";
import { type ChatModel, type Cost, CostMeter, generateObject, loadPrompt } from "../model/index.js";
import { SourcesSchema, TrustOptionSchema } from "../option-schemas.js";
import { splitText } from "../split-text.js";
import { type AddedTriple, addTriples } from "./add-triples.js";
import { searchTriples } from "./search-triples.js";
import { normaliseTriple, type Triple } from "./triple.js";
import type { GraphCall, TripleStore } from "./triple-store.js";

export interface ExtractOptions extends GraphCall {
  readonly model: ChatModel;
  /** Trust of the text: "user" unless given. */
  readonly trust?: Trust | undefined;
  /** Key hashes of the entries that the text is from, as in `TripleInput`. */
  readonly sources?: readonly string[] | undefined;
}

export interface ExtractResult {
  /** Outcome of each statement. Empty if the text states nothing. */
  readonly added: readonly AddedTriple[];
  readonly cost: Cost;
}

const TEXT_LENGTH_MAX = 100_000;
const TRIPLE_COUNT_MAX = 30;
/** Known nodes in the prompt, so that the model uses the same names. */
const KNOWN_COUNT_MAX = 50;
const QUERY_LENGTH_MAX = 2_000;

/** Characters of a text in one question. A longer text is read in parts. */
const PART_LENGTH_MAX = 8_000;

/** Schema of the statements of a text. These lengths always fit into a key together. */
export const StatementsSchema = z.object({
  triples: z
    .array(
      z.object({
        subject: z.string().trim().min(1).max(100),
        predicate: z.string().trim().min(1).max(60),
        object: z.string().trim().min(1).max(150),
        evidence: z.string().max(300),
      }),
    )
    .max(TRIPLE_COUNT_MAX),
});

/** Asks the model about each part of the text, then adds the triples in one store. Nothing is written if the answer is invalid. */
export async function extractTriples(
  store: TripleStore,
  text: string,
  { model, trust = "user", sources, ...call }: ExtractOptions,
): Promise<ExtractResult> {
  checkText(text);
  parseOption(TrustOptionSchema, trust, "trust");
  if (sources !== undefined) parseOption(SourcesSchema, sources, "sources");
  const meter = new CostMeter(store.clock);
  const { nodes } = await searchTriples(
    store,
    { query: text.slice(0, QUERY_LENGTH_MAX), limit: KNOWN_COUNT_MAX, minScore: 0 },
    call,
  );
  const system = loadPrompt("extract-triples", {
    limit: String(TRIPLE_COUNT_MAX),
    nodes:
      nodes.length === 0
        ? "(none)"
        : nodes
            .slice(0, KNOWN_COUNT_MAX)
            .map((node) => `- ${node}`)
            .join("\n"),
  });
  const extracted: Triple[] = [];
  for (const part of splitText(text, PART_LENGTH_MAX)) {
    const messages = [
      { role: "system" as const, content: system },
      { role: "user" as const, content: JSON.stringify(part) },
    ];
    const { signal } = call;
    const question = { messages, schema: StatementsSchema, name: "statements", temperature: 0, signal };
    const { triples } = await generateObject(model, question, meter);
    for (const triple of triples)
      extracted.push(normaliseTriple({ ...quoted(triple, part), trust, sources }, store.options));
  }
  const added = await addTriples(store, extracted, call);
  meter.written(added.filter(({ outcome }) => outcome === "created" || outcome === "updated").length);
  return { added, cost: meter.cost };
}

function checkText(text: unknown): void {
  const length = typeof text === "string" ? text.length : 0;
  if (length === 0 || length > TEXT_LENGTH_MAX) {
    throw new TypeError(`text must have 1..${TEXT_LENGTH_MAX} characters, got ${length}`);
  }
}

/** Removes evidence that is not a quotation from the text. */
function quoted<T extends { readonly evidence: string }>(triple: T, text: string): T {
  return folded(text).includes(folded(triple.evidence)) ? triple : { ...triple, evidence: "" };
}

function folded(text: string): string {
  return text.replace(/\s+/g, " ").trim().toLowerCase();
}
