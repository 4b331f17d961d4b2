import { type ChatMessage, loadPrompt } from "../model/index.js";
import { onOneLine, quoted } from "./quote.js";

interface TaskMessage {
  /** Layer 0, as `read_meta_memory` lists it. "": not shown. */
  readonly targets: string;
  readonly task: string;
  readonly messages: readonly ChatMessage[];
}

/** Returns the message with the task of an agent, and the conversation as escaped data. */
export function taskMessage({ targets, task, messages }: TaskMessage): ChatMessage {
  const values = {
    targets: targets === "" ? "(not needed)" : targets,
    task: onOneLine(task),
    data: quoted("messages", messages),
  };
  return { role: "user", content: loadPrompt("progressive-task", values) };
}
