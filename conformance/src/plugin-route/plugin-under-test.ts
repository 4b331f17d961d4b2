import type { MemoryTier } from "@membus/protocol";
import type { Embedder, MemoryPlugin } from "@membus/protocol/plugin";

/** A plugin to test. */
export interface PluginUnderTest {
  readonly name: string;
  /**
   * Tier to test. Default: semantic if the manifest declares `shared`, episodic if it declares `durable`,
   * otherwise working.
   */
  readonly tier?: MemoryTier;
  /**
   * Returns a new instance that is not open. Called for every check. The instance gets an empty directory
   * when it is opened.
   */
  createPlugin(): MemoryPlugin | Promise<MemoryPlugin>;
  /** Embedder that the host offers. Default: a small one from the suite. Null for none. */
  readonly embedder?: Embedder | null;
  /**
   * File URL of a module that exports `createPlugin`, for child processes that are killed.
   *
   * Crash checks of a durable plugin are untestable without it.
   */
  readonly module?: string;
  /** Node.js arguments for child processes, such as a loader for TypeScript. */
  readonly nodeArguments?: readonly string[];
}
