import { type Block, valueText } from "./block.js";
import { blockLength } from "./block-value.js";

/**
 * Formats blocks as a part of a prompt, in their order. Markup is escaped, so that no value and no
 * description can close its block or open another one. "" if there are no blocks.
 */
export function blocksText(blocks: readonly Block[]): string {
  if (blocks.length === 0) return "";
  return ["<memory_blocks>", ...blocks.map(blockText), "</memory_blocks>"].join("\n");
}

function blockText(block: Block): string {
  const attributes = [
    `label="${escaped(block.label)}"`,
    ...(block.description === "" ? [] : [`description="${escaped(block.description)}"`]),
    `characters="${blockLength(block.value)}/${block.limit}"`,
    ...(block.readOnly ? ['read_only="true"'] : []),
  ];
  return `<block ${attributes.join(" ")}>\n${escaped(valueText(block.value))}\n</block>`;
}

const ENTITIES: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };

function escaped(text: string): string {
  return text.replace(/[&<>"]/g, (character) => ENTITIES[character]!);
}
