import { createHash } from "node:crypto";
import type { OptionRule } from "@membus/protocol";
import type { EmbedKind } from "@membus/protocol/plugin";

/** Prefixes that some models require to distinguish queries from documents. */
export interface Prefixes {
  readonly queryPrefix: string;
  readonly documentPrefix: string;
}

export const prefixOption: OptionRule = (value, name) => {
  if (typeof value !== "string") throw new TypeError(`${name} must be a string`);
};

export function prefixOf(kind: EmbedKind, { queryPrefix, documentPrefix }: Prefixes): string {
  return kind === "query" ? queryPrefix : documentPrefix;
}

/** Returns eight hexadecimal digits for settings that change vectors and are too long for an id. */
export function shortDigest(parts: readonly unknown[]): string {
  return createHash("sha256").update(JSON.stringify(parts)).digest("hex").slice(0, 8);
}
