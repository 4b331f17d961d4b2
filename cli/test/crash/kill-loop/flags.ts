import { randomInt } from "node:crypto";
import { parseArgs } from "node:util";

const KILLS_DEFAULT = 100;

export const HELP = `npm run crash -- [--kills N] [--seed N] [--data FOLDER] [--json]

Kills a host with SIGKILL while three agents write to it, restarts it, and verifies everything acknowledged: stores,
overwrites, batches, forgets and purges, and retries with the same id. The last line shows how many entries were lost,
duplicated or restored after a forget. The exit code is 1 if there are any.

  --kills N       number of kills (default ${KILLS_DEFAULT})
  --seed N        seed of the requests (default: random, printed at the start)
  --data FOLDER   data folder of the host (default: a temporary folder, kept if a check fails)
  --json          print the result as JSON instead of the last line`;

export interface CrashFlags {
  readonly kills: number;
  readonly seed: number;
  readonly data: string | undefined;
  readonly json: boolean;
}

/**
 * Parses a command line. Returns undefined if it requests help.
 * @throws {TypeError} naming the invalid flag.
 */
export function readCrashFlags(args: string[]): CrashFlags | undefined {
  const { values } = parseArgs({
    args,
    options: {
      kills: { type: "string", default: String(KILLS_DEFAULT) },
      seed: { type: "string", default: String(randomInt(1_000_000)) },
      data: { type: "string" },
      json: { type: "boolean", default: false },
      help: { type: "boolean", short: "h" },
    },
  });
  if (values.help === true) return undefined;
  return {
    kills: numberOf("kills", values.kills, 1),
    seed: numberOf("seed", values.seed, 0),
    data: values.data,
    json: values.json,
  };
}

function numberOf(flag: string, text: string, min: number): number {
  const number = Number(text);
  if (Number.isInteger(number) && number >= min && number < 2 ** 32) return number;
  throw new TypeError(`--${flag} must be an integer of at least ${min}, got ${text}`);
}
