import { describe, it } from "vitest";
import { editOneBlock, editOneFile, editOneLongMessage, editOneNode } from "./two-processes.js";

describe("two processes at once, 8 rounds", () => {
  it("lose no edit of the same block and make none twice", () => editOneBlock(8));

  it("lose no edit of the same file, which both move to and fro", () => editOneFile(8));

  it("lose no part of a long message", () => editOneLongMessage(4));

  it("lose nothing that they say of the same node, also while one merges it", () => editOneNode(8));
});
