import { describe, it } from "vitest";
import { editOneBlock, editOneFile, editOneLongMessage, editOneNode } from "./two-processes.js";

describe("two processes at once, 3 rounds", () => {
  it("lose no edit of the same block and make none twice", () => editOneBlock(3));

  it("lose no edit of the same file, which both move back and forth", () => editOneFile(3));

  it("lose no part of a long message", () => editOneLongMessage(2));

  it("lose no statement about the same node while one merges it", () => editOneNode(3));
});
