import { resolve } from "node:path";
import { type MemoryTier, MemoryTierSchema } from "@membus/protocol";
import { type Command, InvalidArgumentError } from "commander";
import { scaffoldPlugin } from "../create-plugin/scaffold.js";
import type { CommonFlags } from "../session.js";
import { createOutput } from "../terminal/output.js";

interface Flags {
  readonly direct?: boolean;
  readonly kit?: boolean;
  readonly tier?: MemoryTier;
  readonly into?: string;
}

export function registerCreatePlugin(program: Command): void {
  program
    .command("create-plugin")
    .description("create a storage plugin that compiles and passes the conformance suite")
    .argument("<name>", "package name: a-z, 0-9 and -")
    .option("--kit", "the kit does search, log and revisions; you implement row storage (default)")
    .option("--direct", "everything in one file, for a database that has its own search")
    .option(
      "--tier <tier>",
      "episodic, semantic, or (with --direct) working (default: episodic with --kit, working with --direct)",
      parseTier,
    )
    .option("--into <directory>", "directory of the plugin (default ./<name>)")
    .action(async (name: string, flags: Flags, command: Command) => {
      if (flags.direct && flags.kit) throw new TypeError("--direct and --kit cannot be combined");
      const kind = flags.direct ? "direct" : "kit";
      const tier = flags.tier ?? (kind === "kit" ? "episodic" : "working");
      if (kind === "kit" && tier === "working") {
        throw new TypeError(
          "--kit stores rows in files, but the working tier is not durable: use --direct for the working tier",
        );
      }
      const directory = flags.into ?? name;
      const files = await scaffoldPlugin({ name, kind, tier, directory });
      createOutput(command.optsWithGlobals<CommonFlags>().json === true).result(
        { directory, kind, tier, files },
        () => [...files.map((file) => `  ${file}`), "", ...nextSteps(directory, tier)].join("\n"),
      );
    });
}

function nextSteps(directory: string, tier: MemoryTier): string[] {
  return [
    "membus is not on npm yet. Next, in a built clone of membus:",
    `  npm run pack -- --pack-destination ${resolve(directory)}`,
    `Then in ${directory}:`,
    "  npm install --no-save ./membus-*.tgz",
    "  npm test",
    `  npx membus up --plugin ${tier}=./dist/plugin.js`,
  ];
}

function parseTier(value: string): MemoryTier {
  const parsed = MemoryTierSchema.safeParse(value);
  if (parsed.success) return parsed.data;
  throw new InvalidArgumentError(`must be one of ${MemoryTierSchema.options.join(", ")}`);
}
