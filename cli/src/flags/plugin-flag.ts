import { didYouMean, TIERS } from "@membus/protocol";
import { InvalidArgumentError, Option } from "commander";
import type { ConfigFile } from "../config/config-schema.js";

export type PluginFlag = NonNullable<ConfigFile["plugins"]>;

/** Returns the option `--plugin semantic=./my-plugin.js`, which may be given once per tier. */
export function pluginOption(): Option {
  return new Option(
    "--plugin <tier=module>",
    "plugin for a tier: a module such as semantic=./my-plugin.js, a package, or none; repeat it for other tiers",
  ).argParser(parsePlugin);
}

function parsePlugin(value: string, previous: PluginFlag = {}): PluginFlag {
  const [name, ...rest] = value.split("=");
  const module = rest.join("=");
  const tier = TIERS.find((one) => one === name);
  if (module === "")
    throw new InvalidArgumentError("Expected tier=module, such as semantic=./my-plugin.js or semantic=none.");
  if (tier === undefined) {
    throw new InvalidArgumentError(
      `Unknown tier \`${name}\`${didYouMean(name!, TIERS)}, expected one of ${TIERS.join(", ")}.`,
    );
  }
  if (previous[tier] !== undefined) throw new InvalidArgumentError(`The ${tier} tier is given twice.`);
  return { ...previous, [tier]: module === "none" ? "none" : { module } };
}
