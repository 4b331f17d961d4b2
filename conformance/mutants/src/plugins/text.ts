import { deriveText, type Json, LIMITS } from "@membus/protocol";
import type { Mutant } from "../mutant.js";
import { pluginMutant } from "../mutant.js";
import { ReferencePlugin } from "../reference/reference-plugin.js";
import type { Row } from "../reference/row.js";
import { textLongMutants } from "./text-long.js";

/** The reference plugin that searches words in changed fields of rows. */
function indexing(fields: (row: Row) => Partial<Row>): () => ReferencePlugin {
  return () =>
    new (class extends ReferencePlugin {
      protected override relevance(...[row, ...more]: Parameters<ReferencePlugin["relevance"]>) {
        return super.relevance({ ...row, ...fields(row) }, ...more);
      }
    })();
}

/** The reference plugin with another derived text. */
function deriving(derive: (content: Json) => string): () => ReferencePlugin {
  return indexing(({ text, content }) => ({ text: text ?? derive(content) }));
}

/**
 * The reference plugin with another indexed text of a stored entry, computed from the new and the `former`
 * text.
 */
function reindexing(index: (text: string, former?: string) => string): () => ReferencePlugin {
  return () =>
    new (class extends ReferencePlugin {
      readonly #texts = new Map<number, string>();

      protected override relevance(...[row, ...more]: Parameters<ReferencePlugin["relevance"]>) {
        return super.relevance({ ...row, text: this.#texts.get(row.seq)! }, ...more);
      }

      protected override async embed(row: Row) {
        const text = row.text ?? deriveText(row.content);
        this.#texts.set(row.seq, index(text, this.#texts.get(row.seq)));
        await super.embed(row);
      }
    })();
}

const isObject = (value: Json): value is Record<string, Json> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Returns the values of all leaves without their names. */
function leavesOf(content: Json): Json[] {
  if (typeof content !== "object" || content === null) return content === null ? [] : [content];
  return Object.values(content).flatMap((value) => leavesOf(value!));
}

/** Returns the derived text without a length limit. */
function derivedWhole(content: Json): string {
  if (typeof content === "string") return content;
  return isObject(content) && typeof content.text === "string" ? content.text : deriveText(content);
}

export const textMutants: readonly Mutant[] = [
  pluginMutant({
    id: "text-first-sentence-alone",
    defect: "only the first three words of a string content are indexed",
    check: "text/string-content-is-indexed",
    names: /keys found by `baobab`, in a content that is a string/,
    createPlugin: deriving((content) =>
      typeof content === "string" ? content.split(" ").slice(0, 3).join(" ") : deriveText(content),
    ),
  }),
  pluginMutant({
    id: "text-of-the-field-content",
    defect: "the first field of a content is indexed instead of the field `text`",
    check: "text/field-text-of-the-content-is-indexed-alone",
    names: /keys found by `zebra`, in a content with `text: zebra`/,
    createPlugin: deriving((content) =>
      isObject(content) && typeof content.text === "string"
        ? deriveText(Object.values(content)[0]!)
        : deriveText(content),
    ),
  }),
  pluginMutant({
    id: "text-without-names-of-fields",
    defect: "the names of fields are not indexed",
    check: "text/leaves-of-other-contents-are-indexed",
    names: /keys found by `species`/,
    createPlugin: deriving((content) =>
      isObject(content) && typeof content.text !== "string"
        ? leavesOf(content).join("\n")
        : deriveText(content),
    ),
  }),
  pluginMutant({
    id: "text-of-the-first-level-alone",
    defect: "nested fields of a content are not indexed",
    check: "text/leaves-of-other-contents-are-indexed",
    names: /keys found by `tapir`/,
    createPlugin: deriving((content) => {
      if (!isObject(content)) return deriveText(content);
      return deriveText(
        Object.fromEntries(Object.entries(content).filter(([, value]) => typeof value !== "object")),
      );
    }),
  }),
  pluginMutant({
    id: "text-of-nulls",
    defect: "fields that are null are indexed like others",
    check: "text/leaves-of-other-contents-are-indexed",
    names: /keys found by `quokka`/,
    createPlugin: deriving((content) =>
      deriveText(JSON.parse(JSON.stringify(content, (_, value) => value ?? "null")) as Json),
    ),
  }),
  pluginMutant({
    id: "text-of-objects-alone",
    defect: "a content that is a list is not indexed",
    check: "text/leaves-of-other-contents-are-indexed",
    names: /keys found by `pelican`/,
    createPlugin: deriving((content) => (Array.isArray(content) ? "" : deriveText(content))),
  }),
  pluginMutant({
    id: "text-given-is-added",
    defect: "a given text is indexed in addition to the content instead of replacing it",
    check: "text/given-text-is-indexed-instead",
    names: /keys found by `walrus`, of an entry with content `walrus`/,
    createPlugin: indexing(({ text, content }) => ({ text: `${text ?? ""}\n${deriveText(content)}` })),
  }),
  pluginMutant({
    id: "text-without-the-key",
    defect: "the key of an entry is not indexed",
    check: "text/strings-of-the-key-are-context",
    names: /keys found by `axolotl`, in the fields of a key/,
    createPlugin: indexing(() => ({ key: { none: 0 } })),
  }),
  pluginMutant({
    id: "text-of-the-first-field-of-the-key",
    defect: "only the first field of a key is indexed",
    check: "text/strings-of-the-key-are-context",
    names: /keys found by `pangolin`, in the fields of a key/,
    createPlugin: indexing(({ key }) => ({ key: Object.fromEntries(Object.entries(key).slice(0, 1)) })),
  }),
  pluginMutant({
    id: "text-index-of-the-first-store",
    defect: "an entry is found by its words at creation",
    check: "text/derived-again-when-the-content-changes",
    names: /keys found by `ibex`, after a store/,
    createPlugin: reindexing((text, former = text) => former),
  }),
  pluginMutant({
    id: "text-words-are-added",
    defect: "an update adds its words to the former ones",
    check: "text/derived-again-when-the-content-changes",
    names: /keys found by `narwhal`, after a store/,
    createPlugin: reindexing((text, former = "") => `${former}\n${text}`),
  }),
  pluginMutant({
    id: "text-derived-has-no-end",
    defect: "all of a long content is indexed",
    check: "text/derived-text-ends-at-65536-units",
    names: /keys found by `quoll`/,
    createPlugin: deriving(derivedWhole),
  }),
  pluginMutant({
    id: "text-derived-ends-early",
    defect: "derived text ends at 65,000 code units",
    check: "text/derived-text-ends-at-65536-units",
    names: /keys found by `numbat`/,
    createPlugin: deriving((content) => deriveText(content).slice(0, 65_000)),
  }),
  pluginMutant({
    id: "text-derived-counts-code-points",
    defect: "derived text ends at 65,536 code points instead of UTF-16 code units",
    check: "text/derived-text-ends-at-65536-units",
    names: /keys found by `bilby`/,
    createPlugin: deriving((content) =>
      [...derivedWhole(content)].slice(0, LIMITS.derivedTextLength).join(""),
    ),
  }),
  pluginMutant({
    id: "text-derived-counts-bytes",
    defect: "derived text ends at 65,536 bytes of UTF-8",
    check: "text/derived-text-ends-at-65536-units",
    names: /keys found by `wombat`/,
    createPlugin: deriving((content) =>
      Buffer.from(deriveText(content), "utf8").subarray(0, LIMITS.derivedTextLength).toString("utf8"),
    ),
  }),
  ...textLongMutants,
];
