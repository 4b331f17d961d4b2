import { ensureNatsServer } from "@membus/nats-server";
import { endOnSignal } from "../../../../tools/bench/src/harness/end-on-signal.js";
import { runSoakCommand } from "../soak-command.js";
import { Chance } from "./chance.js";
import { Findings } from "./findings.js";
import { HELP, readSoakFlags, type SoakFlags } from "./flags.js";

const ROUNDS_PER_RELEVANCE = 10;

const note = (line: string) => process.stderr.write(`${line}\n`);

async function soak(flags: SoakFlags): Promise<void> {
  const findings = new Findings();
  const bound = flags.kills === undefined ? `${flags.minutes} minutes` : `${flags.kills} kills`;
  note(`${bound}, seed ${flags.seed}`);
  const startedAt = Date.now();
  try {
    await killAndVerify(flags, findings);
  } catch (error) {
    note(`seed ${flags.seed}, after ${findings.progress}`);
    throw error;
  }
  for (const [breach, places] of Object.entries(findings.breaches)) {
    for (const place of places) note(`${breach}: ${place}`);
  }
  if (!findings.isClean) note(`seed ${flags.seed}`);
  const { kills, acknowledged, presences, absences, breaches } = findings;
  const seconds = Math.round((Date.now() - startedAt) / 1000);
  const figures = { kills, seed: flags.seed, seconds, acknowledged, presences, absences, ...breaches };
  process.stdout.write(`${flags.json ? JSON.stringify(figures) : findings.summary}\n`);
  process.exitCode = findings.isClean ? 0 : 1;
}

async function killAndVerify({ minutes, kills, seed, data }: SoakFlags, findings: Findings): Promise<void> {
  const { path } = await ensureNatsServer({
    explicitPath: process.env.MEMBUS_NATS_SERVER || undefined,
    env: process.env,
    onStep: note,
  });
  // The module that starts test servers reads the variable when it is imported.
  process.env.MEMBUS_NATS_SERVER = path;
  const [{ ChaosStage }, { KillLoop }] = await Promise.all([
    import("../chaos-stage.js"),
    import("./kill-loop.js"),
  ]);
  const stage = await ChaosStage.open({ data });
  let keep = true;
  const takeBack = endOnSignal(() => {
    keep = false;
    return stage.close();
  });
  try {
    await stage.startHost();
    const settings = { chance: new Chance(seed), findings, roundsPerRelevance: ROUNDS_PER_RELEVANCE };
    const loop = await KillLoop.open(stage, settings);
    const signal = minutes === undefined ? undefined : AbortSignal.timeout(minutes * 60_000);
    await loop.run(kills ?? Number.POSITIVE_INFINITY, { signal, onRound: () => note(findings.progress) });
    keep = !findings.isClean;
  } finally {
    takeBack();
    if (keep) note(`the data is kept in ${stage.data}`);
    await stage.close({ keep });
  }
}

await runSoakCommand(process.argv.slice(2), { help: HELP, readFlags: readSoakFlags, run: soak });
