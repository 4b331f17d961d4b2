import { describe, it } from "vitest";
import { editOneBlock, editOneFile, editOneLongMessage, editOneNode } from "./two-processes.js";

describe("two processes at once, 8 rounds", () => {
  it("lose no edit of the same block and make none twice", () => editOneBlock(8));

  it("lose no edit of the same file, which both move back and forth", () => editOneFile(8));

  it("lose no part of a long message", () => editOneLongMessage(4));

  it("lose no statement about the same node while one merges it", () => editOneNode(8));
});
