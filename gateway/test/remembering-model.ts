import { type ReceivedChat, ScriptedOpenAi } from "../../agentic/test/scripted-openai/index.js";

/** Returns the instructions or the system message of a request, "" without one. */
export function systemOf({ body }: Pick<ReceivedChat, "body">): string {
  const system = body.messages.filter(({ role }) => role === "system");
  return [body.instructions ?? "", ...system.map(({ content }) => String(content))].join("\n").trim();
}

/** A model server with a model that finds the user's city only in its system message. */
export function startRememberingModel(): Promise<ScriptedOpenAi> {
  return ScriptedOpenAi.start((request) => ({
    text: systemOf(request).includes("Lisbon") ? "You live in Lisbon." : "You did not say.",
  }));
}
