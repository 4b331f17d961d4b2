import { readdirSync, readFileSync } from "node:fs";

/** Maximum number of polls until all threads are stopped. Far more than needed. */
const LOOKS_MAX = 100_000;

/** Whether running processes can be stopped and inspected on this platform. */
export const CAN_STOP = process.platform === "linux";

/**
 * Returns the result of `look` while all threads of a process are stopped. Its files are then the same as
 * after a kill.
 */
export function whileStopped<Seen>(pid: number, look: () => Seen): Seen | undefined {
  try {
    process.kill(pid, "SIGSTOP");
    for (let count = 0; !standsStill(pid); count++) if (count === LOOKS_MAX) return undefined;
    return look();
  } finally {
    process.kill(pid, "SIGCONT");
  }
}

function standsStill(pid: number): boolean {
  const tasks = `/proc/${pid}/task`;
  return readdirSync(tasks).every((task) => {
    // The state follows the name, which may contain any character.
    const text = statOf(`${tasks}/${task}/stat`);
    return text === undefined || /^[TtZX]/.test(text.slice(text.lastIndexOf(")") + 2));
  });
}

/** Returns undefined for a thread that has ended. */
function statOf(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
}
