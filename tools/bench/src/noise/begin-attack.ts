import { readdirSync } from "node:fs";
import { setPriority } from "node:os";

/**
 * Prints that the attack begins, and lowers the priority of all threads to `ATTACK_NICE` if it is set. Not
 * earlier, because a start at low priority takes minutes while others use the whole machine.
 */
export function beginAttack(): void {
  const { ATTACK_NICE } = process.env;
  if (ATTACK_NICE !== undefined) for (const thread of threads()) setPriority(thread, Number(ATTACK_NICE));
  process.once("SIGTERM", () => process.exit(0));
  process.stdout.write("ready\n");
}

/** Linux has a priority per thread, others per process. */
function threads(): readonly number[] {
  return process.platform === "linux" ? readdirSync("/proc/self/task").map(Number) : [process.pid];
}
