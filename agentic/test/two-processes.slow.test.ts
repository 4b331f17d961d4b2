import { describe, it } from "vitest";
import {
  editOneBlock,
  editOneFile,
  editOneLongMessage,
  editOneNode,
  killWhileEditing,
  killWhileEditingMessage,
  killWhileMoving,
} from "./two-processes.js";

describe("two processes at once, 40 rounds", () => {
  it("lose no edit of the same block and make none twice", () => editOneBlock(40));

  it("lose no edit of the same file, which both move back and forth", () => editOneFile(40));

  it("lose no part of a long message", () => editOneLongMessage(12));

  it("lose no statement about the same node while one merges it", () => editOneNode(40));
});

describe("a process that is killed during its edits", () => {
  it("leaves a consistent block and history", () => killWhileEditing(6));

  it("leaves a whole long message, and no entries after a clear", () => killWhileEditingMessage(6));

  it("leaves a whole file, at one path or at both", () => killWhileMoving(6));
});
