import type { EntryBrief } from "@membus/gateway/inspector-api";
import type { Api } from "../../api.js";
import type { Change } from "./feed.js";

export type EntryText = EntryBrief & { readonly revision: number };

const KEYS_MAX = 50;
/** Places of one round; the others stay without. */
const REQUESTS_MAX = 8;

/** The texts of entries that were stored: a request for each place, in the name of whom it belongs to. */
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
  // A text that is not to be had is no reason to show no events.
  const answers = await Promise.allSettled(requests);
  return answers.flatMap((answer) => (answer.status === "fulfilled" ? answer.value.entries : []));
}
