import {
  type Bus,
  FEATURES,
  type Feature,
  type MemoryTier,
  MemoryTierSchema,
  PluginManifestSchema,
  TIERS,
} from "@membus/protocol";
import type { EmbedderFacts, Features } from "../context.js";
import type { TierFacts } from "../world.js";
import { parseJson } from "./parse-json.js";

const WAIT_MS = 500;

export interface HostFacts {
  readonly tiers: readonly TierFacts[];
  readonly embedder: EmbedderFacts | undefined;
}

/**
 * What a host says of itself by `$SRV.INFO`. One that says nothing of its features is taken to offer all of them, so
 * that saying nothing excuses nothing.
 */
export async function discover(bus: Bus, prefix: string): Promise<HostFacts> {
  const answers = await bus.requestMany("$SRV.INFO.membus", new Uint8Array(), { waitMs: WAIT_MS });
  const infos = answers.map(({ payload }) => metadataOf(parseJson(payload)));
  const metadata = infos.find((info) => info.prefix === prefix) ?? infos[0] ?? {};
  const manifests = record(parseJson(Buffer.from(metadata.plugins ?? "")));
  const tiers = namedTiers(metadata.tiers) ?? [...TIERS];
  return {
    tiers: tiers.map((tier) => factsOf(tier, manifests[tier])),
    embedder: metadata.embedder_id
      ? { id: metadata.embedder_id, dimensions: Number(metadata.embedder_dimensions) }
      : undefined,
  };
}

function metadataOf(info: unknown): Readonly<Record<string, string>> {
  const entries = Object.entries(record(record(info).metadata));
  return Object.fromEntries(
    entries.filter((entry): entry is [string, string] => typeof entry[1] === "string"),
  );
}

function namedTiers(list: string | undefined): MemoryTier[] | undefined {
  const names = list
    ?.split(",")
    .filter((name): name is MemoryTier => MemoryTierSchema.safeParse(name).success);
  return names?.length ? names : undefined;
}

function factsOf(tier: MemoryTier, manifest: unknown): TierFacts {
  const parsed = PluginManifestSchema.safeParse(manifest);
  if (!parsed.success) return { tier, plugin: "unknown", features: everything() };
  const { name, version, features } = parsed.data;
  return { tier, plugin: `${name} ${version}`, features };
}

function everything(): Features {
  const names = Object.keys(FEATURES) as Feature[];
  return Object.fromEntries(names.map((name) => [name, true])) as Record<Feature, boolean>;
}

function record(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
}
