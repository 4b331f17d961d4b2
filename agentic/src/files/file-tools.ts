import { z } from "zod";
import { NAME_ARGUMENT_LENGTH_MAX, TEXT_ARGUMENT_LENGTH_MAX, type Tool, typedTool } from "../tools/index.js";
import { type GrepResult, linesIn } from "./grep-files.js";
import type { ListedFile } from "./list-folder.js";
import type { GlobResult, MemoryFile, MemoryFiles } from "./memory-files.js";

/** Defaults of common file tools, which models know. */
const LINES_DEFAULT = 2_000;
const LINE_LENGTH_MAX = 2_000;
const FOUND_LINES_DEFAULT = 200;

const file_path = z
  .string()
  .min(1)
  .max(NAME_ARGUMENT_LENGTH_MAX)
  .describe("The path of the file, such as /notes/may.md.");
const path = z
  .string()
  .min(1)
  .max(NAME_ARGUMENT_LENGTH_MAX)
  .default("/")
  .describe("The folder to search, such as /notes. / searches everything.");

/** Returns file tools for a model: `ls`, `glob`, `grep`, `read`, `write`, `edit`, `remove`, `move`. */
export function fileTools(files: MemoryFiles): Tool[] {
  return [...searchTools(files), ...contentTools(files), ...pathTools(files)];
}

function searchTools(files: MemoryFiles): Tool[] {
  return [
    typedTool({
      name: "ls",
      description:
        "List the files and folders in a folder, with the number of files and their approximate bytes.",
      parameters: z.object({ path }),
      async run(args, { signal }) {
        const { folders, files: found } = await files.ls(args.path, { signal });
        return [...folders, ...found].map(listedText).join("\n") || `There are no files in ${args.path}.`;
      },
    }),
    typedTool({
      name: "glob",
      description: "Find files by path with a glob such as **/*.md or notes/{may,june}.md.",
      parameters: z.object({
        pattern: z.string().min(1).max(NAME_ARGUMENT_LENGTH_MAX).describe("The glob."),
        path,
      }),
      async run({ pattern, path: folder }, { signal }) {
        return pathsText(await files.glob(pattern, { folder, signal }));
      },
    }),
    typedTool({
      name: "grep",
      description:
        "Find lines in files with a regular expression in RE2 syntax: no back references, no look-around.",
      parameters: z.object({
        pattern: z
          .string()
          .min(1)
          .max(NAME_ARGUMENT_LENGTH_MAX)
          .describe("The regular expression. Escape special characters that are meant literally."),
        path,
        glob: z
          .string()
          .min(1)
          .max(NAME_ARGUMENT_LENGTH_MAX)
          .default("**")
          .describe("Glob of the files to search, such as *.md or 2026/**."),
        output_mode: z
          .enum(["content", "files_with_matches", "count"])
          .default("content")
          .describe(
            "content: matching lines. files_with_matches: paths only. count: number of matching lines per file.",
          ),
        ignore_case: z.boolean().default(false),
        head_limit: z
          .int()
          .min(1)
          .max(10_000)
          .default(FOUND_LINES_DEFAULT)
          .describe("Maximum number of lines."),
      }),
      async run(args, { signal }) {
        const options = { folder: args.path, glob: args.glob, ignoreCase: args.ignore_case, signal };
        return foundText(
          await files.grep(args.pattern, { ...options, limit: args.head_limit }),
          args.output_mode,
        );
      },
    }),
  ];
}

