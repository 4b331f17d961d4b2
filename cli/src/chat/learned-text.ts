import type { LearnedBatch } from "@membus/agentic";

/** What was learned, as lines: the conversation, then each memory that has changed. */
export function learnedText({ conversation, about, messages, outcomes }: LearnedBatch): string {
  const count = `${messages} ${messages === 1 ? "message" : "messages"}`;
  const head = `learned  ${conversation}  about ${about ?? "nobody"}  from ${count}`;
  const lines = outcomes.map(({ outcome, text, reason }) =>
    reason === undefined ? `  ${outcome}  ${text}` : `  ${outcome}  ${text}  (${reason})`,
  );
  return [head, ...lines].join("\n");
}
