import type { AgentMemory } from "@membus/agent-client";
import { LIMITS } from "@membus/protocol";
import { invalidField } from "./query-fields.js";
import { listUsers } from "./users.js";

const NAMES_MAX = 50;

export interface OtherNames {
  /** The names that were given, and the name in other cases, such as the node `Ada` for `ada`. */
  readonly names: string[];
  /** All names in lower case, because graphs may store nodes so. */
  readonly nodes: string[];
}

/** Returns the other names of a user. A name in another case is left out if it is, or may be, another user. */
export async function otherNames(
  memory: AgentMemory,
  user: string,
  given: readonly string[],
): Promise<OtherNames> {
  const { users, truncated } = await listUsers(memory);
  const taken = new Set(users.map(({ name }) => name));
  const free = (cases: readonly string[]) => (truncated ? [] : cases.filter((name) => !taken.has(name)));
  const names = [...new Set([...free(casesOf(user)), ...given])].filter((name) => name !== user);
  if (names.length > NAMES_MAX) throw invalidField("names", `has at most ${NAMES_MAX} names`);
  return { names, nodes: free([user, ...names].map((name) => name.toLowerCase())) };
}

function casesOf(name: string): string[] {
  const lower = name.toLowerCase();
  const title = lower.replace(/(?<=^|[\s_-])\p{Ll}/gu, (letter) => letter.toUpperCase());
  return [lower, title, name.toUpperCase()].filter((one) => one.length <= LIMITS.stringLength);
}
