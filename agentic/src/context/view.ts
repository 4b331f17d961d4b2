import { isDeepStrictEqual } from "node:util";
import type { ChatMessage } from "../model/index.js";

/** A message as the model gets it (`view`), with the stored message (`raw`). */
export interface ViewItem {
  /** Id of the message. "" for a summary. */
  readonly id: string;
  readonly seq: number;
  readonly revision: number;
  readonly updated: number;
  readonly raw: ChatMessage;
  readonly view: ChatMessage;
  /** Tokens of the view. */
  readonly tokens: number;
}

/** The messages for the model: an optional leading system message, an optional summary, then messages. */
export interface View {
  readonly system: ViewItem | undefined;
  readonly summary: ViewItem | undefined;
  readonly items: readonly ViewItem[];
}

export type Measure = (message: ChatMessage) => number;

/** Returns the item with another view. */
export function withView(item: ViewItem, view: ChatMessage, measure: Measure): ViewItem {
  return isDeepStrictEqual(view, item.view) ? item : { ...item, view, tokens: measure(view) };
}

export function allItems({ system, summary, items }: View): ViewItem[] {
  return [system, summary, ...items].filter((item) => item !== undefined);
}

export function viewTokens(view: View): number {
  return sumTokens(allItems(view));
}

export function sumTokens(items: readonly ViewItem[]): number {
  return items.reduce((sum, { tokens }) => sum + tokens, 0);
}

/** Returns the approximate size of the request in bytes. */
export function viewBytes(view: View): number {
  return Buffer.byteLength(JSON.stringify(allItems(view).map((item) => item.view)));
}
