import type { AgentMemory, ForgetRequest } from "@membus/agent-client";
import { type Filter, isMemoryError, type MemoryTier, TIERS } from "@membus/protocol";
import { encodeSegment } from "@membus/protocol/records";
import { kindIs } from "../kind-filter.js";
import { UserSchema, userSubject } from "./memory-options.js";

/** Segments after which the next segment of a namespace is a user. */
const BEFORE_USER: readonly string[] = ["about", "user", "users"];

/** Conversations in one filter. */
const CONVERSATIONS_MAX = 100;

/** The names and the conversations of a user. */
export interface UserNames {
  readonly user: string;
  /** Other names of the user, such as the node of a graph. */
  readonly names: readonly string[];
  /** Conversations of the user with other ids than `user:<user>` and `user:<user>/...`. */
  readonly conversations: readonly string[];
  /** Names in lower case of nodes in graphs, see `lowerCaseNodes`. */
  readonly nodes?: readonly string[];
}

/** Entries of a user: a namespace in a tier, and the criteria that select the entries. */
export interface UserPlace {
  readonly tier: MemoryTier;
  readonly namespace: string;
  readonly criteria: Pick<ForgetRequest, "where" | "all">;
  /** Whether the whole namespace belongs to the user. */
  readonly isWhole: boolean;
}

/** Returns the tiers that the host serves. */
export async function servedTiers(memory: AgentMemory): Promise<MemoryTier[]> {
  const { tiers } = await memory.ping({ retryTimeoutMs: 5_000 });
  return TIERS.filter((tier) => tiers.includes(tier));
}

/**
 * Returns the names of a user in lower case, because graphs may store nodes so. Users are case-sensitive: the result
 * lacks names of other users that this agent sees.
 */
export async function lowerCaseNodes(memory: AgentMemory, user: UserNames): Promise<string[]> {
  const names = namesOf(user);
  const lower = new Set(names.map((name) => name.toLowerCase()).filter((name) => !names.includes(name)));
  const userOf = (node: string) => node.replace(/^user:/, "");
  const others = await usersAmong(memory, [...lower].map(userOf));
  return [...lower].filter((node) => !others.has(userOf(node)));
}

/** Returns the names of users that this agent sees: they have entries, apart from the marker of an earlier forget. */
export async function usersAmong(
  memory: AgentMemory,
  names: readonly string[],
): Promise<ReadonlySet<string>> {
  const valid = names.filter((name) => UserSchema.safeParse(name).success);
  const users = new Set<string>();
  for (const tier of valid.length === 0 ? [] : await servedTiers(memory)) {
    const isRecord: Filter = { not: kindIs("forgotten") };
    for await (const { value } of memory.items({ namespace: "**", tier, where: isRecord })) {
      for (const user of valid) {
        if (!users.has(user) && (await hasEntries(memory, { tier, namespace: String(value) }, user)))
          users.add(user);
      }
    }
  }
  return users;
}

/** Returns whether a namespace has entries of a user. The nodes of graphs do not count, because they may be things. */
async function hasEntries(
  memory: AgentMemory,
  { tier, namespace }: Pick<UserPlace, "tier" | "namespace">,
  user: string,
): Promise<boolean> {
  const names = { user, names: [], conversations: [] };
  if (isUserNamespace(namespace, names)) return true;
  const where: Filter = { any: [ofConversation(userSubject(user)), ...withoutNodes(namesOf(names))] };
  const { items } = await memory.list({ namespace, tier, where, limit: 1 });
  return items.length > 0;
}

function ofConversation(subject: string): Filter {
  return {
    all: [
      // The group of other records is not a conversation. The group of a triple is its subject.
      kindIs("message", "summary", "history", "offload"),
      {
        any: [
          { field: "group", op: "eq", value: subject },
          { field: "group", op: "starts_with", value: `${subject}/` },
        ],
      },
    ],
  };
}

/** Selects records about a user, apart from the triples of graphs. */
function withoutNodes(names: string[]): Filter[] {
  const named = (field: string): Filter => ({ field, op: "in", value: names });
  return [
    named("metadata.about"),
    { all: [kindIs("block"), named("metadata.label")] },
    { all: [kindIs("target"), named("metadata.name")] },
  ];
}

