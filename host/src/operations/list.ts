import {
  compileCriteria,
  DEFAULTS,
  type DecodedRequest,
  LIMITS,
  type ListItem,
  type MemoryTier,
  parseNamespacePattern,
  requestDigest,
} from "@membus/protocol";
import { decodeListCursor, encodeListCursor, type PluginListRequest } from "@membus/protocol/plugin";
import { type Features, missingFeature } from "../plugin-calls/index.js";
import type { Reply } from "../replies/index.js";
import { ListMerge } from "./list-merge.js";
import { firstPageAfter, type ListPage } from "./list-page.js";
import { degradedOf, readTiers, resultsOf } from "./read-tiers.js";
import { checkNamespace, type RequestContext, type Runtime } from "./runtime.js";

type ListRequest = Extract<DecodedRequest, { type: "memory/list/req" }>;

/**
 * Returns one page of the distinct values of a field, or of the namespaces, of the named tier or of all
 * served tiers together. Each tier returns its complete list, so counts, order and total cover everything. No
 * state is kept for the next page. A tier that fails or does not declare `list` is named in `degraded`
 * (clause LIST-13).
 */
export async function list(runtime: Runtime, context: RequestContext, body: ListRequest): Promise<Reply> {
  const namespace = body.namespace ?? DEFAULTS.namespace;
  checkNamespace(runtime, context.caller, namespace, "list");
  const digest = requestDigest(body, ["limit", "cursor"]);
  const after = body.cursor ? decodeListCursor(body.cursor, digest) : undefined;
  const request: PluginListRequest = {
    filter: compileCriteria(body),
    ...(body.field && { field: body.field }),
    values_max: LIMITS.listValues,
  };
  const answers = await readTiers(
    runtime,
    context,
    {
      tier: body.tier,
      namespace,
      missingFeature: (tier, features) => listFeatureError(tier, features, body),
    },
    (runner, selector, latest) => runner.list(selector, request, latest),
  );
  const merge = new ListMerge(body.field ? undefined : shownNamespace(namespace, body.depth));
  for (const { items } of resultsOf(answers)) await merge.add(items);
  const { items } = merge;
  const limit = body.limit ?? DEFAULTS.listLimit;
  const page = await firstPageAfter(items, { order: body.order ?? "name", after, limit });
  const fields = {
    total: items.length,
    total_relation: answers.every(({ outcome }) => outcome.ok) ? "eq" : "gte",
    degraded: degradedOf(answers),
  };
  return pageReply(fields, page, digest);
}

function listFeatureError(tier: MemoryTier, features: Features, body: ListRequest) {
  const isSubtree = Boolean(body.namespace && parseNamespacePattern(body.namespace).subtree);
  return missingFeature(tier, features, [
    "list",
    ...(isSubtree ? ["subtree"] : []),
    ...(body.requires ?? []),
  ]);
}

/** Returns a function that cuts a namespace to `depth` segments below the requested path (clause LIST-6). */
function shownNamespace(
  pattern: string,
  depth: number | null | undefined,
): (item: ListItem) => ListItem["value"] {
  const { namespace } = parseNamespacePattern(pattern);
  const kept = (namespace === "" ? 0 : namespace.split("/").length) + (depth ?? LIMITS.namespaceSegments);
  return ({ value }) => String(value).split("/").slice(0, kept).join("/");
}

function pageReply(
  fields: Readonly<Record<string, unknown>> & { readonly total: number },
  { items, hasMore }: ListPage,
  digest: string,
): Reply {
  const pageOf = (count: number, isCut: boolean) => {
    const last = isCut ? items[count - 1] : undefined;
    const cursor = last && encodeListCursor(last.place, digest);
    return { ...fields, items: items.slice(0, count).map(({ item }) => item), cursor };
  };
  return {
    fields: pageOf(items.length, hasMore),
    counts: { returned: items.length, total: fields.total },
    shorten: (count) => pageOf(count, true),
  };
}
