// The process of `watchLife`. Its arguments are module, directory, tier, embedder and diary file.

import { once } from "node:events";
import fs from "node:fs";
import { type MemoryTier, silentLogger, systemClock } from "@membus/protocol";
import { loadPluginModule, type MemoryPlugin } from "@membus/protocol/plugin";
import { lifeSteps, type Step } from "../fixtures/life.js";
import { wordEmbedder } from "../fixtures/word-embedder.js";
import { Trace } from "../trace.js";
import { PLUGIN_NAMES, PLUGIN_NAMESPACE } from "./names.js";
import { PluginAgent } from "./plugin-agent.js";
import { featuresOf } from "./plugin-instance.js";
import { LINES_DESCRIPTOR } from "./plugin-process.js";
import type { DiaryLine, LifeLine } from "./watched-life.js";
import { watchHandles, watchWrites } from "./write-points.js";

/** Number of write points that are reported in full per step. Later ones are reported less and less often. */
const POINTS_SHOWN = 16;

const { appendFileSync, readSync, writeSync } = fs;
const [module, dataDirectory, tier, embedder, diary] = process.argv.slice(2) as [
  string,
  string,
  MemoryTier,
  string,
  string,
];
const answer = new Uint8Array(1);
let isWatched = false;
let pointCount = 0;

fs.writeFileSync(diary, "");
watchWrites(atWritePoint);
await watchHandles(diary, atWritePoint);

const { createPlugin } = await loadPluginModule(module);
let plugin: MemoryPlugin;
await watched("while it opens", open);
await live();

/** Stops until the parent has saved the directory. */
function atWritePoint(isHalfway = false): void {
  if (!isWatched) return;
  const point = pointCount++;
  if (point >= POINTS_SHOWN && (point & (point - 1)) !== 0) return;
  say({ at: "write", isHalfway });
  readSync(0, answer);
}

async function open(): Promise<void> {
  plugin = await createPlugin();
  const services = { tier, clock: systemClock, logger: silentLogger, dataDirectory, notify() {} };
  await plugin.open?.(embedder === "none" ? services : { ...services, embedder: wordEmbedder });
}

async function live(): Promise<void> {
  const steps = lifeSteps(tier, featuresOf(plugin));
  for (const [at, step] of steps.entries()) {
    write({ begun: at });
    const reply = step.watch === undefined ? await take(step) : await watched(step.watch, () => take(step));
    write({ done: at, reply: JSON.parse(JSON.stringify(reply ?? null)) });
    if (step.kind === "forget") say({ at: "forgotten" });
  }
  say({ at: "end" });
  await once(process, "message");
}

async function take(step: Step): Promise<unknown> {
  const agent = agentBelow(step.below);
  if (step.kind === "store") return agent.store(step.entries, { id: step.id });
  if (step.kind === "forget") return agent.forget({ ...step.request, id: step.id });
  if (step.kind === "maintain") return plugin.maintain?.();
  if (step.kind === "pause") {
    say({ at: "pause" });
    return void (await once(process, "message"));
  }
  await plugin.close?.();
  return open();
}

async function watched<Result>(
  watch: NonNullable<Step["watch"]>,
  work: () => Promise<Result>,
): Promise<Result> {
  say({ at: "watch", watch });
  [isWatched, pointCount] = [true, 0];
  try {
    return await work();
  } finally {
    isWatched = false;
    say({ at: "watched" });
  }
}

function agentBelow(below: string): PluginAgent {
  const { agents, tenants } = PLUGIN_NAMES;
  const caller = { tenant: tenants.first, agent: agents.first, session: "" };
  const parts = { tier, clock: systemClock, trace: new Trace(), plugin: () => plugin };
  return new PluginAgent(caller, `${PLUGIN_NAMESPACE}/${below}`, parts);
}

/** Writes a diary line synchronously, so that every acknowledged step is on disk. */
function write(line: DiaryLine): void {
  appendFileSync(diary, `${JSON.stringify(line)}\n`);
}

function say(line: LifeLine): void {
  writeSync(LINES_DESCRIPTOR, `${JSON.stringify(line)}\n`);
}
