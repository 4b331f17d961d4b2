import type { AgentMemory } from "@membus/agent-client";
import {
  type Filter,
  isMemoryError,
  type JsonObject,
  LIMITS,
  type MemoryEntry,
  TIERS,
} from "@membus/protocol";
import { emptyIfUnavailable } from "./empty-if-unavailable.js";
import { briefOf } from "./entry-brief.js";
import { distinct, type FoundEntries, findAnywhere, namespacesAnywhere } from "./find-anywhere.js";
import type { UserEntry, UserForgetReply, UserPlaceBrief, UserReply } from "./inspector-api.js";
import { changeOf } from "./live.js";
import { invalidField, optionalText, type Query, textField } from "./query-fields.js";
import { type OtherNames, otherNames } from "./user-names.js";
import { conversationUsers, listUsers, namespacesOfUser, userOf } from "./users.js";

const ENTRIES_MAX = 200;
const PLACES_READ = 32;
/** Sources of one entry that are read. The first one that exists is shown. */
const SOURCES_READ = 2;
/** Entries that a dry run lists. */
const LISTED_MAX = 100;

/** Returns the namespaces, the conversations and the latest entries of a user, as far as the agent sees them. */
async function readUser(memory: AgentMemory, query: Query): Promise<UserReply> {
  const name = textField(query, "user");
  const others = await otherNames(memory, name, namesIn(optionalText(query, "names") ?? ""));
  const [{ places, isCut: arePlacesCut }, groups] = await Promise.all([
    placesOf(memory, name),
    emptyIfUnavailable(conversationUsers(memory)),
  ]);
  const own = groups.items.filter(({ value }) => isConversationOf(String(value), name));
  const [mentions, ...pages] = await Promise.all([
    findAnywhere(memory, { where: mentioning(name, others) }, ENTRIES_MAX),
    ...places
      .slice(0, PLACES_READ)
      .map(({ tier, namespace }) =>
        memory.retrieve({ tier, namespace, order: "newest", limit: ENTRIES_MAX }),
      ),
  ]);
  const found = new Map<string, MemoryEntry>();
  for (const entry of [...pages.flatMap(({ entries }) => entries), ...mentions.entries]) {
    found.set(`${entry.tier} ${entry.namespace} ${entry.key_hash}`, entry);
  }
  const latest = [...found.values()].sort((a, b) => b.timestamps.updated - a.timestamps.updated);
  const isCut =
    arePlacesCut ||
    mentions.truncated ||
    places.length > PLACES_READ ||
    pages.some(({ cursor }) => cursor !== undefined);
  const shown = await withSources(memory, latest.slice(0, ENTRIES_MAX));
  return {
    name,
    names: others.names,
    places,
    conversations: own.map(({ value, count, newest }) => ({ id: String(value), messages: count, newest })),
    entries: shown.entries,
    truncated: isCut || latest.length > ENTRIES_MAX,
    degraded: distinct([mentions, ...pages, shown].flatMap(({ degraded }) => degraded ?? [])),
  };
}

/** Adds the origin of each entry. An origin that cannot be read is left out. */
async function withSources(memory: AgentMemory, entries: readonly MemoryEntry[]) {
  const read = ({ sources = [] }: MemoryEntry) => sources.slice(0, SOURCES_READ);
  const keys = [...new Set(entries.flatMap(read))].map(($hash) => ({ $hash }));
  const found = await sourcesOf(memory, keys);
  const byHash = new Map(found.entries.map((entry) => [entry.key_hash, entry]));
  const isComplete = !found.truncated && found.degraded.length === 0;
  const withSource = entries.map((entry): UserEntry => {
    const [first] = read(entry).flatMap((hash) => byHash.get(hash) ?? []);
    const source = first && { source: briefOf(first) };
    const count = entry.sources?.length ?? 0;
    const areAllRead = count === 0 || (isComplete && count <= SOURCES_READ);
    return { ...changeOf(entry), source_count: count, ...source, all_sources_read: areAllRead };
  });
  return { entries: withSource, degraded: found.degraded };
}

