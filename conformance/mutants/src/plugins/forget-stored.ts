import { appendFileSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Operation, PluginErasureResult, PluginForgetRequest, ScopeSelector } from "@membus/protocol";
import { type Mutant, pluginMutant } from "../mutant.js";
import { DurablePlugin } from "../reference/durable-plugin.js";

const PURGED = "forget/stored-bytes-are-purged";
const TOLD = "forget/stored-bytes-are-told-truly";
const AT_ONCE = "forget/purge-reaches-stored-bytes";

type Purge = "done" | "scheduled";

/** The durable plugin, whose maintenance writes what there is into files of its own too. */
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

  /** The rows there are, or those of one namespace, as text. */
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

/** Keeps the first snapshot, in case all later ones are broken. */
class FirstSnapshotKept extends Beside {
  protected override writeBeside(): void {
    if (this.read("snapshot.0") === "") writeFileSync(this.path("snapshot.0"), this.rowTexts().join("\n"));
    writeFileSync(this.path("snapshot"), this.rowTexts().join("\n"));
  }
}

/** A page for each row: when it goes its page is marked as free, and is as it was until another row needs it. */
class PagesFreed extends Beside {
  protected override writeBeside(): void {
    const rows = this.rowTexts();
    const pages = this.read("pages").split("\n").filter(Boolean);
    const marked = pages.map((page) => (rows.includes(page.slice(1)) ? page : `-${page.slice(1)}`));
    const added = rows.filter((row) => !pages.includes(`+${row}`)).map((row) => `+${row}`);
    writeFileSync(this.path("pages"), [...marked, ...added].join("\n"));
  }
}

/** A list of words, to which those of new rows are added. */
class WordsAdded extends Beside {
  protected override writeBeside(): void {
    const known = new Set(this.read("words").split("\n"));
    const texts = this.rewritten().rows.flatMap(({ text = "" }) => text.split(" "));
    for (const word of texts) if (!known.has(word)) appendFileSync(this.path("words"), `${word}\n`);
  }
}

/** Contents in letters of two bytes, behind each other. */
class WideContents extends Beside {
  protected override writeBeside(): void {
    const texts = this.rewritten().rows.map(({ content }) => `${JSON.stringify(content)}\n`);
    appendFileSync(this.path("contents"), Buffer.from(texts.join(""), "utf16le"));
  }
}

/** A snapshot that is written when rows have been added to those in it. */
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

/** A snapshot that maintenance writes anew after a forget; what is not known to wait for that counts as purged. */
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

/** A snapshot for each namespace; a forget has that of the namespace written anew which it names. */
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

/** A snapshot that the next maintenance writes anew. */
class SnapshotLater extends Beside {
  protected override writeBeside(): void {
    writeFileSync(this.path("snapshot"), this.rowTexts().join("\n"));
  }
}

/** What was written over stands in a history, from which a forget takes the version that it took. */
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
    defect: "the first snapshot is kept for ever, with what was forgotten since",
    check: PURGED,
    names: /although each `purge` is `done`.*content of by key/,
    createPlugin: () => new FirstSnapshotKept("done"),
  }),
  pluginMutant({
    ...durable,
    id: "forget-frees-pages",
    defect: "the page of what was forgotten is free, and not overwritten",
    check: PURGED,
    names: /after two hours of maintenance.*content of by key/,
    createPlugin: () => new PagesFreed("scheduled"),
  }),
  pluginMutant({
    ...durable,
    id: "forget-words-are-added-alone",
    defect: "the words of what was forgotten stay in the list of words",
    check: PURGED,
    names: /after two hours of maintenance: expected \[\], got \["text of/,
    createPlugin: () => new WordsAdded("scheduled"),
  }),
  pluginMutant({
    ...durable,
    id: "forget-wide-contents-stay",
    defect: "contents stay in a file of letters of two bytes",
    check: PURGED,
    names: /although each `purge` is `done`: expected \[\], got \["content of/,
    createPlugin: () => new WideContents("done"),
  }),
  pluginMutant({
    ...durable,
    id: "forget-told-done-of-a-snapshot",
    defect: "the status of a forget is `done`, and a snapshot holds what it took until there is more",
    check: TOLD,
    names: /the status of each forget being `done`.*content of by key/,
    createPlugin: () => new SnapshotOfMore("scheduled"),
  }),
  pluginMutant({
    ...durable,
    id: "forget-told-done-when-opened",
    defect: "what waits for maintenance counts as purged once the plugin has been closed and opened",
    check: TOLD,
    names: /the status of each forget being `done`.*content of by key/,
    createPlugin: () => new WaitsUntilClosed("scheduled"),
  }),
  pluginMutant({
    ...durable,
    id: "forget-told-done-below-a-namespace",
    defect: "a forget of a subtree is told to be purged when its topmost namespace is",
    check: TOLD,
    names: /the status of each forget being `done`: expected \[\], got \["content of the first of all/,
    createPlugin: () => new SnapshotOfTheNamed("scheduled"),
  }),
  pluginMutant({
    ...durable,
    id: "forget-purges-a-snapshot-later",
    defect: "a forget with `purge` is answered while a snapshot holds what it took, until maintenance",
    check: AT_ONCE,
    names: /fields on disk of what forgets with `purge` were answered for.*content of by key/,
    createPlugin: () => new SnapshotLater("done"),
  }),
  pluginMutant({
    ...durable,
    id: "forget-purges-the-named-alone",
    defect: "a forget with `purge` of a subtree purges its topmost namespace",
    check: AT_ONCE,
    names: /were answered for: expected \[\], got \["content of the first of all/,
    createPlugin: () => new SnapshotOfTheNamed("done"),
  }),
  pluginMutant({
    ...durable,
    id: "forget-purges-the-last-version",
    defect: "a forget with `purge` purges the version that it took, and not those before",
    check: AT_ONCE,
    names: /were answered for: expected \[\], got \["content of written over, the first version/,
    createPlugin: () => new HistoryKept("done"),
  }),
];
