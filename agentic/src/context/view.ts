import { isDeepStrictEqual } from "node:util";
import type { ChatMessage } from "../model/index.js";

/** A message as the model gets it, and what it is a view of. */
export interface ViewItem {
  /** Of the message; that of a summary is "". */
  readonly id: string;
  readonly seq: number;
  readonly revision: number;
  readonly updated: number;
  readonly raw: ChatMessage;
  readonly view: ChatMessage;
  /** Of the view. */
  readonly tokens: number;
}

/** What the model gets: a leading system message and a summary, where there are any, then messages. */
export interface View {
  readonly system: ViewItem | undefined;
  readonly summary: ViewItem | undefined;
  readonly items: readonly ViewItem[];
}

export type Measure = (message: ChatMessage) => number;

/** The item with another view. */
export function viewedAs(item: ViewItem, view: ChatMessage, measure: Measure): ViewItem {
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

/** As it is sent, near enough. */
export function viewBytes(view: View): number {
  return Buffer.byteLength(JSON.stringify(allItems(view).map((item) => item.view)));
}
