import { readdirSync, readFileSync } from "node:fs";

/** Far more than threads need to come to rest. */
const LOOKS_MAX = 100_000;

/** Whether processes can be stopped here in the midst of what they do, and looked at. */
export const CAN_STOP = process.platform === "linux";

/** What `look` gives while all threads of a process stand still: then its files are what a kill would leave. */
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
    // The state stands behind the name, which may hold anything.
    const text = statOf(`${tasks}/${task}/stat`);
    return text === undefined || /^[TtZX]/.test(text.slice(text.lastIndexOf(")") + 2));
  });
}

/** Undefined of a thread that has ended since. */
function statOf(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
}
