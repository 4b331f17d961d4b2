import { isMemoryError, type MemoryTier, MemoryTierSchema, TIERS } from "@membus/protocol";
import {
  type Bus,
  type BusMessage,
  FEATURES,
  type Feature,
  PluginManifestSchema,
} from "@membus/protocol/plugin";
import { loadProfiles, type Profile } from "../catalogue/profile.js";
import type { EmbedderFacts, Features } from "../context.js";
import { ExpectationError } from "../expect.js";
import { PATIENCE_MS } from "../fixtures/patience.js";
import { shown } from "../report/shown.js";
import type { TierFacts } from "../world.js";
import { parseJson } from "./parse-json.js";

const INFO_SUBJECT = "$SRV.INFO.membus";
/** Wait for the answers of further hosts, each time. */
const WAIT_MS = 1_500;
const ATTEMPTS = Math.ceil(PATIENCE_MS / WAIT_MS);

/** Optional features of a host with the profile `basic`. */
export const FEATURES_OF_BASIC: readonly Feature[] = ["full_text", "similarity"];

export interface HostFacts {
  /** Profile that the host keeps instead of all others. Undefined for a host that keeps them all. */
  readonly profile: Profile | undefined;
  readonly tiers: readonly TierFacts[];
  readonly embedder: EmbedderFacts | undefined;
  /** Whether the host is in a cluster (clause DISC-9). */
  readonly isClustered: boolean;
}

/**
 * Reads the `$SRV.INFO` of a host. A host without feature data is assumed to offer all features, so that
 * missing data excuses nothing.
 */
export async function discover(bus: Bus, prefix: string): Promise<HostFacts> {
  const metadata = await metadataOf(bus, prefix);
  const manifests = record(parseJson(Buffer.from(metadata.plugins ?? "")));
  const tiers = namedTiers(metadata.tiers) ?? [...TIERS];
  const profile = loadProfiles().find(({ alone, name }) => alone && name === metadata.profile);
  const named = metadata.features?.split(",") ?? FEATURES_OF_BASIC;
  return {
    profile,
    tiers: tiers.map((tier) =>
      profile === undefined ? factsOf(tier, manifests[tier]) : factsOfBasic(tier, named),
    ),
    embedder: embedderOf(metadata),
    isClustered: metadata.cluster !== undefined,
  };
}

type Metadata = Readonly<Record<string, string>>;

/** Returns the answer of the host with this prefix. If none answers in time, returns the first answer of any. */
async function metadataOf(bus: Bus, prefix: string): Promise<Metadata> {
  const first = await bus.request(INFO_SUBJECT, new Uint8Array(), { timeoutMs: PATIENCE_MS }).catch(noAnswer);
  const own = readMetadata(first);
  if (first === undefined || own.prefix === prefix) return own;
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const answers = await bus.requestMany(INFO_SUBJECT, new Uint8Array(), { waitMs: WAIT_MS });
    const all = answers.map(readMetadata);
    const found = all.find((metadata) => metadata.prefix === prefix);
    if (found !== undefined) return found;
    if (all.every((metadata) => metadata.prefix === undefined)) return own;
  }
  return own;
}

/** Returns the embedder from the metadata. Checks that need vectors fail without it. */
function embedderOf({ embedder_id: id, embedder_dimensions: text }: Metadata): EmbedderFacts | undefined {
  if (!id) return undefined;
  return {
    id,
    get dimensions(): number {
      const dimensions = Number(text);
      if (Number.isSafeInteger(dimensions) && dimensions > 0) return dimensions;
      const what = "metadata.embedder_dimensions of a host that names an embedder";
      throw new ExpectationError({ what, expected: "a number of components", got: shown(text) });
    },
  };
}

function noAnswer(error: unknown): undefined {
  if (!isMemoryError(error)) throw error;
}

function readMetadata(answer: BusMessage | undefined): Metadata {
  const info = answer && parseJson(answer.payload);
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

/** Returns the facts of a `basic` host (clause BASIC-5). */
function factsOfBasic(tier: MemoryTier, named: readonly string[]): TierFacts {
  const offered = (name: Feature) =>
    name === "ttl" || (FEATURES_OF_BASIC.includes(name) && named.includes(name));
  return { tier, plugin: "profile basic", features: featuresBy(offered) };
}

function everything(): Features {
  return featuresBy(() => true);
}

function featuresBy(isOffered: (name: Feature) => boolean): Features {
  const names = Object.keys(FEATURES) as Feature[];
  return Object.fromEntries(names.map((name) => [name, isOffered(name)])) as Record<Feature, boolean>;
}

function record(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
}
