import { rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Mutant, pluginMutant } from "../mutant.js";
import { DurablePlugin } from "../reference/durable-plugin.js";
import { ReferencePlugin } from "../reference/reference-plugin.js";

const CHECK = "lifecycle/files-stay-in-the-directory";

/** Writes a copy of the journal beside the data directory whenever it is rewritten. */
class CopyingPlugin extends DurablePlugin {
  protected override rewrite(): void {
    super.rewrite();
    writeFileSync(this.copyPath(), JSON.stringify(this.rewritten()));
  }

  protected copyPath(): string {
    return `${this.services.dataDirectory}.bak`;
  }

  /** Removes the copy only now, so that no test leaves a file. */
  override async close(): Promise<void> {
    await super.close();
    rmSync(this.copyPath(), { force: true });
  }
}

/** Caches replies in the temporary folder of the machine. */
class CachingPlugin extends ReferencePlugin {
  get #path(): string {
    return join(tmpdir(), `membus-mutant-${process.pid}.cache`);
  }

  override async onRetrieve(...args: Parameters<ReferencePlugin["onRetrieve"]>) {
    const result = await super.onRetrieve(...args);
    if (result.entries.length > 0) writeFileSync(this.#path, JSON.stringify(result));
    return result;
  }

  override async close(): Promise<void> {
    await super.close();
    rmSync(this.#path, { force: true });
  }
}

export const lifecycleFilesMutants: readonly Mutant[] = [
  pluginMutant({
    id: "lifecycle-backup-beside-the-directory",
    defect: "a backup of the journal is written beside the data directory",
    check: CHECK,
    names: /files outside of `services\.dataDirectory` with a stored content, after stores/,
    tier: "episodic",
    createPlugin: () => new CopyingPlugin(),
  }),
  pluginMutant({
    id: "lifecycle-cache-in-the-temporary-folder",
    defect: "replies are cached in the temporary folder of the machine",
    check: CHECK,
    names: /files outside of `services\.dataDirectory` with a stored content, after stores/,
    createPlugin: () => new CachingPlugin(),
  }),
];
