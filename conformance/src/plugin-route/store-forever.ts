// The process of `killWhileStoring`, which kills itself. Its arguments are module, directory, tier, embedder, diary
// file and the number of stores until the kill.
import { randomUUID } from "node:crypto";
import { appendFileSync } from "node:fs";
import {
  type MemoryTier,
  parseNamespacePattern,
  scopeOf,
  selectorOf,
  silentLogger,
  systemClock,
} from "@membus/protocol";
import { loadPluginModule, type MemoryPlugin } from "@membus/protocol/plugin";
import { wordEmbedder } from "../fixtures/word-embedder.js";
import { compileForget, compileStore } from "./compile-request.js";
import { type ChildLine, killEntry, killRequestId } from "./kill-while-storing.js";
import { PLUGIN_NAMES, PLUGIN_NAMESPACE } from "./names.js";

const IN_FLIGHT = 8;
/** One of this number of entries is forgotten again. */
const FORGOTTEN_ONE_OF = 4;

const [module, dataDirectory, tier, embedder, diary, count] = process.argv.slice(2) as [
  string,
  string,
  MemoryTier,
  string,
  string,
  string,
];
const { createPlugin } = await loadPluginModule(module);
const plugin: MemoryPlugin = await createPlugin();
const services = { tier, clock: systemClock, logger: silentLogger, dataDirectory, notify() {} };
await plugin.open?.(embedder === "none" ? services : { ...services, embedder: wordEmbedder });

const caller = { tenant: PLUGIN_NAMES.tenants.first, agent: PLUGIN_NAMES.agents.first, session: "" };
const namespace = PLUGIN_NAMESPACE;
let next = 0;
let storedCount = 0;
await Promise.all(Array.from({ length: IN_FLIGHT }, storeOneByOne));

async function storeOneByOne(): Promise<never> {
  for (;;) {
    const number = next++;
    await store(number);
    if (number % FORGOTTEN_ONE_OF === 0) await forget(number);
  }
}

async function store(number: number): Promise<void> {
  const entries = [killEntry(number, tier)];
  const message = { type: "memory/store/req", id: killRequestId(number), namespace, entries };
  const request = compileStore(message, tier, accepted());
  const { errors } = await plugin.onStore(scopeOf(tier, caller, namespace), request);
  if (errors.length > 0) return;
  write(`stored ${number}`);
  if (++storedCount === Number(count)) process.kill(process.pid, "SIGKILL");
}

async function forget(number: number): Promise<void> {
  write(`forgetting ${number}`);
  const { key } = killEntry(number, tier);
  const message = { type: "memory/forget/req", id: randomUUID(), namespace, tier, keys: [key] };
  await plugin.onForget(
    selectorOf(tier, caller, parseNamespacePattern(namespace)),
    compileForget(message, accepted()),
  );
  write(`forgotten ${number}`);
}

function accepted() {
  return { tenant: caller.tenant, agent: caller.agent, accepted_at: systemClock.now() };
}

/** Writes a diary line synchronously, so that no change is ahead of its line. */
function write(line: ChildLine): void {
  appendFileSync(diary, `${line}\n`);
}
