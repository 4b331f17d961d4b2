import type { LongTermItem } from "@membus/agentic";

export function memoryLine({ kind, text, occurredAt }: LongTermItem): string {
  return `${text}  (${kind} of ${dayOf(occurredAt)})`;
}

/** A memory, and why it was there: how well it answered, whose word it is, and where it was learned. */
export function whyLines({ text, score, kind, occurredAt, record }: LongTermItem): string[] {
  const { trust, conversation } = record.metadata as Readonly<Record<string, unknown>>;
  const reasons = [
    `answers with ${score.toFixed(2)}`,
    `${kind} of ${dayOf(occurredAt)}`,
    ...(typeof trust === "string" ? [`word of the ${trust}`] : []),
    ...(typeof conversation === "string" ? [`learned in ${conversation}`] : []),
  ];
  return [text, `    ${reasons.join(", ")}`];
}

function dayOf(time: number): string {
  return new Date(time * 1000).toISOString().slice(0, 10);
}
