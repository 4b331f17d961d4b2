import { COUNTER } from "./counter.js";
import { KITCHEN } from "./kitchen.js";
import { LAUNCH } from "./launch.js";
import { MONEY } from "./money.js";
import { PAPERWORK } from "./paperwork.js";
import { PREMISES } from "./premises.js";
import type { Talk } from "./talk.js";

/** What one person said, and where it belongs. */
export interface Turn {
  readonly assistant: Talk["assistant"];
  readonly topic: string;
  /** 1 for the first of its talk. */
  readonly number: number;
  readonly speaker: string;
  readonly text: string;
  readonly tags: readonly string[];
  /** Unix seconds. */
  readonly saidAt: number;
  /** The two turns before, which tell what this one is about. */
  readonly context: string;
}

const SECONDS_A_TURN = 40;
const TALKS: readonly Talk[] = [PREMISES, PAPERWORK, LAUNCH, KITCHEN, MONEY, COUNTER].flat();

/** Every turn of the conversation, talk by talk. */
export const TURNS: readonly Turn[] = TALKS.flatMap(turnsOf);

function turnsOf({ assistant, topic, at, script }: Talk): Turn[] {
  const lines = script.trim().split("\n").map(readLine);
  return lines.map(({ speaker, tags, text }, index) => ({
    assistant,
    topic,
    number: index + 1,
    speaker,
    text,
    tags: [topic, ...tags],
    saidAt: Date.parse(at) / 1000 + index * SECONDS_A_TURN,
    context: lines
      .slice(Math.max(0, index - 2), index)
      .map((before) => before.text)
      .join("\n"),
  }));
}

function readLine(line: string): { speaker: string; tags: string[]; text: string } {
  const parts = /^(?<speaker>\w+)(?: \[(?<tags>[^\]]+)\])?: (?<text>.+)$/.exec(line)?.groups;
  if (parts === undefined) throw new TypeError(`not a line of a talk: ${line}`);
  const { speaker, tags, text } = parts as { speaker: string; tags?: string; text: string };
  return { speaker, tags: tags?.split(", ") ?? [], text };
}
