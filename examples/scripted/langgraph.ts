import type { ReceivedChat, ScriptedAnswer } from "../../agentic/test/scripted-openai/index.js";
import { wordsOf } from "./request.js";

/** Goes by what the request says of the user: without it another place is proposed. */
export function langgraphScript(request: ReceivedChat): ScriptedAnswer {
  const words = wordsOf(request);
  const eatsNoMeat = words.includes("no meat");
  if (words.includes("Oslo"))
    return { text: eatsNoMeat ? "Nordvegan, it cooks without meat." : "The grill at the harbour." };
  return { text: eatsNoMeat ? "Il Margutta, it cooks without meat." : "Da Enzo, for its roast." };
}
