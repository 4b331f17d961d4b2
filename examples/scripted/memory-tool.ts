import type { ReceivedChat, ScriptedAnswer } from "../../agentic/test/scripted-openai/index.js";

const DIRECTORY = "/memories";
const NOTES = `${DIRECTORY}/deploys.md`;

/**
 * Messages of the current conversation. The server stores it, and a request contains only the new messages.
 */
let messages: readonly unknown[] = [];

/** Views its directory first, then writes, corrects or uses its notes. */
export function memoryToolScript({ body }: ReceivedChat): ScriptedAnswer {
  const isNew = (body.thread as { readonly type: string }).type === "create";
  messages = isNew ? [...body.messages] : [...messages, ...body.messages];
  const words = JSON.stringify(messages);
  if (isNew) return call({ command: "view", path: DIRECTORY });
  if (words.includes("Note that")) {
    if (words.includes("File created")) return { text: "I have noted it." };
    const file_text = "Deploys: Tuesdays\nSigned off by: Ada\n";
    return call({ command: "create", path: NOTES, file_text });
  }
  if (!words.includes("Here's the content")) return call({ command: "view", path: NOTES });
  if (words.includes("Correct")) {
    if (words.includes("has been edited")) return { text: "My notes are correct again." };
    return call({ command: "str_replace", path: NOTES, old_str: "Tuesdays", new_str: "Thursdays" });
  }
  const [, day, name] = /Deploys: (\w+)s.*Signed off by: (\w+)/.exec(words) ?? [];
  return { text: `On a ${day}; ask ${name}.` };
}

function call(command: object): ScriptedAnswer {
  return { calls: [{ name: "memory", arguments: command }] };
}
