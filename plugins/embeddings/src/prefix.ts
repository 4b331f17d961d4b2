import { createHash } from "node:crypto";
import { option } from "@membus/protocol";
import type { EmbedKind } from "@membus/protocol/plugin";

/** Options for models that distinguish queries from documents by a prefix. */
export const prefixOptions = {
  /** Prefix of every query, which some models require. */
  queryPrefix: prefix(),
  /** Prefix of every document. */
  documentPrefix: prefix(),
};

function prefix() {
  return option.value<string>((given) => typeof given === "string", "must be a string").default("");
}

export function prefixOf(
  kind: EmbedKind,
  { queryPrefix, documentPrefix }: { readonly queryPrefix: string; readonly documentPrefix: string },
): string {
  return kind === "query" ? queryPrefix : documentPrefix;
}

/** Returns eight hexadecimal digits for settings that change vectors and are too long for an id. */
export function shortDigest(parts: readonly unknown[]): string {
  return createHash("sha256").update(JSON.stringify(parts)).digest("hex").slice(0, 8);
}
