/** The main session of an agent, which may have another name than `main`, or a session of the dashboard. */
const USER = /^agent:[^:]+:(?:[^:]+|dashboard:(?!incognito-)[^:]+)$/;
/** Direct messages with a person, in all of OpenClaw, in a channel, or in an account of a channel. */
const PERSON = /^agent:[^:]+:((?:[^:]+:){0,2}?direct:.+)$/;
/** Words before an id of another kind, which may be `direct`. */
const OTHER_KIND = /^agent:[^:]+:(?:subagent|cron|hook|acp|[^:]+:(?:group|channel|room|slash)):/;
const THREAD = /:thread:[^:]+$/;

/** The memory of a session of OpenClaw. */
export interface KeyMemory {
  /** Absent: the user of this machine. */
  readonly person?: string | undefined;
}

/**
 * Returns the memory of a session key, or undefined if it has none. Only known kinds of keys have one: others
 * may read the answers of a group, of its subagents and of schedules, and OpenClaw adds kinds.
 */
export function memoryOfKey(sessionKey: string): KeyMemory | undefined {
  const key = sessionKey.replace(THREAD, "");
  if (USER.test(key)) return {};
  const person = OTHER_KIND.test(key) ? undefined : PERSON.exec(key)?.[1];
  return person === undefined ? undefined : { person };
}
