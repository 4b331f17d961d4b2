import { readFile } from "node:fs/promises";
import type { ExportManifest } from "../export/export-format.js";
import type { ImportItem, ReadContext } from "./import-item.js";
import { readChatgpt } from "./read-chatgpt.js";
import { readClaude } from "./read-claude.js";
import { endsAsExport, manifestOf, readExport, type VerifiedExport, verifyExport } from "./read-export.js";
import { readLanggraph } from "./read-langgraph.js";
import { readLetta } from "./read-letta.js";
import { readLines } from "./read-lines.js";
import { readMarkdown } from "./read-markdown.js";
import { readMcp } from "./read-mcp.js";
import { readMem0 } from "./read-mem0.js";
import { type SourceFile, sourceFiles } from "./source-files.js";

interface ForeignFormat {
  /** Names of the files to read from a folder. */
  readonly files: RegExp;
  /** Returns the entries of the text of a file, in order. */
  readonly read: (text: string, context: ReadContext) => Iterable<ImportItem>;
}

const FORMATS = {
  mem0: { files: /\.json$/i, read: readMem0 },
  mcp: { files: /\.jsonl?$/i, read: readMcp },
  markdown: { files: /\.(?:md|markdown)$/i, read: readMarkdown },
  chatgpt: { files: /^conversations.*\.json$/i, read: readChatgpt },
  claude: { files: /^(?:conversations|memories).*\.json$/i, read: readClaude },
  langgraph: { files: /\.jsonl?$/i, read: readLanggraph },
  letta: { files: /\.af$/i, read: readLetta },
} as const satisfies Record<string, ForeignFormat>;

type FormatName = keyof typeof FORMATS;

const FORMAT_NAMES = Object.keys(FORMATS) as FormatName[];

/** Files of other formats than JSONL are read as a whole. */
const FILE_BYTES_MAX = 256 * 1024 * 1024;

/** Files to import and their format. */
export interface ImportSource {
  readonly path: string;
  /** Absent: JSONL of membus. */
  readonly from?: FormatName | undefined;
  /** Present for a whole export of membus, which is verified. */
  readonly manifest?: ExportManifest | undefined;
  /** Present with `manifest`. */
  readonly verified?: VerifiedExport | undefined;
  readonly user?: string | undefined;
  readonly files: readonly SourceFile[];
}

/**
 * Opens a file or folder. An export of membus is read once as a whole and verified.
 * @throws {TypeError} for an unknown format, a path that cannot be read, or a damaged export.
 */
export async function openSource(
  path: string,
  { from, user }: { readonly from?: string | undefined; readonly user?: string | undefined } = {},
): Promise<ImportSource> {
  if (from === undefined) {
    const files = await sourceFiles(path);
    const manifest = await manifestOf(path);
    if (manifest !== undefined) return { path, manifest, files, verified: await verifyExport(path) };
    if (await endsAsExport(path))
      throw new TypeError(
        `${path}, line 1: the first line of this export is missing or damaged. Nothing is stored`,
      );
    return { path, files };
  }
  if (!Object.hasOwn(FORMATS, from)) {
    throw new TypeError(`--from must be one of ${FORMAT_NAMES.join(", ")}, got ${from}`);
  }
  const name = from as FormatName;
  return { path, from: name, user, files: await sourceFiles(path, FORMATS[name].files) };
}

/** Yields the items of all files, in the same order each time. */
export async function* readItems({ from, verified, user, files }: ImportSource): AsyncGenerator<ImportItem> {
  if (from === undefined) {
    yield* verified === undefined ? readLines(files[0]!.path) : readExport(files[0]!.path, verified);
    return;
  }
  for (const file of files) {
    const items = await readWhole(FORMATS[from], file, user);
    for (const item of items) yield files.length === 1 ? item : { ...item, file: file.name };
  }
}

async function readWhole(
  { read }: ForeignFormat,
  { path, name, sizeBytes, modifiedMs }: SourceFile,
  user: string | undefined,
): Promise<Iterable<ImportItem>> {
  if (sizeBytes > FILE_BYTES_MAX) {
    const problem = `file too large: ${sizeBytes} bytes, limit ${FILE_BYTES_MAX}. Split it into several files`;
    return [{ line: 1, bytes: sizeBytes, problem, code: "too_large" }];
  }
  const text = (await readFile(path, "utf8")).replace(/^\uFEFF/, "");
  return read(text, { name, modified: modifiedMs / 1000, user });
}
