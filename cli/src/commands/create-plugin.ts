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
    .description("write a storage plugin to begin with: it compiles and passes the conformance suite")
    .argument("<name>", "of the package: a-z, 0-9 and -")
    .option("--kit", "search, log and revisions by the kit; you write where rows are kept (default)")
    .option("--direct", "everything in one file: for a database with a search of its own")
    .option(
      "--tier <tier>",
      "episodic, semantic, or with --direct working, its default (default episodic)",
      parseTier,
    )
    .option("--into <directory>", "default ./<name>")
    .action(async (name: string, flags: Flags, command: Command) => {
      if (flags.direct && flags.kit) throw new TypeError("--direct and --kit exclude each other");
      const kind = flags.direct ? "direct" : "kit";
      const tier = flags.tier ?? (kind === "kit" ? "episodic" : "working");
      if (kind === "kit" && tier === "working") {
        throw new TypeError(
          "--kit keeps rows in files, and the working tier ends with its host: use --direct",
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
    "next, as the packages of membus are not on npm yet; in a clone of it:",
    `  npm ci && npm run build && npm run pack -- --pack-destination ${resolve(directory)}`,
    `then in ${directory}:`,
    "  npm install --no-save ./*.tgz",
    "  npm test",
    `  npx membus up --plugin ${tier}=./dist/plugin.js`,
  ];
}

function parseTier(value: string): MemoryTier {
  const parsed = MemoryTierSchema.safeParse(value);
  if (parsed.success) return parsed.data;
  throw new InvalidArgumentError(`tiers are ${MemoryTierSchema.options.join(", ")}`);
}
