import { MessageContentSchema, type Trust } from "@membus/protocol";
import { textOf } from "../conversation/index.js";
import type { ChatMessage } from "../model/index.js";
import { speakingMessages, withoutRecalled } from "./recall/recalled-text.js";

/** Texts are taken for what they say; messages for what was said in them. null and undefined count for nothing. */
export type RecordInput = string | ChatMessage | readonly (string | ChatMessage | null | undefined)[] | null;

/** Something that was said, without what was recalled in it. */
export interface Said {
  readonly role: ChatMessage["role"];
  readonly text: string;
  readonly trust: Trust;
}

/** What a call is given, as a list. @throws {TypeError} for what is neither a text nor a message. */
export function inputList(input: RecordInput): (string | ChatMessage)[] {
  const list = Array.isArray(input) ? (input as readonly unknown[]) : [input];
  return list.flatMap((one, index) => {
    if (one == null) return [];
    if (typeof one === "string") return one;
    const parsed = MessageContentSchema.safeParse(one);
    if (parsed.success) return parsed.data;
    const issue = parsed.error.issues[0]!;
    throw new TypeError(`input ${index} is no message: ${issue.path.join(".")}: ${issue.message}`);
  });
}

export function isMessage(input: string | ChatMessage): input is ChatMessage {
  return typeof input !== "string";
}

/** What is said in each of the inputs, in their order; "" by those that say nothing of their own. */
export function saidIn(inputs: readonly (string | ChatMessage)[], trust: Trust | undefined): Said[] {
  const speaking = new Set(speakingMessages(inputs.filter(isMessage)));
  return inputs.map((input): Said => {
    if (!isMessage(input)) return { role: "user", text: withoutRecalled(input), trust: trust ?? "user" };
    const text = speaking.has(input) ? withoutRecalled(textOf(input)) : "";
    return { role: input.role, text, trust: trust ?? trustOf(input) };
  });
}

function trustOf({ role }: ChatMessage): Trust {
  if (role === "user" || role === "tool") return role;
  return "agent";
}
