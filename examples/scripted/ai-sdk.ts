import type { ReceivedChat, ScriptedAnswer } from "../../agentic/test/scripted-openai/index.js";
import { lastOf, wordsOf } from "./request.js";

/** Answers from the memories in the request, and forgets memories on request. */
export function aiSdkScript(request: ReceivedChat): ScriptedAnswer {
  const { role, text } = lastOf(request);
  const words = wordsOf(request);
  if (words.includes("Forget what")) {
    if (role !== "tool") return { calls: [{ name: "searchMemories", arguments: { query: "eats no meat" } }] };
    const [, id] = /\[memory:(\w+)\] \([^)]*\) I eat no meat/.exec(text) ?? [];
    if (id === undefined) return { text: "It is forgotten." };
    return { calls: [{ name: "forget", arguments: { ids: [id] } }] };
  }
  if (!text.includes("tonight")) return { text: "Noted." };
  return { text: words.includes("I eat no meat") ? "Lentils with spinach." : "A goulash." };
}
