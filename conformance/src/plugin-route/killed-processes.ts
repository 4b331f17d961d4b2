import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type MemoryTier, systemClock } from "@membus/protocol";
import type { Embedder } from "@membus/protocol/plugin";
import type { Acknowledged } from "../context.js";
import { ShiftingClock } from "../fixtures/shifting-clock.js";
import { type DirectoryImage, ImagedDirectory } from "./directory-image.js";
import { killWhileStoring } from "./kill-while-storing.js";
import { makeSurroundings, removeSurroundings } from "./plugin-instance.js";
import type { PluginUnderTest } from "./plugin-under-test.js";
import { type Life, watchLife } from "./watched-life.js";

const ACKNOWLEDGED = 60;

interface Killed {
  readonly image: DirectoryImage;
  /** Time in Unix seconds. */
  readonly at: number;
  readonly acknowledged: Acknowledged;
}

/**
 * Directories left by killed processes of one plugin. Each process is killed once, for all checks that use
 * it.
 */
export class KilledProcesses {
  readonly #implementation: PluginUnderTest;
  readonly #tier: MemoryTier;
  readonly #embedder: Embedder | null;
  #whileStoring: Promise<Killed> | undefined;
  #life: Promise<Life> | undefined;

  constructor(implementation: PluginUnderTest, tier: MemoryTier, embedder: Embedder | null) {
    this.#implementation = implementation;
    this.#tier = tier;
    this.#embedder = embedder;
  }

  /** Kills a process that stores and forgets single entries, several concurrently. */
  whileStoring(): Promise<Killed> {
    this.#whileStoring ??= this.#killWhileStoring();
    return this.#whileStoring;
  }

  /** Kills a process that opened the directory of the first one. */
  life(): Promise<Life> {
    this.#life ??= this.whileStoring().then(({ image }) =>
      watchLife(this.#implementation, this.#tier, image, (directory) => this.#intrude(directory)),
    );
    return this.#life;
  }

  async #killWhileStoring(): Promise<Killed> {
    const place = await mkdtemp(join(tmpdir(), "membus-conformance-"));
    const [directory, diary] = [join(place, "data"), join(place, "diary")];
    try {
      await mkdir(directory);
      const stores = { directory, diary, tier: this.#tier, count: ACKNOWLEDGED };
      const acknowledged = await killWhileStoring(this.#implementation, stores);
      return { image: new ImagedDirectory(directory).image(), at: systemClock.now(), acknowledged };
    } finally {
      await rm(place, { recursive: true, force: true, maxRetries: 3 });
    }
  }

  /** Opens a directory that another process has open, and returns the error. */
  async #intrude(dataDirectory: string): Promise<unknown> {
    const surroundings = await makeSurroundings(this.#tier, new ShiftingClock(), this.#embedder);
    try {
      const plugin = await this.#implementation.createPlugin();
      await plugin.open?.({ ...surroundings.services, dataDirectory });
      await plugin.close?.();
      return undefined;
    } catch (error) {
      return error;
    } finally {
      await removeSurroundings(surroundings);
    }
  }
}
