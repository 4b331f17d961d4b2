import { readFileSync } from "node:fs";

const README = readFileSync(new URL("../../../README.md", import.meta.url), "utf8");

/** The rows of the table below a heading of `integrations/README.md`, each as its cells. */
function rowsBelow(heading: string): string[][] {
  const [, section = ""] = README.split(`## ${heading}\n`);
  const lines = (section.split("\n## ")[0] ?? "").split("\n").filter((line) => line.startsWith("|"));
  return lines.map((line) =>
    line
      .slice(1, -1)
      .split("|")
      .map((cell) => cell.trim()),
  );
}

/** Whether what is kept in one way is found in another, by `${written} ${found}`. */
export function whoSeesWhose(): ReadonlyMap<string, boolean> {
  const [[, ...columns] = [], , ...rows] = rowsBelow("Who sees whose");
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
