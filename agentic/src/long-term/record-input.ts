import { MessageContentSchema, type Trust } from "@membus/protocol/records";
import { textOf } from "../conversation/index.js";
import type { ChatMessage } from "../model/index.js";
import { spokenMessages, withoutRecalled } from "./recall/recalled-text.js";

/**
 * Texts or messages to record. null and undefined are ignored. A message may have its time as `at` in Unix
 * seconds. Otherwise the time of the call counts.
 */
export type RecordInput = string | ChatMessage | readonly (string | ChatMessage | null | undefined)[] | null;

/** The text of a message without recalled memories. */
export interface Utterance {
  readonly role: ChatMessage["role"];
  readonly text: string;
  readonly trust: Trust;
  /** `name` of the message. */
  readonly speaker?: string | undefined;
  /** Unix seconds of the message. Absent: the time of the call. */
  readonly at?: number | undefined;
}

/**
 * Converts the input of a call to a list. @throws {TypeError} for values that are neither a text nor a
 * message.
 */
export function inputList(input: RecordInput): (string | ChatMessage)[] {
  const list = Array.isArray(input) ? (input as readonly unknown[]) : [input];
  return list.flatMap((one, index) => {
    if (one == null) return [];
    if (typeof one === "string") return one;
    const parsed = MessageContentSchema.safeParse(one);
    if (parsed.success) return parsed.data;
    const issue = parsed.error.issues[0]!;
    throw new TypeError(`input ${index} is not a valid message: ${issue.path.join(".")}: ${issue.message}`);
  });
}

export function isMessage(input: string | ChatMessage): input is ChatMessage {
  return typeof input !== "string";
}

/** Returns the text of each input, in order. "" if an input has only recalled text. */
export function toUtterances(
  inputs: readonly (string | ChatMessage)[],
  trust: Trust | undefined,
): Utterance[] {
  const spoken = new Set(spokenMessages(inputs.filter(isMessage)));
  return inputs.map((input): Utterance => {
    if (!isMessage(input)) return { role: "user", text: withoutRecalled(input), trust: trust ?? "user" };
    const text = spoken.has(input) ? withoutRecalled(textOf(input)) : "";
    const { role, name, at } = input;
    const speaker = name !== undefined && (role === "user" || role === "assistant") ? { speaker: name } : {};
    const time = typeof at === "number" && Number.isFinite(at) ? { at } : {};
    return { role, text, trust: trust ?? trustOf(input), ...speaker, ...time };
  });
}

function trustOf({ role }: ChatMessage): Trust {
  if (role === "user" || role === "tool") return role;
  return "agent";
}
