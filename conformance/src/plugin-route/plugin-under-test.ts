import type { Embedder, MemoryPlugin, MemoryTier } from "@membus/protocol";

/** A plugin to test. */
export interface PluginUnderTest {
  readonly name: string;
  /** The tier it is tested as. Default: semantic where its manifest declares `shared`, episodic where `durable`, else working. */
  readonly tier?: MemoryTier;
  /** A new instance, not opened. Called for every check; it gets its directory, empty, when it is opened. */
  createPlugin(): MemoryPlugin | Promise<MemoryPlugin>;
  /** What its host would offer it; default a small one of the suite's own, null for none. */
  readonly embedder?: Embedder | null;
  /**
   * File URL of a module that exports `createPlugin`: what a child process that is killed loads. Without it a durable
   * plugin's checks of crashes are untestable.
   */
  readonly module?: string;
  /** Arguments of node for that process, such as a loader for TypeScript. */
  readonly nodeArguments?: readonly string[];
}
