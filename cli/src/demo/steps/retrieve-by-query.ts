import type { MemoryEntry } from "@membus/protocol";
import { OFF_TOPIC, QUESTIONS, type Question } from "../questions.js";
import type { Stage } from "../stage.js";
import type { Transcript } from "../transcript.js";

const TOP = 5;
const SCORE_MIN = 0.3;

/** Questions in other words than the answers, with the offline embedder. */
export async function retrieveByQuery(stage: Stage, transcript: Transcript): Promise<void> {
  for (const question of QUESTIONS) await ask(stage, question, transcript);
  const request = { query: OFF_TOPIC, tier: "episodic", min_score: SCORE_MIN } as const;
  const { total } = await stage.alice.ask("retrieve", request);
  transcript.check(`“${OFF_TOPIC}”`, total === 0, `${total} with a score of ${SCORE_MIN} or more`);
}

async function ask(stage: Stage, { agent, ask, answer }: Question, transcript: Transcript): Promise<void> {
  const { entries } = await stage[agent].ask("retrieve", { query: ask, tier: "episodic", limit: TOP });
  const place = entries.findIndex((entry) => textOf(entry).includes(answer));
  transcript.check(`${agent}: “${ask}”`, place >= 0, describe(entries, place));
}

function describe(entries: readonly MemoryEntry[], place: number): string {
  const shown = entries[Math.max(0, place)];
  if (shown === undefined) return "nothing found";
  const rank = place < 0 ? `the answer is not among the first ${TOP}; no. 1` : `no. ${place + 1}`;
  return `${rank}, ${shown.score.toFixed(2)}: “${textOf(shown)}”`;
}

function textOf({ content }: MemoryEntry): string {
  return (content as { text: string }).text;
}
