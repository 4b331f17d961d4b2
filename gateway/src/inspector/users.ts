import type { AgentMemory, ListResult } from "@membus/agent-client";
import { LIMITS, type MemoryTier, TIERS } from "@membus/protocol";
import { decodeSegment, encodeSegment } from "@membus/protocol/records";
import { emptyIfUnavailable } from "./empty-if-unavailable.js";
import { namespacesAnywhere } from "./find-anywhere.js";
import type { UserBrief, UsersReply } from "./inspector-api.js";

const USERS_MAX = 500;
const SUBJECT = "user:";
/** Segments after which the next segment is a user, as for `forgetUser` of agentic. */
const BEFORE_USER: readonly string[] = ["user", "users"];

type Items = Pick<ListResult, "items">;

/** Lists the users in namespaces and conversations, those with the latest entries first. */
export async function listUsers(memory: AgentMemory): Promise<UsersReply> {
  const limit = LIMITS.listLimit;
  const lists = TIERS.map((tier) => namespacesAnywhere(memory, { tier, limit }, ["about", ...BEFORE_USER]));
  const [namespaces, groups] = await Promise.all([
    Promise.all(lists.map(emptyIfUnavailable)),
    emptyIfUnavailable(conversationUsers(memory)),
  ]);
  const users = usersIn(namespaces, [groups]);
  const isCut = namespaces.some(({ truncated }) => truncated === true);
  return { users: users.slice(0, USERS_MAX), truncated: isCut || users.length > USERS_MAX };
}

/** Lists the conversations with the subject of a user as their id. Without a tier, in all tiers. */
export function conversationUsers(memory: AgentMemory, tier?: MemoryTier): Promise<ListResult> {
  const where = { field: "group", op: "starts_with", value: SUBJECT } as const;
  return memory.list({ namespace: "conversations", tier, field: "group", where, limit: LIMITS.listLimit });
}

/** Adds the entries of each user up, in namespaces and in conversations. */
export function usersIn(namespaces: readonly Items[], conversations: readonly Items[]): UserBrief[] {
  const users = new Map<string, UserBrief>();
  const add = (name: string, { count, newest }: Items["items"][number]) => {
    const { entries, newest: latest } = users.get(name) ?? { entries: 0, newest: 0 };
    users.set(name, { name, entries: entries + count, newest: Math.max(latest, newest) });
  };
  for (const item of namespaces.flatMap(({ items }) => items)) {
    const name = userOf(String(item.value));
    if (name !== undefined) add(name, item);
  }
  for (const item of conversations.flatMap(({ items }) => items))
    add(String(item.value).slice(SUBJECT.length).split("/")[0]!, item);
  return [...users.values()].sort((a, b) => b.newest - a.newest);
}

/** Returns the user of a namespace such as `about/user:ada` or `users/ada/notes`. */
export function userOf(namespace: string): string | undefined {
  const segments = namespace.split("/");
  const at = segments.findIndex(
    (segment, n) => segment.startsWith(SUBJECT) || BEFORE_USER.includes(segments[n - 1] ?? ""),
  );
  const segment = segments[at];
  if (segment === undefined) return undefined;
  return decodeSegment(segment.startsWith(SUBJECT) ? segment.slice(SUBJECT.length) : segment);
}

/** Returns the namespaces in which `userOf` finds a user. Other namespaces are below them. */
export function namespacesOfUser(name: string): string[] {
  return [
    `about/${encodeSegment(SUBJECT + name)}`,
    ...BEFORE_USER.map((before) => `${before}/${encodeSegment(name)}`),
  ];
}
