import type { FurtherSuite, MemoryPlugin } from "@membus/protocol/plugin";
import { z } from "zod";

const SUITES_MAX = 8;
const TEXT_LENGTH_MAX = 200;

const TextSchema = z.string().min(1).max(TEXT_LENGTH_MAX);
const FurtherSuitesSchema = z.array(z.object({ module: TextSchema, tests: TextSchema })).max(SUITES_MAX);

/** Returns the suites that a plugin names for its parts, none if they are malformed. */
export function furtherSuitesOf({ furtherSuites = [] }: MemoryPlugin): readonly FurtherSuite[] {
  return FurtherSuitesSchema.safeParse(furtherSuites).data ?? [];
}
