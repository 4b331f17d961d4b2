import { didYouMean, TIERS } from "@membus/protocol";
import { InvalidArgumentError, Option } from "commander";
import type { ConfigFile } from "../config/config-schema.js";

export type PluginFlag = NonNullable<ConfigFile["plugins"]>;

/** `--plugin semantic=./my-plugin.js`, as often as there are tiers. */
export function pluginOption(): Option {
  return new Option(
    "--plugin <tier=module>",
    "a module that serves a tier: semantic=./my-plugin.js, a package, or none; may be given for each tier",
  ).argParser(parsePlugin);
}

function parsePlugin(value: string, former: PluginFlag = {}): PluginFlag {
  const [name, ...rest] = value.split("=");
  const module = rest.join("=");
  const tier = TIERS.find((one) => one === name);
  if (module === "") throw new InvalidArgumentError("Write it as semantic=./my-plugin.js, or semantic=none.");
  if (tier === undefined) {
    throw new InvalidArgumentError(`\`${name}\` is no tier${didYouMean(name!, TIERS)}: ${TIERS.join(", ")}.`);
  }
  if (former[tier] !== undefined) throw new InvalidArgumentError(`The ${tier} tier is named twice.`);
  return { ...former, [tier]: module === "none" ? "none" : { module } };
}
