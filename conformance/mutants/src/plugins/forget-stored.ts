import { appendFileSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { ScopeSelector } from "@membus/protocol";
import type { Operation, PluginErasureResult, PluginForgetRequest } from "@membus/protocol/plugin";
import { type Mutant, pluginMutant } from "../mutant.js";
import { DurablePlugin } from "../reference/durable-plugin.js";

const PURGED = "forget/stored-bytes-are-purged";
const STORED_BYTES_CHECK = "forget/stored-bytes-are-told-truly";
const AT_ONCE = "forget/purge-reaches-stored-bytes";

type Purge = "done" | "scheduled";

/** The durable plugin with additional files that maintenance writes. */
abstract class Beside extends DurablePlugin {
  readonly #purge: Purge;

  constructor(purge: Purge) {
    super();
    this.#purge = purge;
  }

  override async maintain(): Promise<void> {
    await super.maintain();
    this.writeBeside();
  }

  protected abstract writeBeside(): void;

  protected override result(...[deleted, op]: Parameters<DurablePlugin["result"]>) {
    return { ...super.result(deleted, op), purge: this.#purge };
  }

  protected path(name: string): string {
    return join(this.services.dataDirectory!, name);
  }

  /** Returns all rows, or the rows of one namespace, as text. */
  protected rowTexts(namespace?: string): string[] {
    const { rows } = this.rewritten();
    const own = rows.filter(({ scope }) => namespace === undefined || scope.namespace === namespace);
    return own.map((row) => JSON.stringify(row));
  }

  protected read(name: string): string {
    try {
      return readFileSync(this.path(name), "utf8");
    } catch {
      return "";
    }
  }
}

/** Keeps the first snapshot as a backup. */
class FirstSnapshotKept extends Beside {
  protected override writeBeside(): void {
    if (this.read("snapshot.0") === "") writeFileSync(this.path("snapshot.0"), this.rowTexts().join("\n"));
    writeFileSync(this.path("snapshot"), this.rowTexts().join("\n"));
  }
}

/**
 * Has a page for each row. A deleted row's page is marked as free and keeps its bytes until another row
 * reuses it.
 */
class PagesFreed extends Beside {
  protected override writeBeside(): void {
    const rows = this.rowTexts();
    const pages = this.read("pages").split("\n").filter(Boolean);
    const marked = pages.map((page) => (rows.includes(page.slice(1)) ? page : `-${page.slice(1)}`));
    const added = rows.filter((row) => !pages.includes(`+${row}`)).map((row) => `+${row}`);
    writeFileSync(this.path("pages"), [...marked, ...added].join("\n"));
  }
}

/** Keeps a list of words and only adds the words of new rows. */
class WordsAdded extends Beside {
  protected override writeBeside(): void {
    const known = new Set(this.read("words").split("\n"));
    const texts = this.rewritten().rows.flatMap(({ text = "" }) => text.split(" "));
    for (const word of texts) if (!known.has(word)) appendFileSync(this.path("words"), `${word}\n`);
  }
}

/** Keeps the contents as two-byte characters, one after another. */
class WideContents extends Beside {
  protected override writeBeside(): void {
    const texts = this.rewritten().rows.map(({ content }) => `${JSON.stringify(content)}\n`);
    appendFileSync(this.path("contents"), Buffer.from(texts.join(""), "utf16le"));
  }
}

/** Writes a new snapshot only after rows have been added. */
class SnapshotOfMore extends Beside {
  #count = 0;

  protected override writeBeside(): void {
    const rows = this.rowTexts();
    if (rows.length > this.#count) writeFileSync(this.path("snapshot"), rows.join("\n"));
    this.#count = Math.max(this.#count, rows.length);
  }

  override async close(): Promise<void> {
    writeFileSync(this.path("count"), String(this.#count));
    await super.close();
  }

  override async open(...[services]: Parameters<DurablePlugin["open"]>): Promise<void> {
    await super.open(services);
    this.#count = Number(this.read("count"));
  }
}

/**
 * Rewrites a snapshot at the maintenance after a forget. A forget that it does not remember counts as purged.
 */
class WaitsUntilClosed extends Beside {
  readonly #waiting = new Set<string>();

  protected override async forgetAll(...[selector, request]: Parameters<DurablePlugin["forgetAll"]>) {
    this.#waiting.add(request.op.id);
    return super.forgetAll(selector, request);
  }

  protected override writeBeside(): void {
    this.#waiting.clear();
    writeFileSync(this.path("snapshot"), this.rowTexts().join("\n"));
  }

  override async onErasure(
    op: Pick<Operation, "tenant" | "agent" | "id">,
  ): Promise<PluginErasureResult | undefined> {
    return this.#waiting.has(op.id) ? { purge: "scheduled" } : super.onErasure(op);
  }
}

/**
 * Keeps a snapshot for each namespace. A forget only rewrites the snapshot of the namespace that it names.
 */
class SnapshotOfTheNamed extends Beside {
  protected override writeBeside(): void {
    const namespaces = new Set(this.rewritten().rows.map(({ scope }) => scope.namespace));
    for (const namespace of namespaces) if (this.read(this.#name(namespace)) === "") this.#write(namespace);
  }

  protected override async forgetAll(selector: ScopeSelector, request: PluginForgetRequest) {
    const result = await super.forgetAll(selector, request);
    this.#write(selector.namespace);
    return result;
  }

  #write(namespace: string): void {
    writeFileSync(this.path(this.#name(namespace)), this.rowTexts(namespace).join("\n"));
  }

  #name(namespace: string): string {
    return `snapshot of ${namespace.replaceAll("/", " ")}`;
  }
}

/** Rewrites a snapshot at the next maintenance. */
class SnapshotLater extends Beside {
  protected override writeBeside(): void {
    writeFileSync(this.path("snapshot"), this.rowTexts().join("\n"));
  }
}

/** Keeps a history of overwritten versions. A forget only removes the deleted version from it. */
class HistoryKept extends Beside {
  protected override writeBeside(): void {}

  protected override merge(...[item, previous, context]: Parameters<DurablePlugin["merge"]>) {
    if (previous !== undefined) appendFileSync(this.path("history"), `${JSON.stringify(previous)}\n`);
    return super.merge(item, previous, context);
  }
}

const durable = { tier: "episodic" } as const;

export const forgetStoredMutants: readonly Mutant[] = [
  pluginMutant({
    ...durable,
    id: "forget-first-snapshot-kept",
    defect: "the first snapshot is kept forever, with entries forgotten since",
    check: PURGED,
    names: /although each `purge` is `done`.*content of by key/,
    createPlugin: () => new FirstSnapshotKept("done"),
  }),
  pluginMutant({
    ...durable,
    id: "forget-frees-pages",
    defect: "the page of a forgotten entry is free, but not overwritten",
    check: PURGED,
    names: /after two hours of maintenance.*content of by key/,
    createPlugin: () => new PagesFreed("scheduled"),
  }),
  pluginMutant({
    ...durable,
    id: "forget-words-are-added-alone",
    defect: "the words of forgotten entries stay in the word list",
    check: PURGED,
    names: /after two hours of maintenance: expected \[\], got \["text of/,
    createPlugin: () => new WordsAdded("scheduled"),
  }),
  pluginMutant({
    ...durable,
    id: "forget-wide-contents-stay",
    defect: "contents stay in a file of two-byte characters",
    check: PURGED,
    names: /although each `purge` is `done`: expected \[\], got \["content of/,
    createPlugin: () => new WideContents("done"),
  }),
  pluginMutant({
    ...durable,
    id: "forget-told-done-of-a-snapshot",
    defect: "the status of a forget is `done`, but a snapshot contains its entries until more are stored",
    check: STORED_BYTES_CHECK,
    names: /although the status of each forget is `done`.*content of by key/,
    createPlugin: () => new SnapshotOfMore("scheduled"),
  }),
  pluginMutant({
    ...durable,
    id: "forget-told-done-when-opened",
    defect: "a purge that waits for maintenance counts as done after close and open",
    check: STORED_BYTES_CHECK,
    names: /although the status of each forget is `done`.*content of by key/,
    createPlugin: () => new WaitsUntilClosed("scheduled"),
  }),
  pluginMutant({
    ...durable,
    id: "forget-told-done-below-a-namespace",
    defect: "a forget of a subtree is reported as purged after only its topmost namespace is purged",
    check: STORED_BYTES_CHECK,
    names: /although the status of each forget is `done`: expected \[\], got \["content of the first of all/,
    createPlugin: () => new SnapshotOfTheNamed("scheduled"),
  }),
  pluginMutant({
    ...durable,
    id: "forget-purges-a-snapshot-later",
    defect: "a forget with `purge` is answered while a snapshot contains its entries, until maintenance",
    check: AT_ONCE,
    names: /fields of entries on disk after the reply to a forget with `purge`.*content of by key/,
    createPlugin: () => new SnapshotLater("done"),
  }),
  pluginMutant({
    ...durable,
    id: "forget-purges-the-named-alone",
    defect: "a forget with `purge` of a subtree purges its topmost namespace",
    check: AT_ONCE,
    names: /after the reply to a forget with `purge`: expected \[\], got \["content of the first of all/,
    createPlugin: () => new SnapshotOfTheNamed("done"),
  }),
  pluginMutant({
    ...durable,
    id: "forget-purges-the-last-version",
    defect: "a forget with `purge` purges the deleted version, but not the earlier ones",
    check: AT_ONCE,
    names:
      /after the reply to a forget with `purge`: expected \[\], got \["content of written over, the first version/,
    createPlugin: () => new HistoryKept("done"),
  }),
];
