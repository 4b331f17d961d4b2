import type { AgentMemory } from "@membus/agent-client";
import { isMemoryError, LIMITS } from "@membus/protocol";
import { orTooMany } from "./find-anywhere.js";
import { invalidField } from "./query-fields.js";

const NAMES_MAX = 50;

export interface OtherNames {
  /** The names that were given, and the name in other cases, such as the node `Ada` for `ada`. */
  readonly names: string[];
  /** Names in lower case, because graphs may store nodes so. */
  readonly nodes: string[];
}

/**
 * Returns the other names of a user. A name in another case is left out if it is, or may be, another user, as for
 * `forgetUser` of agentic.
 */
export async function otherNames(
  memory: AgentMemory,
  user: string,
  given: readonly string[],
): Promise<OtherNames> {
  const { lowerCaseNodes, usersAmong } = await import("@membus/agentic/memory");
  const cases = casesOf(user).filter((name) => name !== user);
  const users = await orUnknown(usersAmong(memory, cases));
  const free = users === undefined ? [] : cases.filter((name) => !users.has(name));
  const names = [...new Set([...free, ...given])].filter((name) => name !== user);
  if (names.length > NAMES_MAX) throw invalidField("names", `has at most ${NAMES_MAX} names`);
  const nodes = await orUnknown(lowerCaseNodes(memory, { user, names, conversations: [] }));
  return { names, nodes: nodes ?? [] };
}

/** Returns undefined if the agent may not list its users, or has too many namespaces to list. */
async function orUnknown<T>(read: Promise<T>): Promise<T | undefined> {
  try {
    return await orTooMany(read);
  } catch (error) {
    if (isMemoryError(error) && error.code === "unauthorized") return undefined;
    throw error;
  }
}

function casesOf(name: string): string[] {
  const lower = name.toLowerCase();
  const title = lower.replace(/(?<=^|[\s_-])\p{Ll}/gu, (letter) => letter.toUpperCase());
  return [lower, title, name.toUpperCase()].filter((one) => one.length <= LIMITS.stringLength);
}