/** Returns all entries of a user that this agent sees in a tier. */
export async function userPlaces(
  memory: AgentMemory,
  tier: MemoryTier,
  user: UserNames,
): Promise<UserPlace[]> {
  const places: UserPlace[] = [];
  for await (const { value } of memory.items({ namespace: "**", tier })) {
    const namespace = String(value);
    if (isUserNamespace(namespace, user)) {
      places.push({ tier, namespace, criteria: { all: true }, isWhole: true });
      continue;
    }
    const conversations = await conversationsIn(memory, { tier, namespace }, user);
    for (const where of recordsOf(user, conversations)) {
      places.push({ tier, namespace, criteria: { where }, isWhole: false });
    }
  }
  return places;
}

/** Returns whether all entries of a namespace belong to the user: `about/ada`, `users/ada/notes`, `x/user:ada`. */
export function isUserNamespace(namespace: string, { user, names }: UserNames): boolean {
  const segments = namespace.split("/");
  const subject = encodeSegment(userSubject(user));
  const named = [user, ...names].flatMap((name) => [encodeSegment(name), progressiveSegment(name)]);
  return segments.some(
    (segment, n) =>
      segment === subject || (BEFORE_USER.includes(segments[n - 1] ?? "") && named.includes(segment)),
  );
}

/** Returns a name as a segment of progressive memory, which escapes "~" too. */
export function progressiveSegment(name: string): string {
  return encodeSegment(name).replaceAll("~", "%7e");
}

/** Returns the conversations of a namespace that belong to the user only. */
async function conversationsIn(
  memory: AgentMemory,
  { tier, namespace }: Pick<UserPlace, "tier" | "namespace">,
  user: UserNames,
): Promise<string[]> {
  const subject = userSubject(user.user);
  const found = new Set([subject, ...user.conversations]);
  for await (const { value } of memory.items({ namespace, tier, field: "group", where: kindIs("message") })) {
    if (String(value).startsWith(`${subject}/`)) found.add(String(value));
  }
  const targets = new Map<string, Set<string>>();
  const histories = memory.entries({ namespace, tier, where: kindIs("history") });
  for await (const { group, metadata } of histories) {
    if (group == null || !Array.isArray(metadata?.targets)) continue;
    const known = targets.get(group) ?? new Set();
    targets.set(group, new Set([...known, ...(metadata.targets as string[])]));
  }
  const names = namesOf(user);
  for (const [group, all] of targets) {
    if (all.size > 0 && [...all].every((target) => names.includes(target))) found.add(group);
  }
  return [...found];
}

/** Returns every name under which records know the user. */
function namesOf({ user, names }: UserNames): string[] {
  return [...new Set([user, userSubject(user), ...names])];
}

/** Selects the user's records in a namespace of several users. */
function recordsOf(user: UserNames, conversations: readonly string[]): Filter[] {
  const names = namesOf(user);
  const node = (field: string): Filter => ({ field, op: "in", value: [...names, ...(user.nodes ?? [])] });
  const isTriple: Filter = { any: [node("metadata.subject"), node("metadata.object")] };
  const filters: Filter[] = [{ any: [...withoutNodes(names), { all: [kindIs("triple"), isTriple] }] }];
  for (let from = 0; from < conversations.length; from += CONVERSATIONS_MAX) {
    const value = conversations.slice(from, from + CONVERSATIONS_MAX);
    filters.push({
      any: [
        { field: "group", op: "in", value },
        { field: "key.conversation", op: "in", value },
      ],
    });
  }
  return filters;
}

/** Returns the number of entries of a place by kind. Entries that are no records count as "other". */
export async function countByKind(memory: AgentMemory, place: UserPlace): Promise<Map<string, number>> {
  const { tier, namespace, criteria } = place;
  const request = { tier, namespace, ...(criteria.where != null && { where: criteria.where }) };
  const counts = new Map<string, number>();
  for await (const { value, count } of memory.items({ ...request, field: "metadata.kind" })) {
    counts.set(String(value), count);
  }
  const { deleted } = await memory.forget({ ...criteria, tier, namespace, dry_run: true });
  const other = deleted - [...counts.values()].reduce((sum, count) => sum + count, 0);
  if (other > 0) counts.set("other", other);
  return counts;
}

/** Returns the code of an error of the host. @throws any other error. */
export function codeOf(error: unknown): string {
  if (!isMemoryError(error)) throw error;
  return error.code;
}