function contentTools(files: MemoryFiles): Tool[] {
  return [
    typedTool({
      name: "read",
      description: "Read a file. Each line starts with its line number, which is not part of the file.",
      parameters: z.object({
        file_path,
        offset: z.int().min(1).default(1).describe("The number of the first line to read."),
        limit: z.int().min(1).max(100_000).default(LINES_DEFAULT).describe("Maximum number of lines."),
      }),
      async run({ file_path: name, offset, limit }, { signal }) {
        const file = await files.read(name, { signal });
        return file === undefined ? `There is no file ${name}.` : numbered(file, offset, limit);
      },
    }),
    typedTool({
      name: "write",
      description:
        "Create a file. To replace an existing file, read it first and give its revision. To change a part, use edit.",
      parameters: z.object({
        file_path,
        content: z.string().max(TEXT_ARGUMENT_LENGTH_MAX).describe("The whole text."),
        revision: z
          .int()
          .min(0)
          .default(0)
          .describe("Revision of the file to replace. 0 creates a new file."),
      }),
      async run({ file_path: name, content, revision }, { signal }) {
        const file = await files.write(name, content, { ifRevision: revision, signal });
        return `Wrote ${file.path}: ${file.bytes} bytes, revision ${file.revision}.`;
      },
    }),
    typedTool({
      name: "edit",
      description:
        "Replace a text in a file. The text must occur exactly once, without line numbers. Otherwise use replace_all.",
      parameters: z.object({
        file_path,
        old_string: z.string().min(1).max(TEXT_ARGUMENT_LENGTH_MAX).describe("The text to replace."),
        new_string: z
          .string()
          .max(TEXT_ARGUMENT_LENGTH_MAX)
          .describe("The replacement. Empty to remove the text."),
        replace_all: z.boolean().default(false).describe("Replace all occurrences."),
      }),
      async run({ file_path: name, old_string, new_string, replace_all }, { signal }) {
        const edited = await files.edit(name, old_string, new_string, { all: replace_all, signal });
        return `Replaced ${edited.replacements} in ${edited.path}: revision ${edited.revision}.`;
      },
    }),
  ];
}

function pathTools(files: MemoryFiles): Tool[] {
  return [
    typedTool({
      name: "remove",
      description:
        "Remove a file, or a folder with all its files if the path ends with /. This cannot be undone.",
      parameters: z.object({
        path: z
          .string()
          .min(1)
          .max(NAME_ARGUMENT_LENGTH_MAX)
          .describe("The path of a file such as /notes/may.md, or of a folder such as /notes/."),
      }),
      async run(args, { signal }) {
        const count = await files.remove(args.path, { signal });
        if (count > 0) return `Removed ${args.path}: ${count} files.`;
        return `There is no file ${args.path}. The path of a folder ends with /.`;
      },
    }),
    typedTool({
      name: "move",
      description: "Move or rename a file. The new path must not exist.",
      parameters: z.object({ old_path: file_path, new_path: file_path }),
      async run({ old_path, new_path }, { signal }) {
        return `Moved ${old_path} to ${(await files.move(old_path, new_path, { signal })).path}.`;
      },
    }),
  ];
}

function listedText({ path: name, count, bytes }: ListedFile): string {
  return name.endsWith("/") ? `${name} (${count} files, ${bytes} bytes)` : `${name} (${bytes} bytes)`;
}

function pathsText({ files, isComplete }: GlobResult): string {
  if (files.length === 0) return "No file matches.";
  return [...files.map(({ path: name }) => name), ...(isComplete ? [] : ["[more files match]"])].join("\n");
}

function foundText(
  { files, isComplete }: GrepResult,
  mode: "content" | "files_with_matches" | "count",
): string {
  const lines = files.flatMap(({ path: name, count, lines: found }) => {
    if (mode === "content") return found.map(({ line, text }) => `${name}:${line}:${text}`);
    return mode === "count" ? `${name}:${count}` : name;
  });
  if (isComplete) return lines.join("\n") || "No line matches.";
  return [
    ...lines,
    "[incomplete: not all files were searched. Search a folder, or use a narrower pattern]",
  ].join("\n");
}

function numbered({ path: name, text, revision }: MemoryFile, offset: number, limit: number): string {
  const lines = linesIn(text);
  const shown = lines.slice(offset - 1, offset - 1 + limit);
  const last = offset - 1 + shown.length;
  const part = shown.length === lines.length ? "" : `, lines ${offset} to ${last}`;
  const head = `${name}, revision ${revision}: ${lines.length} lines${shown.length === 0 ? "" : part}`;
  return [head, ...shown.map((line, n) => `${String(offset + n).padStart(6)}\t${cut(line)}`)].join("\n");
}

function cut(line: string): string {
  if (line.length <= LINE_LENGTH_MAX) return line;
  return `${line.slice(0, LINE_LENGTH_MAX).toWellFormed()} [cut: ${line.length} characters]`;
}
