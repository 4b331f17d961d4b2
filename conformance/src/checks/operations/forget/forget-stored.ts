import { delay, isMemoryError, systemClock } from "@membus/protocol";
import { type Check, pluginCheck } from "../../../catalogue/check.js";
import type { PluginContext } from "../../../context.js";
import { newRequestId } from "../../../fixtures/request-id.js";
import type { EntryInput, ForgetInput, MemoryAgent } from "../../../memory-agent.js";
import { ImagedDirectory } from "../../../plugin-route/directory-image.js";

/** Maximum number of maintenance rounds for a scheduled purge, two minutes of the plugin's clock apart. */
const ROUNDS_MAX = 60;
const ROUND_SECONDS = 120;
const ENCODINGS = ["latin1", "utf16le"] as const;
/** Number of kept entries, so that no file is deleted as a whole. */
const KEPT = 20;

interface Buried {
  /** Agent that owns the entries, and the request that forgets them. */
  readonly agent: MemoryAgent;
  readonly request: ForgetInput;
  readonly count: number;
}

/** Unique words hidden in entries, one for each field of each version of an entry. */
class Secrets {
  readonly #t: PluginContext;
  readonly #directory: ImagedDirectory;
  readonly #places: string[] = [];
  /** Common prefix of all words, so that one search finds them. */
  readonly #prefix: string;

  constructor(t: PluginContext) {
    this.#t = t;
    this.#directory = new ImagedDirectory(t.services.dataDirectory!);
    this.#prefix = `secret${t.random.hex(16)}`;
  }

  word(where: string): string {
    this.#places.push(where);
    return `${this.#prefix}${wordNumber(this.#places.length - 1)}`;
  }

  /** Returns an entry with a unique word in every text field. */
  entry(id: string, tag: string, version = "the only version"): EntryInput {
    const word = (field: string) => this.word(`${field} of ${id}, ${version}`);
    return this.#t.entry({
      key: { id },
      content: { said: word("content") },
      tags: [tag, word("tags")],
      metadata: { of: word("metadata") },
      text: `the ${word("text")} flies`,
      context: word("context"),
      group: word("group"),
      source: word("source"),
    });
  }

  /** Returns the words that are still on disk, as one-byte or two-byte characters. */
  found(): string[] {
    const files = [...this.#directory.image().values()].flatMap((file) =>
      file === null ? [] : [file.bytes],
    );
    const suspect = files.filter((bytes) =>
      ENCODINGS.some((encoding) => bytes.includes(this.#prefix, 0, encoding)),
    );
    return this.#places.filter((_, at) => {
      const word = this.#prefix + wordNumber(at);
      return suspect.some((bytes) => ENCODINGS.some((encoding) => bytes.includes(word, 0, encoding)));
    });
  }
}

function wordNumber(at: number): string {
  return `x${String(at).padStart(3, "0")}`;
}

/**
 * Stores entries with secrets and moves them through the plugin's storage: maintenance, reopening, and one
 * overwritten entry.
 *
 * Other entries remain next to them.
 */
async function bury(t: PluginContext, secrets: Secrets): Promise<readonly Buried[]> {
  const { caller, agent, entry, features } = t;
  const inner = agent({ below: "inner" });
  const kept = (of: string) =>
    Array.from({ length: KEPT }, (_, at) =>
      entry({ key: { at, of }, tags: ["kept"], content: `kept ${at}` }),
    );
  await caller.store([...kept("here"), secrets.entry("by key", "a"), secrets.entry("by tag", "red")]);
  await inner.store([...kept("inner"), secrets.entry("the first of all", "b"), secrets.entry("of all", "b")]);
  await caller.store(secrets.entry("written over", "c", "the first version"));
  await t.maintain();
  await caller.store(secrets.entry("written over", "c", "the second version"));
  await t.reopen();
  await t.maintain();
  const rest: Buried = { agent: inner, request: { tags: ["b"] }, count: 2 };
  const namespace = `${caller.namespace}/**`;
  return [
    { agent: caller, request: { keys: [{ id: "by key" }, { id: "written over" }] }, count: 2 },
    { agent: caller, request: { tags: ["red"] }, count: 1 },
    features.subtree ? { agent: caller, request: { namespace, tags: ["b"] }, count: 2 } : rest,
  ];
}

