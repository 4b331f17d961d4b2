import { z } from "zod";
import type { Tool } from "../../tools/index.js";
import { Draft } from "../draft.js";
import { readIdentity, writeIdentity } from "../identity.js";
import { quoted } from "../quote.js";
import { plainTool } from "./list-tool.js";
import type { ResolvedMemoryToolOptions } from "./tool-options.js";
import { answer, inDraft, type ToolScope } from "./tool-scope.js";

/** Above the limit of any identity. */
const WRITTEN_LENGTH_MAX = 200_000;

/** Returns `read_identity_memory`, which reads the agent's identity. */
export function readIdentityMemoryTool(scope: ToolScope, options: ResolvedMemoryToolOptions): Tool {
  return plainTool(
    {
      name: "read_identity_memory",
      description: "Shows your identity.",
      shape: {},
      run: async () => {
        const identity = await readIdentity(scope.draft ?? new Draft(scope.space));
        return identity === "" ? "no identity is stored yet" : quoted("identity", [identity]);
      },
    },
    options,
  );
}

/** Returns `update_identity_memory`, which replaces the identity unless it changed concurrently. */
export function updateIdentityMemoryTool(scope: ToolScope, options: ResolvedMemoryToolOptions): Tool {
  return plainTool(
    {
      name: "update_identity_memory",
      description: "Replaces your identity. Read it first, and keep the parts that are still true.",
      shape: {
        identity_memory: z.string().trim().min(1).max(WRITTEN_LENGTH_MAX).describe("The whole identity."),
      },
      run: async ({ identity_memory: value }) =>
        answer(
          await inDraft(scope, async (draft) => {
            const written = await writeIdentity(draft, value as string);
            if ("problem" in written) return [{ text: `not written: ${written.problem}` }];
            return [{ text: `updated memory_id=${written.memoryId}`, memoryId: written.memoryId }];
          }),
        ),
    },
    options,
  );
}
