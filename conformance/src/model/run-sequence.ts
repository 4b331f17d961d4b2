import type { MemoryContext } from "../context.js";
import type { MemoryAgent } from "../memory-agent.js";
import { MemoryModel, type ModelEntry } from "./memory-model.js";
import { type ModelOperation, modelKey } from "./operation.js";

interface Parts extends Pick<MemoryContext, "expect" | "tier"> {
  readonly agent: MemoryAgent;
  readonly model: MemoryModel;
}

type Of<Kind> = Extract<ModelOperation, { kind: Kind }>;

/**
 * Runs the operations on an empty partition and in the model, and compares every reply.
 * @throws {ExpectationError} at the first difference.
 */
export async function runSequence(
  { expect, tier }: Pick<MemoryContext, "expect" | "tier">,
  agent: MemoryAgent,
  operations: readonly ModelOperation[],
): Promise<void> {
  const parts = { expect, tier, agent, model: new MemoryModel() };
  for (const operation of operations) await runOperation(parts, operation);
  await retrieve(parts, { kind: "retrieve", criteria: {}, order: "oldest", limit: 100 });
}

function runOperation(parts: Parts, operation: ModelOperation): Promise<void> {
  if (operation.kind === "store") return store(parts, operation);
  return operation.kind === "forget" ? forget(parts, operation) : retrieve(parts, operation);
}

async function store(parts: Parts, { key, fields, condition }: Of<"store">): Promise<void> {
  const { expect, tier, agent, model } = parts;
  const ifRevision = model.expectedRevision(key, condition);
  const outcome = model.outcomeOf(key, fields, ifRevision);
  const demand = ifRevision === undefined ? {} : { if_revision: ifRevision };
  const { receipts, errors } = await agent.store({ ...fields, key: modelKey(key), tier, ...demand });
  const current = model.revisionOf(key);
  if (outcome === "conflict") {
    expect.equal(errors[0]?.code, "conflict", "code of a store with another if_revision than the current");
    expect.equal(errors[0]?.detail.revision, current, "the current revision, in the detail of a conflict");
    return;
  }
  const revision = receipts[0]?.revision ?? 0;
  expect.equal(receipts[0]?.outcome, outcome, `outcome of a store of key number ${key}`);
  if (outcome === "unchanged") {
    expect.equal(revision, current, "revision in the receipt of an unchanged entry");
  } else {
    expect.holds(revision > current, "the revision of a change, above the one before", revision);
    model.store(key, fields, revision);
  }
}

async function retrieve({ expect, agent, model }: Parts, operation: Of<"retrieve">): Promise<void> {
  const { criteria, order, limit } = operation;
  const oldestFirst = model.select(criteria);
  const expected = order === "oldest" ? oldestFirst : oldestFirst.reverse();
  const { entries, total } = await agent.retrieve({ ...criteria, order, limit });
  expect.equal(total, expected.length, "total of a retrieve");
  const what = `entries of a retrieve in order ${order} with limit ${limit}`;
  expect.equal(entries.map(visible), expected.slice(0, limit).map(visible), what);
}

async function forget({ expect, agent, model }: Parts, { criteria, dryRun }: Of<"forget">): Promise<void> {
  const expected = model.select(criteria).length;
  const { deleted } = await agent.forget({ ...criteria, dry_run: dryRun });
  expect.equal(deleted, expected, `\`deleted\` of a forget${dryRun ? " with dry_run" : ""}`);
  if (!dryRun) model.forget(criteria);
}

/** Returns the fields that a reply must contain for an entry of the model. */
function visible(
  entry: Omit<ModelEntry, "key" | "group" | "metadata"> & {
    key: object;
    group?: unknown;
    metadata?: unknown;
  },
) {
  const { key, content, tags, group, importance, metadata, revision, seq } = entry;
  return { key, content, tags, group, importance, metadata, revision, seq };
}
