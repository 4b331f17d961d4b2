import {
  type Bus,
  type BusMessage,
  FEATURES,
  type Feature,
  isMemoryError,
  type MemoryTier,
  MemoryTierSchema,
  PluginManifestSchema,
  TIERS,
} from "@membus/protocol";
import { loadProfiles, type Profile } from "../catalogue/profile.js";
import type { EmbedderFacts, Features } from "../context.js";
import { ExpectationError } from "../expect.js";
import { shown } from "../report/shown.js";
import type { TierFacts } from "../world.js";
import { parseJson } from "./parse-json.js";

const INFO_SUBJECT = "$SRV.INFO.membus";
/** As long as other questions to services of NATS wait for an answer. */
const WAIT_MS = 1_500;

/** What a host of the profile `basic` may have besides what all of them have. */
export const FEATURES_OF_BASIC: readonly Feature[] = ["full_text", "similarity"];

export interface HostFacts {
  /** The profile that it keeps in place of all others; undefined for a host that keeps them all. */
  readonly profile: Profile | undefined;
  readonly tiers: readonly TierFacts[];
  readonly embedder: EmbedderFacts | undefined;
}

/**
 * What a host says of itself by `$SRV.INFO`. One that says nothing of its features is taken to offer all of them, so
 * that saying nothing excuses nothing.
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
  };
}

type Metadata = Readonly<Record<string, string>>;

/** The first answer, if it is of a host with this prefix; else all are waited for. */
async function metadataOf(bus: Bus, prefix: string): Promise<Metadata> {
  const first = await bus.request(INFO_SUBJECT, new Uint8Array(), { timeoutMs: WAIT_MS }).catch(noAnswer);
  const own = readMetadata(first);
  if (first === undefined || own.prefix === prefix) return own;
  const answers = await bus.requestMany(INFO_SUBJECT, new Uint8Array(), { waitMs: WAIT_MS });
  return answers.map(readMetadata).find((metadata) => metadata.prefix === prefix) ?? own;
}

/** What checks that need vectors ask for fails them, where the host does not tell it. */
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

/** Clause BASIC-5. */
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
