import { isDeepStrictEqual } from "node:util";
import type { ConfigTarget } from "./agents.js";
import type { ConfigFile } from "./config-file.js";
import { type InstallRecord, sha256, textBefore } from "./install-record.js";
import { JSON_SYNTAX } from "./syntax/json.js";
import { type ConfigSyntax, type Entry, SyntaxProblem } from "./syntax/syntax.js";
import { TOML_SYNTAX } from "./syntax/toml.js";
import { WHOLE_FILE_SYNTAX } from "./syntax/whole-file.js";
import { YAML_SYNTAX } from "./syntax/yaml.js";
import { applyEdits, type TextEdit } from "./text-edit.js";

const SYNTAXES: Readonly<Record<ConfigTarget["syntax"], ConfigSyntax>> = {
  json: JSON_SYNTAX,
  toml: TOML_SYNTAX,
  yaml: YAML_SYNTAX,
  "whole-file": WHOLE_FILE_SYNTAX,
};

/** A planned change of one file. */
export interface FileChange {
  readonly file: ConfigFile;
  /** Undefined: delete the file. Equal to the text of the file: only delete leftovers. */
  readonly after: string | undefined;
  /** How to undo an installation. */
  readonly record?: Omit<InstallRecord, "createdFolders">;
  /** Folders that membus created. A removal deletes the empty ones. */
  readonly folders: readonly string[];
}

type PlanStep = (
  target: ConfigTarget,
  file: ConfigFile,
  record: InstallRecord | undefined,
) => FileChange | undefined;

/** Plans an installation. Returns undefined if the file already has all entries. */
export const planInstall: PlanStep = (target, file, record) =>
  withPath(file.path, () => {
    const text = file.text ?? "";
    const syntax = SYNTAXES[target.syntax];
    if (hasAllEntries(syntax, text, target.entries)) return undefined;
    for (const entry of target.entries) refuseForeign(syntax, text, entry);
    const base =
      textBefore(record, text) ?? withoutEntries(syntax, text, target.entries, record?.createdParents ?? []);
    const createdParents = target.entries.flatMap((entry) => syntax.missingParents(base, entry));
    const edits: TextEdit[] = [];
    let after = base;
    for (const entry of target.entries) {
      const added = syntax.insert(after, entry);
      after = applyEdits(after, added);
      edits.push(...added);
    }
    const existed = file.text !== undefined && (record?.existed ?? true);
    return {
      file,
      after,
      folders: record?.createdFolders ?? [],
      record: {
        path: file.path,
        existed,
        sha256: sha256(after),
        edits,
        createdParents: unique(createdParents),
      },
    };
  });

/** Plans the removal. Returns undefined if the file has no entry of membus and an interrupted change left nothing. */
export const planUninstall: PlanStep = (target, file, record) =>
  withPath(file.path, () => {
    const { text, temporaries } = file;
    const folders = record?.createdFolders ?? [];
    const after = text === undefined ? undefined : textWithout(target, text, record);
    const hasLeftovers = record !== undefined || temporaries.length > 0;
    return after === text && !hasLeftovers ? undefined : { file, after, folders };
  });

/** Returns the text without the entries of membus, or undefined for a file that membus created. */
function textWithout(
  target: ConfigTarget,
  text: string,
  record: InstallRecord | undefined,
): string | undefined {
  const syntax = SYNTAXES[target.syntax];
  const before =
    textBefore(record, text) ?? withoutEntries(syntax, text, target.entries, record?.createdParents ?? []);
  if (before === text) return text;
  const after = withoutLeftovers(syntax, before, target.leftovers ?? []);
  // Without a record, for example if it is unreadable, a file with a single entry is still a file of membus.
  const isCreated = target.syntax === "whole-file" || record?.existed === false;
  return isCreated && isBlank(after) ? undefined : after;
}

/** Returns whether the file has an entry of membus. */
export function hasAnyEntry(target: ConfigTarget, file: ConfigFile): boolean {
  const syntax = SYNTAXES[target.syntax];
  return withPath(file.path, () =>
    target.entries.some((entry) => foundOurs(syntax, file.text ?? "", entry).length > 0),
  );
}

function hasAllEntries(syntax: ConfigSyntax, text: string, entries: readonly Entry[]): boolean {
  return entries.every((entry) => {
    const found = foundOurs(syntax, text, entry);
    // The parsers return objects without a prototype, which equal no other object.
    return found.length === 1 && isDeepStrictEqual(structuredClone(found[0]), entry.value);
  });
}

function foundOurs(syntax: ConfigSyntax, text: string, entry: Entry): unknown[] {
  return syntax.find(text, entry).filter(entry.isOurs);
}

function refuseForeign(syntax: ConfigSyntax, text: string, entry: Entry): void {
  const foreign = syntax.find(text, entry).find((value) => !entry.isOurs(value));
  if (foreign === undefined) return;
  const name = [...entry.parents, entry.key].join(".");
  throw new SyntaxProblem(`${name} is another program: rename or remove it first`);
}

function withoutEntries(
  syntax: ConfigSyntax,
  text: string,
  entries: readonly Entry[],
  createdParents: readonly (readonly string[])[],
): string {
  let after = text;
  for (const entry of entries) {
    if (foundOurs(syntax, after, entry).length > 0) after = applyEdits(after, syntax.remove(after, entry));
  }
  for (const path of [...createdParents].sort((a, b) => b.length - a.length)) {
    after = applyEdits(after, syntax.removeEmpty(after, path));
  }
  return after;
}

function withoutLeftovers(syntax: ConfigSyntax, text: string, leftovers: readonly Entry[]): string {
  const found = leftovers.filter((entry) => foundOurs(syntax, text, entry).length > 0);
  const parents = found.map((entry) => entry.parents);
  return withoutEntries(syntax, text, found, parents);
}

function isBlank(text: string): boolean {
  return ["", "{}"].includes(text.replaceAll(/\s/g, ""));
}

function unique(paths: readonly string[][]): string[][] {
  return [...new Map(paths.map((path) => [JSON.stringify(path), path])).values()];
}

/** Adds the position to a problem of the text. */
function withPath<T>(path: string, run: () => T): T {
  try {
    return run();
  } catch (error) {
    if (!(error instanceof SyntaxProblem)) throw error;
    const { position, message } = error;
    const place = position === undefined ? path : `${path}:${position.line}:${position.column}`;
    throw new Error(`${place}: ${message}. membus has changed nothing`, { cause: error });
  }
}
