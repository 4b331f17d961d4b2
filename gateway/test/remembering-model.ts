import { type ReceivedChat, ScriptedOpenAi } from "../../agentic/test/scripted-openai/index.js";

/** What the instructions or the system message of a request say, "" without these. */
export function systemOf({ body }: Pick<ReceivedChat, "body">): string {
  const system = body.messages.filter(({ role }) => role === "system");
  return [body.instructions ?? "", ...system.map(({ content }) => String(content))].join("\n").trim();
}

/** A model server whose model knows the user's city only where its system message tells. */
export function startRememberingModel(): Promise<ScriptedOpenAi> {
  return ScriptedOpenAi.start((request) => ({
    text: systemOf(request).includes("Lisbon") ? "You live in Lisbon." : "You did not say.",
  }));
}
