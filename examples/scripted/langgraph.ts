import type { ReceivedChat, ScriptedAnswer } from "../../agentic/test/scripted-openai/index.js";
import { wordsOf } from "./request.js";

/** Answers from the known facts of the user. Without them, it proposes another place. */
export function langgraphScript(request: ReceivedChat): ScriptedAnswer {
  const words = wordsOf(request);
  const eatsNoMeat = words.includes("no meat");
  if (words.includes("Oslo"))
    return { text: eatsNoMeat ? "Nordvegan, it cooks without meat." : "The grill at the harbour." };
  return { text: eatsNoMeat ? "Il Margutta, it cooks without meat." : "Da Enzo, for its roast." };
}
