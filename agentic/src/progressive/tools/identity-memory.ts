import { z } from "zod";
import type { Tool } from "../../tools/index.js";
import { Draft } from "../draft.js";
import { readIdentity, writeIdentity } from "../identity.js";
import { quoted } from "../quote.js";
import { plainTool } from "./list-tool.js";
import type { ResolvedMemoryToolOptions } from "./tool-options.js";
import { answer, inDraft, type ToolScope } from "./tool-scope.js";

/** More than any identity has. */
const WRITTEN_LENGTH_MAX = 200_000;

/** `read_identity_memory`: who the agent is. */
export function readIdentityMemoryTool(scope: ToolScope, options: ResolvedMemoryToolOptions): Tool {
  return plainTool(
    {
      name: "read_identity_memory",
      description: "Shows what is known about who you are.",
      shape: {},
      run: async () => {
        const identity = await readIdentity(scope.draft ?? new Draft(scope.space));
        return identity === "" ? "nothing is known yet" : quoted("identity", [identity]);
      },
    },
    options,
  );
}

/** `update_identity_memory`: replaces it as a whole, unless somebody else has meanwhile. */
export function updateIdentityMemoryTool(scope: ToolScope, options: ResolvedMemoryToolOptions): Tool {
  return plainTool(
    {
      name: "update_identity_memory",
      description: "Replaces what is known about who you are. Read it first, and keep what is still true.",
      shape: { identity_memory: z.string().trim().min(1).max(WRITTEN_LENGTH_MAX).describe("All of it.") },
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
