import { keepConversation } from "./agent-memory.js";
import { crash } from "./crash.js";
import { addToOneList, forget, isolate, retrieve, share, store } from "./scenes.js";
import type { Stage } from "./stage.js";
import type { Transcript } from "./transcript.js";

/** Scenes in order. Each scene uses the entries of the scenes before it. */
const SCENES: readonly [string, (stage: Stage, transcript: Transcript) => Promise<void>][] = [
  ["Each agent stores its conversation (episodic tier)", store],
  ["Questions that use other words than the answers", retrieve],
  ["No agent can read another agent's memory", isolate],
  ["Facts shared by both agents (semantic tier)", share],
  ["Two concurrent writers of one entry", addToOneList],
  ["Forgetting", forget],
  ["A conversation and a fact derived from it, both forgotten", keepConversation],
  ["kill -9 while both agents store", crash],
];

export async function playScenes(stage: Stage, transcript: Transcript): Promise<void> {
  for (const [title, play] of SCENES) {
    transcript.begin(title);
    await play(stage, transcript);
  }
}
