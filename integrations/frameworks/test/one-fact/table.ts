import { readFileSync } from "node:fs";

const PAGE = readFileSync(
  new URL("../../../../docs/integrations/shared-memories.md", import.meta.url),
  "utf8",
);

/** Returns the rows of the table below a heading of `docs/integrations/shared-memories.md`, each as its cells. */
function rowsBelow(heading: string): string[][] {
  const [, section = ""] = PAGE.split(`## ${heading}\n`);
  const lines = (section.split("\n## ")[0] ?? "").split("\n").filter((line) => line.startsWith("|"));
  return lines.map((line) =>
    line
      .slice(1, -1)
      .split("|")
      .map((cell) => cell.trim()),
  );
}

/** Returns whether memories of one form are found by another, by `${written} > ${found}`. */
export function whoSeesWhose(): ReadonlyMap<string, boolean> {
  const [[, ...columns] = [], , ...rows] = rowsBelow("Matrix");
  return new Map(
    rows.flatMap(([written, ...cells]) =>
      columns.map((found, n) => [`${written} > ${found}`, isYes(cells[n])] as const),
    ),
  );
}

function isYes(cell: string | undefined): boolean {
  if (cell !== "yes" && cell !== "") throw new Error(`a cell is "yes" or empty, not ${String(cell)}`);
  return cell === "yes";
}
