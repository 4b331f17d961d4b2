import { z } from "zod";
import { NAME_ARGUMENT_LENGTH_MAX, TEXT_ARGUMENT_LENGTH_MAX, type Tool, typedTool } from "../tools/index.js";
import { type Block, valueText } from "./block.js";
import type { Blocks } from "./blocks.js";

const label = z.string().max(NAME_ARGUMENT_LENGTH_MAX).describe("The label of the memory block.");
const JsonValue = z.json();

/** Returns three tools for an agent's core memory: append to a block, replace a text in it, rewrite it. */
export function coreMemoryTools(blocks: Blocks): Tool[] {
  return [
    typedTool({
      name: "core_memory_append",
      description: "Add a text to the end of a memory block, on a new line.",
      parameters: z.object({
        label,
        content: z.string().max(TEXT_ARGUMENT_LENGTH_MAX).describe("What to add."),
      }),
      async run(args, { signal }) {
        return editResult("Appended to", await blocks.append(args.label, args.content, { signal }));
      },
    }),
    typedTool({
      name: "core_memory_replace",
      description:
        "Replace a text in a memory block. The text must occur exactly once, written exactly as given.",
      parameters: z.object({
        label,
        old_content: z.string().min(1).max(TEXT_ARGUMENT_LENGTH_MAX).describe("The text to replace."),
        new_content: z
          .string()
          .max(TEXT_ARGUMENT_LENGTH_MAX)
          .describe("The text to put in its place. Empty to remove the text."),
      }),
      async run({ label: name, old_content, new_content }, { signal }) {
        return editResult(
          "Replaced a text in",
          await blocks.replace(name, old_content, new_content, { signal }),
        );
      },
    }),
    typedTool({
      name: "core_memory_update",
      description: "Replace the whole text of a memory block.",
      parameters: z.object({
        section: z.string().max(NAME_ARGUMENT_LENGTH_MAX).describe("The label of the memory block."),
        new_content: z.string().max(TEXT_ARGUMENT_LENGTH_MAX).describe("The whole new text."),
      }),
      async run({ section, new_content }, { signal }) {
        return editResult("Updated", await blocks.rewrite(section, new_content, { signal }));
      },
    }),
  ];
}

/**
 * Returns all tools with which an agent edits its blocks. An agent cannot change limits or edit read-only
 * blocks.
 */
export function blockTools(blocks: Blocks): Tool[] {
  return [...wholeBlockTools(blocks), ...blockEditTools(blocks), ...blockHistoryTools(blocks)];
}

function wholeBlockTools(blocks: Blocks): Tool[] {
  return [
    typedTool({
      name: "memory_create",
      description: "Create a memory block. It will always be part of your prompt.",
      parameters: z.object({
        label,
        description: z
          .string()
          .max(NAME_ARGUMENT_LENGTH_MAX)
          .describe("Purpose of the block, in one sentence."),
        content: z.string().max(TEXT_ARGUMENT_LENGTH_MAX).describe("Its first text. May be empty."),
      }),
      async run({ label: name, description, content }, { signal }) {
        return editResult("Created", await blocks.create(name, { description, value: content }, { signal }));
      },
    }),
    typedTool({
      name: "memory_rename",
      description: "Give a memory block another label.",
      parameters: z.object({
        label,
        new_label: z.string().max(NAME_ARGUMENT_LENGTH_MAX).describe("The new label."),
      }),
      async run({ label: name, new_label }, { signal }) {
        return editResult(`Renamed ${name} to`, await blocks.rename(name, new_label, { signal }));
      },
    }),
    typedTool({
      name: "memory_delete",
      description: "Delete a memory block with all its earlier values. This cannot be undone.",
      parameters: z.object({ label }),
      async run({ label: name }, { signal }) {
        return (await blocks.delete(name, { signal }))
          ? `Deleted block ${name}.`
          : `Block ${name} does not exist.`;
      },
    }),
  ];
}

function blockEditTools(blocks: Blocks): Tool[] {
  return [
    typedTool({
      name: "memory_insert",
      description: "Insert a text into a memory block on new lines.",
      parameters: z.object({
        label,
        insert_line: z
          .int()
          .min(-1)
          .describe("The line to insert after: 0 for the beginning, -1 for the end."),
        new_str: z.string().max(TEXT_ARGUMENT_LENGTH_MAX).describe("What to insert."),
      }),
      async run({ label: name, insert_line, new_str }, { signal }) {
        return editResult("Inserted into", await blocks.insert(name, insert_line, new_str, { signal }));
      },
    }),
    typedTool({
      name: "memory_replace",
      description:
        "Replace a text in a memory block. The text must occur exactly once, written exactly as given.",
      parameters: z.object({
        label,
        old_str: z.string().min(1).max(TEXT_ARGUMENT_LENGTH_MAX).describe("The text to replace."),
        new_str: z
          .string()
          .max(TEXT_ARGUMENT_LENGTH_MAX)
          .describe("The text to put in its place. Empty to remove the text."),
      }),
      async run({ label: name, old_str, new_str }, { signal }) {
        return editResult("Replaced a text in", await blocks.replace(name, old_str, new_str, { signal }));
      },
    }),
    typedTool({
      name: "memory_rethink",
      description: "Rewrite a memory block: replace its whole text.",
      parameters: z.object({
        label,
        new_memory: z.string().max(TEXT_ARGUMENT_LENGTH_MAX).describe("The whole new text."),
      }),
      async run({ label: name, new_memory }, { signal }) {
        return editResult("Rewrote", await blocks.rewrite(name, new_memory, { signal }));
      },
    }),
    typedTool({
      name: "memory_patch",
      description:
        "Change fields of a memory block that is a JSON object. Fields of the patch replace fields of the block. null removes a field.",
      parameters: z.object({
        label,
        patch: z.record(z.string(), JsonValue).describe("A JSON Merge Patch: the fields to change."),
      }),
      async run({ label: name, patch }, { signal }) {
        return editResult("Patched", await blocks.patch(name, patch, { signal }));
      },
    }),
  ];
}

function blockHistoryTools(blocks: Blocks): Tool[] {
  return [
    typedTool({
      name: "memory_undo",
      description: "Undo the last edit of a memory block.",
      parameters: z.object({ label }),
      async run({ label: name }, { signal }) {
        return editResult("Undid the last edit of", await blocks.undo(name, { signal }));
      },
    }),
    typedTool({
      name: "memory_redo",
      description: "Redo the last undone edit of a memory block.",
      parameters: z.object({ label }),
      async run({ label: name }, { signal }) {
        return editResult("Redid an edit of", await blocks.redo(name, { signal }));
      },
    }),
  ];
}

/** Describes an edit and the resulting value, so that the model need not guess the result. */
function editResult(action: string, block: Block): string {
  return `${action} block ${block.label}. Its value is now:\n${valueText(block.value)}`;
}
