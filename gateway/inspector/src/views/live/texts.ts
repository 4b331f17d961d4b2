import type { EntryBrief } from "@membus/gateway/inspector-api";
import type { Api } from "../../api.js";
import type { Change } from "./feed.js";

export type EntryText = EntryBrief & { readonly revision: number };

const KEYS_MAX = 50;
/** Requests per round. Entries in further places get no text. */
const REQUESTS_MAX = 8;

/**
 * Reads the texts of stored entries, with one request per tier and namespace, in the name of their agents.
 */
export async function readTexts(
  api: Api,
  changes: readonly Change[],
  signal: AbortSignal,
): Promise<EntryText[]> {
  const groups = Map.groupBy(changes, ({ tier, namespace, author }) =>
    JSON.stringify(tier === "semantic" ? { tier, namespace } : { tier, namespace, agent: author }),
  );
  const requests = [...groups].slice(0, REQUESTS_MAX).map(([place, stored]) => {
    const keys = [...new Set(stored.map(({ key_hash }) => key_hash))].slice(0, KEYS_MAX);
    const params = { ...(JSON.parse(place) as Record<string, string>), keys: keys.join(",") };
    return api.get<{ entries: EntryText[] }>("texts", params, signal);
  });
  // Events are shown even if a text cannot be read.
  const answers = await Promise.allSettled(requests);
  return answers.flatMap((answer) => (answer.status === "fulfilled" ? answer.value.entries : []));
}
