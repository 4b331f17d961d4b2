import { randomInt } from "node:crypto";
import { parseArgs } from "node:util";
import { ensureNatsServer } from "@membus/nats-server";
import type { AgentTurns } from "./agent-turns.js";

const OUTAGES_DEFAULT = 1_000;
/** About as many as a turn takes that recalls memories and delivers some writes. */
const BYTES_MAX = 100_000;

const HELP = `npm run soak:outages -- [--agent claude-code|hermes] [--outages N] [--seed S] [--kill-every N]

Runs turns of an agent during outages. In each one the connection breaks or the host is killed, and the user states
something that must be kept. The last line shows how many statements were lost or doubled, and how many turns had
queued writes without a notice. The exit code is 1 if there are any. Ctrl+C ends the outages early. Hermes needs Python
in MEMBUS_TEST_HERMES.
`;

const note = (line: string) => process.stderr.write(`${line}\n`);

interface OutageFlags {
  readonly agent: "claude-code" | "hermes";
  readonly outages: number;
  readonly seed: number;
  readonly killEvery: number;
}

/** @throws {TypeError} for an invalid flag. */
function readFlags(args: string[]): OutageFlags | undefined {
  const { values } = parseArgs({
    args,
    options: {
      agent: { type: "string", default: "claude-code" },
      outages: { type: "string", default: String(OUTAGES_DEFAULT) },
      seed: { type: "string", default: String(randomInt(1_000_000)) },
      "kill-every": { type: "string", default: "20" },
      help: { type: "boolean", short: "h", default: false },
    },
  });
  if (values.help) return undefined;
  const { agent } = values;
  if (agent !== "claude-code" && agent !== "hermes") throw new TypeError(`unknown agent ${agent}`);
  const [outages, seed, killEvery] = [values.outages, values.seed, values["kill-every"]].map(Number);
  const numbers = [outages, seed, killEvery];
  if (!numbers.every((number) => Number.isInteger(number) && number! >= 0) || outages! * killEvery! === 0)
    throw new TypeError("--outages and --kill-every must be integers of at least 1, --seed of at least 0");
  return { agent, outages: outages!, seed: seed!, killEvery: killEvery! };
}

async function soak({ agent, outages, seed, killEvery }: OutageFlags): Promise<void> {
  const { path } = await ensureNatsServer({
    explicitPath: process.env.MEMBUS_NATS_SERVER || undefined,
    env: process.env,
    onStep: note,
  });
  // The module that starts test servers reads the variable when it is imported.
  process.env.MEMBUS_NATS_SERVER = path;
  const { OutageStage } = await import("./outage-stage.js");
  const { claudeCodeTurns, hermesTurns } = await import("./agent-turns.js");
  const { runTurns } = await import("./run-turns.js");
  note(`${agent}, ${outages} outages, seed ${seed}, every ${killEvery}th kills the host`);
  const stage = await OutageStage.open({
    agent: "coding-agent",
    namespace: "about/**",
    seed,
    killEvery,
    bytesMax: BYTES_MAX,
  });
  const options = { url: stage.url, folder: stage.folder };
  const turns: AgentTurns =
    agent === "hermes"
      ? hermesTurns(process.env.MEMBUS_TEST_HERMES || "python3", options)
      : claudeCodeTurns(options);
  const interruption = new AbortController();
  process.once("SIGINT", () => interruption.abort()).once("SIGTERM", () => interruption.abort());
  try {
    const result = await runTurns(stage, turns, outages, { onProgress: note, signal: interruption.signal });
    const problems = result.lost + result.doubled + result.withoutNotice;
    process.stdout.write(`${JSON.stringify({ agent, seed, ...result })}\n`);
    process.exitCode = problems === 0 ? 0 : 1;
  } finally {
    await turns.close();
    await stage.close();
  }
}

try {
  const flags = readFlags(process.argv.slice(2));
  if (flags === undefined) process.stdout.write(HELP);
  else await soak(flags);
} catch (error) {
  note(error instanceof TypeError ? `${error.message}\n\n${HELP}` : String((error as Error).stack));
  process.exitCode = 2;
}
