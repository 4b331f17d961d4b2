import { type ReceivedChat, ScriptedOpenAi } from "../../agentic/test/scripted-openai/index.js";

/** What the system message of a request says, "" without one. */
export function systemOf({ body }: Pick<ReceivedChat, "body">): string {
  return body.messages
    .filter(({ role }) => role === "system")
    .map(({ content }) => String(content))
    .join("\n");
}

/** A model server whose model knows the user's city only where its system message tells. */
export function startRememberingModel(): Promise<ScriptedOpenAi> {
  return ScriptedOpenAi.start((request) => ({
    text: systemOf(request).includes("Lisbon") ? "You live in Lisbon." : "You did not say.",
  }));
}
