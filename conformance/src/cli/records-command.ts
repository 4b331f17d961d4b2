import { NATS_BUS_DEFAULTS } from "@membus/bus";
import { DEFAULT_PREFIX, isNamespacePattern, type MemoryTier, TIERS } from "@membus/protocol";
import type { Bus } from "@membus/protocol/plugin";
import { type Command, InvalidArgumentError, Option } from "commander";
import { HostAgent } from "../host-route/host-agent.js";
import { Trace } from "../trace.js";
import { checkRecords, type RecordsFound } from "./check-records.js";
import { EXIT_CODES } from "./exit-codes.js";
import { addNatsOptions, type NatsFlags } from "./nats-flags.js";
import { connect, demandHost } from "./reach-host.js";
import { withoutCredentials } from "./rerun-command.js";
import { UsageError } from "./usage-error.js";

interface RecordsFlags extends NatsFlags {
  readonly namespace: string;
  readonly prefix: string;
  readonly tenant: string;
  readonly agent: string;
  readonly tier?: MemoryTier;
}

const EXAMPLE = `
Example:
  npx membus-conformance records --nats nats://127.0.0.1:4222 --namespace conversations --agent alice`;

/** Registers `membus-conformance records`. */
export function registerRecords(program: Command): void {
  addNatsOptions(program.command("records").description("check stored records, written by any program"))
    .requiredOption("--namespace <path>", "namespace to read, or a subtree such as about/**", namespace)
    .option("--prefix <prefix>", "first tokens of every subject", DEFAULT_PREFIX)
    .option("--tenant <tenant>", "tenant to read", "default")
    .option(
      "--agent <agent>",
      "agent that reads: only entries visible to it are checked",
      "conformance-first",
    )
    .addOption(new Option("--tier <tier>", "one tier (default: all)").choices(TIERS))
    .addHelpText("after", EXAMPLE)
    .action(async (flags: RecordsFlags) => {
      const bus = await connect(flags);
      try {
        process.exitCode = await checkStored(bus, flags);
      } finally {
        await bus.close();
      }
    });
}

async function checkStored(bus: Bus, flags: RecordsFlags): Promise<number> {
  const { prefix, tenant, agent, namespace, tier } = flags;
  const servers = withoutCredentials(flags.nats || String(NATS_BUS_DEFAULTS.servers));
  await demandHost(bus, { prefix, tenant, agent }, servers);
  const request: Bus["request"] = (...args) => bus.request(...args);
  // The tier of an agent is only a default. Each request sets a tier.
  const parts = { request, prefix, tier: tier ?? "working", trace: new Trace() };
  const reader = new HostAgent({ tenant, agent, session: "" }, namespace, parts);
  const found = await checkRecords(reader, tier ?? null, (line) => process.stdout.write(`${line}\n`));
  if (found.records.size === 0 && found.wrong === 0) {
    throw new UsageError(
      `${agent} finds no records in ${namespace} (entries of other kinds: ${found.others})`,
    );
  }
  process.stdout.write(`${summary(found)}\n`);
  return found.wrong === 0 ? EXIT_CODES.conformant : EXIT_CODES.notConformant;
}

function summary({ records, parts, others, wrong }: RecordsFound): string {
  const kinds = [...records].sort(([a], [b]) => (a < b ? -1 : 1)).map(([kind, count]) => `${kind} ${count}`);
  const right = `records: ${kinds.join(", ") || "none"}; parts: ${parts}; entries of other kinds: ${others}`;
  return `${right}\n${wrong === 0 ? "Every record is valid." : `Invalid records: ${wrong}`}`;
}

function namespace(path: string): string {
  if (!isNamespacePattern(path))
    throw new InvalidArgumentError("Give a path of 1..8 segments, or one and /**.");
  return path;
}
