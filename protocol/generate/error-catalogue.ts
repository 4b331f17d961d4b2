export interface CatalogueRow {
  readonly code: string;
  readonly header: number;
  readonly retryable: boolean;
  readonly when: string;
  readonly what_to_do: string;
}

/** Returns the source of `protocol/src/error-catalogue.ts` for the rows of `spec/errors.json`. */
export function errorCatalogueSource(rows: readonly CatalogueRow[]): string {
  const entries = rows.map(
    (row) => `  /** ${row.when} */\n  ${row.code}: { header: ${row.header}, retryable: ${row.retryable} },`,
  );
  return [
    "// Generated from spec/errors.json by `npm run generate`. Do not edit.",
    "",
    "export const ERROR_CATALOGUE = {",
    ...entries,
    "} as const;",
    "",
    "export type ErrorCode = keyof typeof ERROR_CATALOGUE;",
    "",
  ].join("\n");
}

/** Returns the error table of `spec/04-errors.md`. */
export function errorTableMarkdown(rows: readonly CatalogueRow[]): string {
  const line = (row: CatalogueRow) =>
    `| \`${row.code}\` | ${row.header} | ${row.retryable ? "yes" : "no"} | ${row.when} | ${row.what_to_do} |`;
  return [
    "| code | header | retryable | when | what to do |",
    "|---|---|---|---|---|",
    ...rows.map(line),
  ].join("\n");
}
