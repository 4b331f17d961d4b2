import { type Check, memoryCheck } from "../../../catalogue/check.js";
import type { MemoryContext } from "../../../context.js";
import { derivedEntries, idsLeft } from "../../../fixtures/derived-entries.js";
import {
  cascadeFate,
  generateLineage,
  type LineageEntry,
  type LineageReach,
  lineageText,
} from "../../../fixtures/lineage-model.js";
import type { MemoryAgent } from "../../../memory-agent.js";

const ROUNDS = 10;
const IDS = 9;

/** Two namespaces of the caller, and the same two of another agent. Every round has its own. */
function placesOf({ agent }: MemoryContext, round: number): readonly MemoryAgent[] {
  const paths = [`${round}`, `${round}/inner`];
  return (["first", "second"] as const).flatMap((who) => paths.map((below) => agent({ agent: who, below })));
}

/** Returns the reach of a cascade of the caller. In the shared tier two agents share each partition. */
function reachOf(isShared: boolean): LineageReach {
  const isCallers = (place: number) => place < 2;
  return { isOwn: (place) => isShared || isCallers(place), mayDelete: isCallers };
}

/** Returns entries such that no partition has an id twice. */
function generated(t: MemoryContext): readonly LineageEntry[] {
  const entries = generateLineage(t.random, IDS, 4);
  if (t.tier !== "semantic") return entries;
  const partitionOf = ({ id, place }: LineageEntry) => `${id} ${place % 2}`;
  return [...new Map(entries.map((one) => [partitionOf(one), one])).values()];
}

async function expectRound(t: MemoryContext, round: number): Promise<void> {
  const { key, derived } = derivedEntries(t);
  const places = placesOf(t, round);
  const entries = generated(t);
  for (const [place, agent] of places.entries()) {
    const own = entries.filter((one) => one.place === place);
    if (own.length > 0) await agent.store(own.map(({ id, sources }) => derived(id, sources)));
  }
  const isShared = t.tier === "semantic";
  const roots = Array.from({ length: 4 }, () => t.random.integer(0, IDS - 1));
  const isSubtree = t.features.subtree && round % 2 === 0;
  const isInNamespace = (place: number) => isSubtree || place % 2 === 0;
  const isSelected = ({ id, place }: LineageEntry) =>
    roots.includes(id) && isInNamespace(place) && (isShared || place < 2);
  const selected = entries.filter(isSelected);
  const { deleted, cascaded, left } = cascadeFate(entries, selected, reachOf(isShared));
  const { namespace } = places[0]!;
  const pattern = isSubtree ? `${namespace}/**` : namespace;
  const request = { keys: roots.map(key), namespace: pattern, cascade: true };
  const what = `of a cascade from ${[...new Set(roots)].join(", ")}${isSubtree ? " in all places" : ""} over the generated entries ${lineageText(entries).join(", and ")}, round ${round}`;
  const dry = await places[0]!.forget({ ...request, dry_run: true });
  const real = await places[0]!.forget(request);
  for (const [reply, name] of [
    [dry, "a dry run"],
    [real, "the forget"],
  ] as const) {
    const got = [reply.deleted, reply.receipt.cascaded];
    t.expect.equal(got, [deleted, cascaded], `\`deleted\` and \`cascaded\` in the reply to ${name}, ${what}`);
  }
  for (const [place, agent] of places.entries()) {
    const inPartition = [...left].filter((one) =>
      isShared ? one.place % 2 === place % 2 : one.place === place,
    );
    const expected = inPartition.map(({ id }) => String(id)).sort();
    t.expect.equal(await idsLeft(agent), expected, `ids left in place ${place} ${what}`);
  }
}

/** Cascades over generated entries, compared with a model of the clauses. */
export const cascadeGeneratedChecks: readonly Check[] = [
  memoryCheck({
    id: "cascade/generated-lineages",
    clauses: ["CASC-1", "CASC-2", "CASC-3", "CASC-5", "FORGET-2"],
    features: ["sources", "cascade"],
    async run(t) {
      for (let round = 1; round <= ROUNDS; round++) await expectRound(t, round);
    },
  }),
];
