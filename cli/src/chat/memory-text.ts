import type { LongTermItem } from "@membus/agentic";

export function memoryLine({ kind, text, occurredAt }: LongTermItem): string {
  return `${text}  (${kind}, ${dayOf(occurredAt)})`;
}

/** Returns a memory with its score, kind, date, source and conversation. */
export function whyLines({ text, score, kind, occurredAt, record }: LongTermItem): string[] {
  const { trust, conversation } = record.metadata as Readonly<Record<string, unknown>>;
  const reasons = [
    `score ${score.toFixed(2)}`,
    `${kind} from ${dayOf(occurredAt)}`,
    ...(typeof trust === "string" ? [`source: ${trust}`] : []),
    ...(typeof conversation === "string" ? [`learned in ${conversation}`] : []),
  ];
  return [text, `    ${reasons.join(", ")}`];
}

function dayOf(time: number): string {
  return new Date(time * 1000).toISOString().slice(0, 10);
}
