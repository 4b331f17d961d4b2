import type ts from "typescript";
import type { Finding } from "../syntax.js";

const FILE_LINES_MAX = 400;

export function checkFileLength({ fileName, text }: ts.SourceFile): Finding[] {
  const lines = text.replace(/\n$/, "").split("\n").length;
  return lines <= FILE_LINES_MAX ? [] : [`${fileName}:1 has ${lines} lines of ${FILE_LINES_MAX}: split it`];
}
