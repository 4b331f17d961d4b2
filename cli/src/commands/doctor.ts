import type { Command } from "commander";
import type { Finding } from "../doctor/check-node.js";
import { CLUSTER_FLAG, CLUSTER_NAME_FLAG, type ClusterFlags, clusterConfig } from "../flags/cluster-flags.js";
import { definedOnly } from "../flags/defined-only.js";
import { type PluginFlag, pluginOption } from "../flags/plugin-flag.js";
import { openSession } from "../session.js";

const MARKS = { ok: "ok  ", warning: "warn", problem: "FAIL" } as const;

interface DoctorFlags extends ClusterFlags {
  readonly plugin?: PluginFlag;
  /** False with `--no-host`. */
  readonly host: boolean;
}

export function registerDoctor(program: Command): void {
  program
    .command("doctor")
    .description("check server, host, permissions, disk, embedder, reranker and plugins, and suggest fixes")
    .addOption(pluginOption())
    .option(...CLUSTER_FLAG)
    .option(...CLUSTER_NAME_FLAG)
    .option("--no-host", "do not connect to NATS, for example while the host is stopped")
    .action(async (flags: DoctorFlags, command: Command) => {
      const { plugin: plugins, host } = flags;
      const settings = { ...definedOnly({ plugins }), ...clusterConfig(flags) };
      const { config, output } = await openSession(command, settings);
      const { runChecks } = await import("../doctor/run-checks.js");
      const findings = await runChecks(config, process.env, { host });
      output.result(findings, () => findings.map(describe).join("\n"));
      if (findings.some(({ state }) => state === "problem")) process.exitCode = 1;
    });
}

function describe({ check, state, found, advice }: Finding): string {
  const line = `${MARKS[state]}  ${check}: ${found}`;
  return advice === undefined ? line : `${line}\n      ${advice}`;
}
