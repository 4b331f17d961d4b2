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

describe("two processes at once, 100 rounds", () => {
  it("lose no edit of the same block and make none twice", () => editOneBlock(100));

  it("lose no edit of the same file, which both move to and fro", () => editOneFile(100));

  it("lose no part of a long message", () => editOneLongMessage(24));

  it("lose nothing that they say of the same node, also while one merges it", () => editOneNode(100));
});

describe("a process that is killed while it edits", () => {
  it("leaves a whole block, and its history", () => killWhileEditing(6));

  it("leaves a whole long message, and nothing once it is cleared", () => killWhileEditingMessage(6));

  it("leaves a whole file, at one path or at both", () => killWhileMoving(6));
});
