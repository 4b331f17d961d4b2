import { type OptionsOf, option, optionSet } from "@membus/protocol";

const MIB = 1024 * 1024;

export const AnthropicMemoryOptionsSchema = optionSet({
  /** Namespace of all files. Use one per user to keep their files separate. */
  namespace: option.namespace().default("memories"),
  /**
   * "semantic" for files that all agents of the tenant share, "working" for data that need not survive a
   * restart of the host.
   */
  tier: option.tier().default("episodic"),
  /** Attempts of an edit while other writers change the file. */
  attemptsMax: option.integer(1, 1_000).default(20),
  /** Maximum bytes of a file. The model gets an error for a larger one. */
  fileBytesMax: option.integer(1, 128 * MIB).default(16 * MIB),
});

export interface AnthropicMemoryOptions extends OptionsOf<typeof AnthropicMemoryOptionsSchema> {}
