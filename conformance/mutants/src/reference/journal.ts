import { closeSync, existsSync, fsyncSync, openSync, readFileSync, renameSync, writeSync } from "node:fs";
import { join } from "node:path";
import { MemoryError } from "@membus/protocol";

/**
 * A file of JSON lines. Each line is on disk before `append` returns. A partial line after a crash is
 * ignored.
 */
export class Journal<Line> {
  protected readonly path: string;
  readonly #directory: string;
  #file: number;

  constructor(directory: string) {
    this.#directory = directory;
    this.path = join(directory, "journal.jsonl");
    this.#file = openSync(this.path, "a");
  }

  read(): Line[] {
    const whole = existsSync(this.path) ? readFileSync(this.path, "utf8").split("\n").slice(0, -1) : [];
    return whole.map((line) => this.parsed(line));
  }

  protected text(line: Line): string {
    return `${JSON.stringify(line, plain)}\n`;
  }

  protected parsed(text: string): Line {
    return JSON.parse(text, revive) as Line;
  }

  append(line: Line): void {
    writeSync(this.#file, this.text(line));
    fsyncSync(this.#file);
  }

  /** Replaces all lines with one. After a crash the file has the old or the new content. */
  rewrite(line: Line): void {
    const draft = `${this.path}.new`;
    const former = this.#file;
    this.#file = openSync(draft, "w");
    writeSync(this.#file, this.text(line));
    fsyncSync(this.#file);
    renameSync(draft, this.path);
    closeSync(former);
    const directory = openSync(this.#directory, "r");
    fsyncSync(directory);
    closeSync(directory);
  }

  close(): void {
    closeSync(this.#file);
  }
}

function plain(_: string, value: unknown): unknown {
  if (value instanceof Float32Array) return { $vector: toBase64(value) };
  if (!(value instanceof MemoryError)) return value;
  const { code, message, detail } = value;
  return { $error: { code, message, detail } };
}

function revive(_: string, value: unknown): unknown {
  const { $vector, $error } = (value ?? {}) as { $vector?: string; $error?: MemoryError };
  if ($vector !== undefined) return fromBase64($vector);
  return $error === undefined ? value : new MemoryError($error.code, $error.message, $error.detail);
}

/** One text instead of a list, because `JSON.stringify` calls its function for each number of a list. */
function toBase64({ buffer, byteOffset, byteLength }: Float32Array): string {
  return Buffer.from(buffer, byteOffset, byteLength).toString("base64");
}

function fromBase64(text: string): Float32Array {
  return new Float32Array(Uint8Array.from(Buffer.from(text, "base64")).buffer);
}
