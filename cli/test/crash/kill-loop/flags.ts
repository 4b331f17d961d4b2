import { randomInt } from "node:crypto";
import { parseArgs } from "node:util";
import { integerFlag } from "../soak-command.js";

const MINUTES_DEFAULT = 10;

export const HELP = `npm run soak -- [--minutes N | --kills N] [--seed S] [--data FOLDER] [--json]

Kills a host with SIGKILL while three agents write to it, and restarts it. Then it verifies all acknowledged requests:
stores, overwrites, batches, forgets, purges, and retries with the same id. The last line shows how many entries were
lost, duplicated or restored after a forget. The exit code is 1 if there are any.

  --minutes N     duration in minutes, the last round is completed (default ${MINUTES_DEFAULT})
  --kills N       number of kills, instead of a duration
  --seed S        seed of the requests (default: random, printed at the start and on failure)
  --data FOLDER   data folder of the host (default: a temporary folder, kept if a check fails)
  --json          print the result as JSON instead of the last line
`;

export interface SoakFlags {
  /** Undefined if `kills` is given. */
  readonly minutes: number | undefined;
  readonly kills: number | undefined;
  readonly seed: number;
  readonly data: string | undefined;
  readonly json: boolean;
}

/**
 * Parses a command line. Returns undefined if it requests help.
 * @throws {TypeError} naming the invalid flag.
 */
export function readSoakFlags(args: string[]): SoakFlags | undefined {
  const { values } = parseArgs({
    args,
    options: {
      minutes: { type: "string" },
      kills: { type: "string" },
      seed: { type: "string", default: String(randomInt(1_000_000)) },
      data: { type: "string" },
      json: { type: "boolean", default: false },
      help: { type: "boolean", short: "h" },
    },
  });
  if (values.help === true) return undefined;
  const { minutes, kills } = values;
  if (minutes !== undefined && kills !== undefined) throw new TypeError("give either --minutes or --kills");
  return {
    minutes: kills === undefined ? integerFlag("minutes", minutes ?? String(MINUTES_DEFAULT), 1) : undefined,
    kills: kills === undefined ? undefined : integerFlag("kills", kills, 1),
    seed: integerFlag("seed", values.seed, 0),
    data: values.data,
    json: values.json,
  };
}
