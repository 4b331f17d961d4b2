import { isJsonObject } from "@membus/protocol";
import { childrenOf, type JsonSpan, memberOf, replaceJson, rootOf } from "./json-spans.js";

/** A shortened request, and the number of its messages that were left out. */
export interface Shortened {
  readonly body: Buffer;
  readonly dropped: number;
}

interface Item {
  readonly span: JsonSpan;
  readonly isUser: boolean;
  readonly length: number;
}

/** Characters that a text with binary data counts for. */
const DATA_LENGTH = 3_000;

/**
 * Leaves out the oldest turns of a request, so that about `share` of its text stays. A turn begins with a message
 * of the user, so a tool call and its result stay together. Messages before the first turn and the newest turn are
 * kept. The other fields of the request do not change by a byte.
 *
 * @param list name of the field with the messages.
 * @returns undefined if there is no older turn.
 */
export function withoutOldTurns(body: Buffer, list: string, share: number): Shortened | undefined {
  const span = memberOf(body, rootOf(body), list);
  if (span === undefined) return undefined;
  const items = childrenOf(body, span).map((child) => itemOf(body, child));
  const starts = items.flatMap(({ isUser }, index) =>
    isUser && items[index - 1]?.isUser !== true ? [index] : [],
  );
  const [first, ...later] = starts;
  if (first === undefined || later.length === 0) return undefined;
  const lengthMax = share * lengthOf(items);
  const leading = lengthOf(items.slice(0, first));
  const next = later.find((start) => leading + lengthOf(items.slice(start)) <= lengthMax) ?? later.at(-1)!;
  const cut = { start: items[first]!.span.start, end: items[next]!.span.start };
  return { body: replaceJson(body, cut, ""), dropped: next - first };
}

function itemOf(body: Buffer, span: JsonSpan): Item {
  const parsed: unknown = JSON.parse(body.toString("utf8", span.start, span.end));
  const shown = JSON.stringify(parsed, (_, value: unknown) =>
    isData(value) ? value.slice(0, DATA_LENGTH) : value,
  );
  return { span, isUser: isJsonObject(parsed) && parsed.role === "user", length: shown.length };
}

function isData(value: unknown): value is string {
  return typeof value === "string" && value.length > DATA_LENGTH && !/\s/.test(value.slice(0, DATA_LENGTH));
}

function lengthOf(items: readonly Item[]): number {
  return items.reduce((sum, { length }) => sum + length, 0);
}
