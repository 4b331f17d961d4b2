import { resolve } from "node:path";
import { MemoryError } from "@membus/protocol";
import type {
  MemoryPlugin,
  PluginForgetResult,
  PluginManifest,
  PluginServices,
  PluginStoreResult,
} from "@membus/protocol/plugin";
import { type FolderView, viewFolder } from "./folder-view.js";

type Status = MemoryPlugin["onStatus"];
type Retrieve = MemoryPlugin["onRetrieve"];
type List = NonNullable<MemoryPlugin["onList"]>;
type Agents = NonNullable<MemoryPlugin["onAgents"]>;

/** Serves a folder read-only without changing it. */
export class ReadOnlyPlugin implements MemoryPlugin {
  #view: FolderView | undefined;

  /** @param plugin opens a view of the folder and may write to the view. */
  constructor(readonly plugin: MemoryPlugin) {}

  get manifest(): PluginManifest {
    return this.plugin.manifest;
  }

  async open(services: PluginServices): Promise<void> {
    const { dataDirectory, tier } = services;
    if (dataDirectory === undefined)
      throw new MemoryError("unavailable", `tier ${tier} needs a data directory`);
    this.#view = await viewFolder(resolve(dataDirectory));
    try {
      await this.plugin.open?.({ ...services, dataDirectory: this.#view.path });
    } catch (error) {
      await this.#removeView();
      throw error;
    }
  }

  async onStore(): Promise<PluginStoreResult> {
    throw readOnly();
  }

  async onForget(): Promise<PluginForgetResult> {
    throw readOnly();
  }

  onRetrieve(...request: Parameters<Retrieve>): ReturnType<Retrieve> {
    return this.plugin.onRetrieve(...request);
  }

  onStatus(...request: Parameters<Status>): ReturnType<Status> {
    return this.plugin.onStatus(...request);
  }

  onList(...request: Parameters<List>): ReturnType<List> {
    return this.plugin.onList!(...request);
  }

  onAgents(...request: Parameters<Agents>): ReturnType<Agents> {
    return this.plugin.onAgents!(...request);
  }

  stats(): Readonly<Record<string, number | string>> {
    return { ...this.plugin.stats?.(), read_only: 1 };
  }

  async close(): Promise<void> {
    await this.plugin.close?.();
    await this.#removeView();
  }

  async #removeView(): Promise<void> {
    await this.#view?.remove();
    this.#view = undefined;
  }
}

function readOnly(): MemoryError {
  return new MemoryError("unsupported", "this host serves the tier read-only", { reason: "read_only" });
}
