import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { KitPlugin } from "@membus/plugin-kit";
import { systemClock } from "@membus/protocol";
import { calls } from "../../../plugins/kit/test/kit-calls.js";
import { openFolder } from "../../../plugins/lancedb/test/folder-fixture.js";

const TENANT = "acme";

/** A data folder with an episodic tier, without a host. */
export class DataFolder {
  readonly root = mkdtempSync(join(tmpdir(), "membus-backup-"));
  readonly data = join(this.root, "data");
  readonly backups = join(this.root, "backups");
  #plugin: KitPlugin | undefined;

  async open(data = this.data): Promise<KitPlugin> {
    this.#plugin ??= (await openFolder(join(data, "episodic"))) as KitPlugin;
    return this.#plugin;
  }

  async close(): Promise<void> {
    await this.#plugin?.close();
    this.#plugin = undefined;
  }

  async store(key: string, content: string): Promise<void> {
    await (await this.#calls()).store([{ key, content }]);
  }

  async forget(key: string): Promise<void> {
    await (await this.#calls()).forget({ keys: [key] });
  }

  /** Returns the stored contents by key. */
  async contents(data: string): Promise<Record<string, unknown>> {
    await this.close();
    await this.open(data);
    const { entries } = await (await this.#calls()).retrieve({ limit: 1_000 });
    await this.close();
    return Object.fromEntries(entries.map(({ key, content }) => [Object.values(key)[0], content]));
  }

  async remove(): Promise<void> {
    await this.close();
    rmSync(this.root, { recursive: true });
  }

  async #calls() {
    return calls({ plugin: await this.open(), clock: systemClock }, { tenant: TENANT });
  }
}
