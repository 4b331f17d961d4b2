import type { MemoryTier } from "@membus/protocol";
import { PluginManifestSchema } from "@membus/protocol/plugin";
import { ExpectationError } from "../expect.js";
import { thrownText } from "../stack-frames.js";
import type { PluginUnderTest } from "./plugin-under-test.js";

/**
 * Returns the tier to test: the configured tier, or one that fits the manifest before `open`.
 *
 * Only the semantic tier is shared, and entries of the working tier end with the host. A malformed manifest
 * is left to the checks.
 * @throws {ExpectationError} if `createPlugin` throws.
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