async function forgetAll(t: PluginContext, buried: readonly Buried[], purge: boolean): Promise<string[]> {
  const purges: string[] = [];
  for (const { agent, request, count } of buried) {
    const { deleted, receipt } = await agent.forget({ ...request, ...(purge && { purge }) });
    t.expect.equal(deleted, count, `\`deleted\` of a forget by ${JSON.stringify(request)}`);
    purges.push(receipt.purge);
  }
  return purges;
}

async function pass(t: PluginContext): Promise<void> {
  await t.passTime(ROUND_SECONDS);
  await delay(systemClock, 5);
  await t.maintain();
}

async function expectKept({ caller, agent, expect }: PluginContext, when: string): Promise<void> {
  const totals = [
    await caller.retrieve({ limit: 0 }),
    await agent({ below: "inner" }).retrieve({ limit: 0 }),
  ];
  expect.equal(
    totals.map(({ total }) => total),
    [KEPT, KEPT],
    `entries of two namespaces, ${when}`,
  );
}

/** Forgotten bytes on disk after the plugin has moved them through its storage. */
export const forgetStoredChecks: readonly Check[] = [
  pluginCheck({
    id: "forget/stored-bytes-are-purged",
    clauses: ["FORGET-7", "FORGET-6"],
    features: ["durable"],
    async run(t) {
      const secrets = new Secrets(t);
      const buried = await bury(t, secrets);
      const before = secrets.found();
      const purges = await forgetAll(t, buried, false);
      const isDone = purges.every((purge) => purge === "done");
      const held = isDone ? secrets.found() : [];
      t.expect.equal(held, [], "fields of forgotten entries on disk although each `purge` is `done`");
      await t.reopen();
      for (let round = 0; round < ROUNDS_MAX && secrets.found().length > 0; round++) await pass(t);
      const later = secrets.found();
      const what = `fields on disk, of ${before.length} found there before, after two hours of maintenance`;
      t.expect.equal(later, [], what);
      await expectKept(t, "after all others were forgotten and purged");
    },
  }),
  pluginCheck({
    id: "forget/stored-bytes-are-told-truly",
    clauses: ["STATUS-5", "STATUS-7", "PLUG-22"],
    features: ["durable", "erasure"],
    async run(t) {
      const secrets = new Secrets(t);
      const buried = await bury(t, secrets);
      const ids = buried.map(() => newRequestId());
      for (const [at, { agent, request }] of buried.entries())
        await agent.forget({ ...request, id: ids[at]! });
      const statuses = () => Promise.all(ids.map((id, at) => statusOf(buried[at]!.agent, id)));
      for (let round = 0; round < 2 * ROUNDS_MAX && (await statuses()).includes("scheduled"); round++) {
        if (round % 2 === 0) await t.reopen();
        else await pass(t);
      }
      const reported = await statuses();
      t.expect.equal(
        reported.includes("scheduled"),
        false,
        "whether a forget is `scheduled` after two hours",
      );
      // A status that is no longer available proves nothing.
      const held = reported.every((status) => status === "done") ? secrets.found() : [];
      const what = "fields of forgotten entries on disk although the status of each forget is `done`";
      t.expect.equal(held, [], what);
      await t.reopen();
      const again = (await statuses()).filter((status) => status !== undefined && status !== "done");
      t.expect.equal(again, [], "statuses other than `done` of the same forgets after reopening");
      await expectKept(t, "after all others were forgotten");
    },
  }),
  pluginCheck({
    id: "forget/purge-reaches-stored-bytes",
    clauses: ["FORGET-9"],
    features: ["durable", "purge"],
    async run(t) {
      const secrets = new Secrets(t);
      const buried = await bury(t, secrets);
      const purges = await forgetAll(t, buried, true);
      t.expect.equal(purges, ["done", "done", "done"], "`purge` of three forgets with `purge`");
      const what = "fields of entries on disk after the reply to a forget with `purge`";
      t.expect.equal(secrets.found(), [], what);
      await expectKept(t, "after all others were purged");
    },
  }),
];

/** Returns the status of a forget. Undefined after the plugin has dropped it. */
async function statusOf(agent: MemoryAgent, id: string): Promise<string | undefined> {
  try {
    return (await agent.erasure(id)).purge;
  } catch (error) {
    if (isMemoryError(error) && error.code === "memory_not_found") return undefined;
    throw error;
  }
}
