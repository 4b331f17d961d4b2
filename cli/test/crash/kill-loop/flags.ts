import { randomInt } from "node:crypto";
import { parseArgs } from "node:util";

const KILLS_DEFAULT = 100;

export const HELP = `npm run crash -- [--kills N] [--seed N] [--data FOLDER] [--json]

Kills a host that three agents write to with SIGKILL, starts it again, and verifies what was acknowledged: stores,
overwrites, batches, forgets and purges, each also sent again under its id. The last line tells what was lost, done twice,
or came back; the exit code is 1 if anything was.

  --kills N       how many, ${KILLS_DEFAULT} if not given
  --seed N        of what the agents ask for; any if not given, and printed
  --data FOLDER   of the host; a temporary one if not given, which stays if anything was found
  --json          prints the figures as JSON in place of the last line
`;

export interface CrashFlags {
  readonly kills: number;
  readonly seed: number;
  readonly data: string | undefined;
  readonly json: boolean;
}

/** Of a command line. Undefined where it asks for help; a `TypeError` tells what is wrong with one. */
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
  throw new TypeError(`--${flag} must be a whole number from ${min}, got ${text}`);
}
