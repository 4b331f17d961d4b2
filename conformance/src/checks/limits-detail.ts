import type { HostContext } from "../context.js";
import type { Refusal } from "../fixtures/bare-messages.js";

/** A limit of the table, and what has the size that it limits. */
export interface Limit {
  /** Its name in the table of chapter 1. */
  readonly name: string;
  readonly max: number;
  /** What is given, in words. */
  readonly of: string;
}

export const letters = (size: number) => "x".repeat(size);
export const names = (size: number) => Array.from({ length: size }, (_, at) => `n${at}`);
export const record = (size: number) => Object.fromEntries(names(size).map((name) => [name, 1]));

/** That an error too_large names the limit, its maximum and what came (clause LIMIT-3). */
export function expectDetail(
  t: HostContext,
  { detail }: Pick<Refusal, "detail">,
  { name, max }: Limit,
  size: number,
  what: string,
): void {
  t.expect.equal(
    { max: detail.max, got: detail.got },
    { max, got: size },
    `max and got in the detail of the error to ${what}`,
  );
  const named = detail.limit === name || (detail.limit !== undefined && detail.limit === detail.path);
  t.expect.holds(
    named,
    `limit in the detail of the error to ${what}`,
    detail,
    `${name} or the path of the field`,
  );
}