/** Returns no sources, and that there are more, if the memory does not answer. */
async function sourcesOf(
  memory: AgentMemory,
  keys: readonly { readonly $hash: string }[],
): Promise<FoundEntries> {
  if (keys.length === 0) return { entries: [], truncated: false, degraded: [] };
  try {
    // A key may exist in several places.
    return await findAnywhere(memory, { keys: [...keys] }, 2 * keys.length);
  } catch (error) {
    if (!isMemoryError(error)) throw error;
    return { entries: [], truncated: true, degraded: [] };
  }
}

async function placesOf(
  memory: AgentMemory,
  name: string,
): Promise<{ readonly places: readonly UserPlaceBrief[]; readonly isCut: boolean }> {
  const lists = await Promise.all(
    TIERS.map(async (tier) => {
      const request = { tier, limit: LIMITS.listLimit };
      const list = namespacesAnywhere(memory, request, namespacesOfUser(name));
      const { items, truncated = false } = await emptyIfUnavailable(list);
      const places = items.map(({ value, count, newest }) => ({
        tier,
        namespace: String(value),
        entries: count,
        newest,
      }));
      return { places, truncated };
    }),
  );
  const places = lists.flatMap((list) => list.places);
  return {
    places: places.filter(({ namespace }) => userOf(namespace) === name),
    isCut: lists.some(({ truncated }) => truncated),
  };
}

function isConversationOf(id: string, name: string): boolean {
  return id === `user:${name}` || id.startsWith(`user:${name}/`);
}

/** Matches records about the user, as `forgetUser` of agentic does, and messages of its conversations. */
function mentioning(name: string, others: OtherNames): Filter {
  const names = [name, `user:${name}`, ...others.names];
  const nodes = [...new Set([...names, ...others.nodes])];
  const named = (field: string, value = names): Filter => ({ field, op: "in", value });
  const of = (kind: string, ...fields: readonly Filter[]): Filter => ({
    all: [{ field: "metadata.kind", op: "eq", value: kind }, { any: fields }],
  });
  return {
    any: [
      named("metadata.about"),
      named("group"),
      { field: "group", op: "starts_with", value: `user:${name}/` },
      of("triple", named("metadata.subject", nodes), named("metadata.object", nodes)),
      of("block", named("metadata.label")),
      of("target", named("metadata.name")),
    ],
  };
}

async function forget(
  memory: AgentMemory,
  { user, names: given = [] }: JsonObject,
  dryRun: boolean,
): Promise<UserForgetReply> {
  if (typeof user !== "string" || user === "") throw invalidField("user", "must be a non-empty string");
  if (!Array.isArray(given) || !given.every((name) => typeof name === "string" && name !== ""))
    throw invalidField("names", "must be a list of non-empty strings");
  const { names } = await otherNames(memory, user, given as string[]);
  const { forgetUser, listUserEntries } = await import("@membus/agentic/memory");
  const listed = dryRun ? await listUserEntries(memory, user, { names, limit: LISTED_MAX }) : [];
  const { deleted, byKind, byTier, remains } = await forgetUser(memory, user, { dryRun, names });
  const more = listed.length < LISTED_MAX ? 0 : Math.max(0, deleted - LISTED_MAX);
  return { user, deleted, byKind, byTier, remains, entries: listed.map(briefOf), more };
}

/** Returns the names in a text such as `Ada, A. Lovelace`. */
function namesIn(text: string): string[] {
  return text
    .split(",")
    .map((name) => name.trim())
    .filter((name) => name !== "");
}

/** Routes of the view *users*. */
export const USER_ROUTES = { users: listUsers, user: readUser };

/** Routes that forget a user. */
export const USER_EDIT_ROUTES = {
  "user/forget/preview": (memory: AgentMemory, body: JsonObject) => forget(memory, body, true),
  "user/forget": (memory: AgentMemory, body: JsonObject) => forget(memory, body, false),
};
