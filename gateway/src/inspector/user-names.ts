import type { AgentMemory } from "@membus/agent-client";
import { LIMITS } from "@membus/protocol";
import { invalidField } from "./query-fields.js";
import { listUsers } from "./users.js";

const NAMES_MAX = 50;

/**
 * Returns the other names of a user: those given, and its name in other cases, such as the node `Ada` for `ada`.
 * A name in another case is left out if it is, or may be, another user.
 */
export async function otherNames(
  memory: AgentMemory,
  user: string,
  given: readonly string[],
): Promise<string[]> {
  const { users, truncated } = await listUsers(memory);
  const taken = new Set(users.map(({ name }) => name));
  const cases = truncated ? [] : casesOf(user).filter((name) => !taken.has(name));
  const names = [...new Set([...cases, ...given])].filter((name) => name !== user);
  if (names.length > NAMES_MAX) throw invalidField("names", `has at most ${NAMES_MAX} names`);
  return names;
}

function casesOf(name: string): string[] {
  const lower = name.toLowerCase();
  const title = lower.replace(/(?<=^|[\s_-])\p{Ll}/gu, (letter) => letter.toUpperCase());
  return [lower, title, name.toUpperCase()].filter((one) => one.length <= LIMITS.stringLength);
}
