import type { MemoryEntry } from "@membus/protocol";
import { OFF_TOPIC, QUESTIONS, type Question } from "../questions.js";
import type { Stage } from "../stage.js";
import type { Transcript } from "../transcript.js";

const TOP = 3;
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
  const shown = entries[Math.max(0, place)];
  const found =
    shown === undefined ? "nothing" : `no. ${place + 1}, ${shown.score.toFixed(2)}: “${textOf(shown)}”`;
  transcript.check(`${agent}: “${ask}”`, place >= 0, found);
}

function textOf({ content }: MemoryEntry): string {
  return (content as { text: string }).text;
}
