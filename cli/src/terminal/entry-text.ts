import type { RetrieveResult } from "@membus/agent-client";
import type { EntryExplanation, MemoryEntry, Snippet } from "@membus/protocol";

type Neighbour = NonNullable<MemoryEntry["neighbours"]>["before"][number];

const CONTENT_SHOWN_MAX = 200;

/** Returns an entry as lines: its neighbours, the entry, and its score explanation. */
export function entryLines(entry: MemoryEntry): string[] {
  const { neighbours, explain, snippet } = entry;
  return [
    ...(neighbours?.before.map(neighbourLine) ?? []),
    `${entry.score.toFixed(2)}  ${entry.tier.padEnd(8)}  ${keyAndContent(entry)}`,
    ...(snippet === undefined ? [] : snippetLines(snippet)),
    ...(explain === undefined ? [] : explanationLines(entry.score, explain)),
    ...(neighbours?.after.map(neighbourLine) ?? []),
  ];
}

/** Returns lines with the ranking details of each tier, and the time of each stage. */
export function rankingLines({ explain = [], took_ms }: RetrieveResult): string[] {
  const lines = explain.map(({ tier, analyzer, embedder, generation, candidates, terms }) => {
    const vectors =
      embedder === null ? "no vectors" : `embedder ${embedder}, vectors of generation ${generation}`;
    const words = terms.length === 0 ? "no terms" : `terms ${terms.join(" ")}`;
    return `${tier}: ${candidates} candidates, ${words}, analyzer ${analyzer}, ${vectors}`;
  });
  const times = Object.entries(took_ms).map(([stage, ms]) => `${stage} ${ms.toFixed(1)}`);
  return explain.length === 0 ? [] : [...lines, `time in ms: ${times.join(", ")}`];
}

/** Returns the lines below the entries of a page: ranking details, totals, and reasons for missing entries. */
export function summaryLines(reply: RetrieveResult): string[] {
  const { entries, total, total_relation, cursor, approximate = [], degraded = [] } = reply;
  return [
    ...rankingLines(reply),
    `${entries.length} of ${total_relation === "gte" ? "at least " : ""}${total}`,
    ...(cursor === undefined ? [] : [`next page: --cursor ${cursor}`]),
    ...approximate.map((tier) => `approximate: ${tier}: an index chose the entries, --exact compares all`),
    ...degraded.map(({ tier, message }) => `incomplete: ${tier}: ${message}`),
  ];
}

function snippetLines({ text, start }: Snippet): string[] {
  return [`from character ${start}:`, ...text.split("\n")].map((line) => `      ${line}`.trimEnd());
}

function explanationLines(score: number, explain: EntryExplanation): string[] {
  const { terms, lexical, similarity, group, relevance, importance, recency, rerank, passage } = explain;
  const judged = rerank === undefined ? `relevance ${shown(relevance)}` : `rerank ${shown(rerank)}`;
  const factors = `${judged} x importance ${shown(importance)} x recency ${shown(recency)}`;
  const parts = [`text ${shown(lexical)}`, `cosine ${similarity === null ? "none" : shown(similarity)}`];
  return [
    `${score.toFixed(3)} = ${factors}`,
    [
      ...parts,
      `group ${shown(group)}`,
      ...(rerank === undefined ? [] : [`relevance ${shown(relevance)}`]),
      ...(passage === undefined ? [] : [`passage ${passage.start}..${passage.end}`]),
    ].join(", "),
    ...terms.map(
      ({ term, weight, score, fields }) =>
        `  ${term}: ${shown(score)} of ${shown(weight)}, in ${fields.join(" and ")}`,
    ),
  ].map((line) => `      ${line}`);
}

function neighbourLine(neighbour: Neighbour): string {
  return `   ~  ${neighbour.tier.padEnd(8)}  ${keyAndContent(neighbour)}`;
}

function keyAndContent({ key, content }: Pick<MemoryEntry, "key" | "content">): string {
  const text = typeof content === "string" ? content : JSON.stringify(content);
  const cut = text.length > CONTENT_SHOWN_MAX ? `${text.slice(0, CONTENT_SHOWN_MAX)}…` : text;
  return `${JSON.stringify(key)}  ${cut}`;
}

function shown(fraction: number): string {
  return fraction.toFixed(3);
}
