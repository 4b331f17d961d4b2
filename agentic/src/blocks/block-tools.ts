import { z } from "zod";
import { type Tool, typedTool } from "../tools/index.js";
import { type Block, valueText } from "./block.js";
import type { Blocks } from "./blocks.js";

const label = z.string().describe("The label of the memory block.");
const JsonValue = z.json();

/** An agent's core memory by three tools: append to a block, replace a text in it, give it a new text. */
export function coreMemoryTools(blocks: Blocks): Tool[] {
  return [
    typedTool({
      name: "core_memory_append",
      description: "Add a text to the end of a memory block, on a new line.",
      parameters: z.object({ label, content: z.string().describe("What to add.") }),
      async run(args, { signal }) {
        return told("Appended to", await blocks.append(args.label, args.content, { signal }));
      },
    }),
    typedTool({
      name: "core_memory_replace",
      description: "Replace a text in a memory block. It must be there exactly once, written just so.",
      parameters: z.object({
        label,
        old_content: z.string().min(1).describe("The text to replace."),
        new_content: z.string().describe("What stands there instead; empty to remove the text."),
      }),
      async run({ label: name, old_content, new_content }, { signal }) {
        return told("Replaced a text in", await blocks.replace(name, old_content, new_content, { signal }));
      },
    }),
    typedTool({
      name: "core_memory_update",
      description: "Give a memory block a new text in place of all that it says now.",
      parameters: z.object({
        section: z.string().describe("The label of the memory block."),
        new_content: z.string().describe("The whole new text."),
      }),
      async run({ section, new_content }, { signal }) {
        return told("Updated", await blocks.rewrite(section, new_content, { signal }));
      },
    }),
  ];
}

/** Everything that an agent may do with its blocks; limits and read-only blocks are not its to change. */
export function blockTools(blocks: Blocks): Tool[] {
  return [...wholeBlockTools(blocks), ...blockEditTools(blocks), ...blockHistoryTools(blocks)];
}

function wholeBlockTools(blocks: Blocks): Tool[] {
  return [
    typedTool({
      name: "memory_create",
      description: "Create a memory block, which will always be before you.",
      parameters: z.object({
        label,
        description: z.string().describe("What the block is for, in one sentence."),
        content: z.string().describe("Its first text; may be empty."),
      }),
      async run({ label: name, description, content }, { signal }) {
        return told("Created", await blocks.create(name, { description, value: content }, { signal }));
      },
    }),
    typedTool({
      name: "memory_rename",
      description: "Give a memory block another label.",
      parameters: z.object({ label, new_label: z.string().describe("The label that it gets.") }),
      async run({ label: name, new_label }, { signal }) {
        return told(`${name} is called now:`, await blocks.rename(name, new_label, { signal }));
      },
    }),
    typedTool({
      name: "memory_delete",
      description: "Delete a memory block, with all that it said before. This cannot be undone.",
      parameters: z.object({ label }),
      async run({ label: name }, { signal }) {
        return (await blocks.delete(name, { signal }))
          ? `Deleted block ${name}.`
          : `There is no block ${name}.`;
      },
    }),
  ];
}

function blockEditTools(blocks: Blocks): Tool[] {
  return [
    typedTool({
      name: "memory_insert",
      description: "Insert a text into a memory block as lines of their own.",
      parameters: z.object({
        label,
        insert_line: z.int().min(-1).describe("Behind which line: 0 for the beginning, -1 for the end."),
        new_str: z.string().describe("What to insert."),
      }),
      async run({ label: name, insert_line, new_str }, { signal }) {
        return told("Inserted into", await blocks.insert(name, insert_line, new_str, { signal }));
      },
    }),
    typedTool({
      name: "memory_replace",
      description: "Replace a text in a memory block. It must be there exactly once, written just so.",
      parameters: z.object({
        label,
        old_str: z.string().min(1).describe("The text to replace."),
        new_str: z.string().describe("What stands there instead; empty to remove the text."),
      }),
      async run({ label: name, old_str, new_str }, { signal }) {
        return told("Replaced a text in", await blocks.replace(name, old_str, new_str, { signal }));
      },
    }),
    typedTool({
      name: "memory_rethink",
      description: "Write a memory block anew, in place of all that it says now.",
      parameters: z.object({ label, new_memory: z.string().describe("The whole new text.") }),
      async run({ label: name, new_memory }, { signal }) {
        return told("Wrote anew", await blocks.rewrite(name, new_memory, { signal }));
      },
    }),
    typedTool({
      name: "memory_patch",
      description:
        "Change fields of a memory block that is a JSON object. Fields of the patch replace those of the block, null removes one.",
      parameters: z.object({
        label,
        patch: z.record(z.string(), JsonValue).describe("A JSON Merge Patch: the fields to change."),
      }),
      async run({ label: name, patch }, { signal }) {
        return told("Patched", await blocks.patch(name, patch, { signal }));
      },
    }),
  ];
}

function blockHistoryTools(blocks: Blocks): Tool[] {
  return [
    typedTool({
      name: "memory_undo",
      description: "Take back the last edit of a memory block.",
      parameters: z.object({ label }),
      async run({ label: name }, { signal }) {
        return told("Undid the last edit of", await blocks.undo(name, { signal }));
      },
    }),
    typedTool({
      name: "memory_redo",
      description: "Make the edit of a memory block again that was undone last.",
      parameters: z.object({ label }),
      async run({ label: name }, { signal }) {
        return told("Made again an edit of", await blocks.redo(name, { signal }));
      },
    }),
  ];
}

/** What was done, and what the block says now: the model need not guess what became of it. */
function told(what: string, block: Block): string {
  return `${what} block ${block.label}. It says now:\n${valueText(block.value)}`;
}
