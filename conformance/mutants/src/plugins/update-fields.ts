import { isDeepStrictEqual } from "node:util";
import type { Mutant } from "../mutant.js";
import { pluginMutant } from "../mutant.js";
import { merging } from "../reference/with-rule.js";

const isObject = (value: unknown): value is object => typeof value === "object" && value !== null;

export const updateFieldsMutants: readonly Mutant[] = [
  pluginMutant({
    id: "update-content-is-merged",
    defect: "an update merges the fields of the content into the existing ones",
    check: "update/replaces-content-tags-and-source",
    names: /content after a store of \{c: 3\} over/,
    createPlugin: merging(({ content }, previous) =>
      isObject(previous?.content) && isObject(content)
        ? { content: { ...previous.content, ...content } as typeof content }
        : {},
    ),
  }),
  pluginMutant({
    id: "update-absent-tags-stay",
    defect: "an update without tags keeps the existing ones",
    check: "update/absent-tags-and-source-take-their-default",
    names: /tags after a store without them/,
    createPlugin: merging(({ tags }, previous) => ({ tags: tags ?? previous?.tags ?? [] })),
  }),
  pluginMutant({
    id: "update-absent-source-stays",
    defect: "an update without source keeps the existing one",
    check: "update/absent-tags-and-source-take-their-default",
    names: /source after a store without it/,
    createPlugin: merging(({ source }, previous, { agent }) => ({
      source: source ?? previous?.source ?? agent,
    })),
  }),
  pluginMutant({
    id: "update-drops-metadata",
    defect: "an update without metadata drops the metadata",
    check: "update/absent-extension-fields-stay",
    names: /metadata after a store of other content/,
    createPlugin: merging(({ metadata }) => ({ metadata: metadata ?? undefined })),
  }),
  pluginMutant({
    id: "update-merges-metadata",
    defect: "an update merges its metadata into the existing one",
    check: "update/given-extension-fields-replace",
    names: /metadata after a store with another one/,
    createPlugin: merging(({ metadata }, previous) =>
      metadata ? { metadata: { ...previous?.metadata, ...metadata } } : {},
    ),
  }),
  pluginMutant({
    id: "update-null-importance-is-zero",
    defect: "an importance of null in an update becomes 0",
    check: "update/null-clears-extension-fields",
    names: /importance after a store with importance null/,
    createPlugin: merging(({ importance }, previous) =>
      previous && importance === null ? { importance: 0 } : {},
    ),
  }),
  pluginMutant({
    id: "update-null-occurred-at-is-now",
    defect: "an occurred_at of null in an update becomes the time of the update",
    check: "update/null-clears-extension-fields",
    names: /occurred_at after a store with occurred_at null/,
    createPlugin: merging(({ occurred_at }, _, { acceptedAt }) =>
      occurred_at === null ? { occurred_at: acceptedAt } : {},
    ),
  }),
  pluginMutant({
    id: "update-score-overwrites-importance",
    defect: "the score of an update overwrites the importance",
    check: "update/score-is-ignored",
    names: /importance after a store with score 0\.875 over/,
    createPlugin: merging(({ importance, score }, previous) => ({
      importance: importance ?? score ?? previous?.importance ?? 1,
    })),
  }),
  pluginMutant({
    id: "update-text-outlives-its-content",
    defect: "the given text of an entry is kept when its content changes",
    check: "update/text-follows-the-content",
    names: /text after a store of other content without text/,
    createPlugin: merging(({ text }, previous) => ({
      text: text === undefined ? previous?.text : (text ?? undefined),
    })),
  }),
  pluginMutant({
    id: "update-embedding-is-always-derived-again",
    defect: "an update without embedding drops the given one, even with the same content",
    check: "update/embedding-follows-the-content",
    names: /embedding after a store of the same content/,
    createPlugin: merging(({ embedding }) => ({ givenVector: embedding ?? undefined })),
  }),
  pluginMutant({
    id: "update-null-embedding-is-absent",
    defect: "an embedding of null in an update is treated as absent",
    check: "update/null-clears-the-embedding",
    names: /outcome of a store with embedding null/,
    createPlugin: merging(({ embedding, content }, previous) =>
      isDeepStrictEqual(content, previous?.content)
        ? { givenVector: embedding ?? previous?.givenVector }
        : {},
    ),
  }),
  pluginMutant({
    id: "update-end-is-the-first-ones",
    defect: "an update does not extend the expiry of an entry",
    check: "update/end-is-that-of-the-store",
    names: /2 seconds after a store with ttl 3600 over one with ttl 1/,
    createPlugin: merging(({ expires_at }, previous) =>
      previous?.expires_at && expires_at ? { expires_at: previous.expires_at } : {},
    ),
  }),
  pluginMutant({
    id: "update-restarts-seq",
    defect: "the seq of an entry becomes the revision of its update",
    check: "update/keeps-created-and-seq",
    names: /seq after an update/,
    createPlugin: merging((_, __, { revision }) => ({ seq: revision })),
  }),
  pluginMutant({
    id: "update-keeps-updated",
    defect: "an update does not set `timestamps.updated`",
    check: "update/sets-updated-and-revision",
    names: /seconds between `timestamps\.updated`/,
    createPlugin: merging((_, previous) => (previous ? { updated: previous.updated } : {})),
  }),
];
