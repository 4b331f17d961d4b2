import { type MemoryTier, PluginManifestSchema } from "@membus/protocol";
import { ExpectationError } from "../expect.js";
import { thrownText } from "../stack-frames.js";
import type { PluginUnderTest } from "./plugin-under-test.js";

/**
 * The tier to test a plugin as: the one that is named, else what its manifest says before it is opened. Only the
 * semantic tier is shared, and entries of the working tier end with the host. Where the manifest has not its form, that
 * is for the checks to say.
 * @throws {ExpectationError} when `createPlugin` throws.
 */
export async function fittingTier({ tier, createPlugin }: PluginUnderTest): Promise<MemoryTier> {
  if (tier !== undefined) return tier;
  const { manifest } = await created(createPlugin);
  const parsed = PluginManifestSchema.safeParse(manifest);
  if (!parsed.success) return "working";
  const { shared, durable } = parsed.data.features;
  if (shared) return "semantic";
  return durable ? "episodic" : "working";
}

async function created(createPlugin: PluginUnderTest["createPlugin"]) {
  try {
    return await createPlugin();
  } catch (error) {
    const got = `it threw ${thrownText(error)}`;
    throw new ExpectationError({ what: "`createPlugin`", expected: "a plugin", got });
  }
}
