import type { ReceivedChat, ScriptedAnswer } from "../../agentic/test/scripted-openai/index.js";
import { lastOf, wordsOf } from "./request.js";

/** Knows the departure time only from an earlier message. */
export function langchainScript(request: ReceivedChat): ScriptedAnswer {
  if (!lastOf(request).text.includes("When")) return { text: "Have a good journey." };
  return { text: wordsOf(request).includes("at nine") ? "At half past eight." : "I do not know." };
}
