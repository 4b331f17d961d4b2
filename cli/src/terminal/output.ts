import { printable, printableJson } from "./printable.js";

/**
 * Output of a command: readable text, or one JSON document with `--json`. Characters that control a terminal
 * are escaped.
 */
export interface Output {
  readonly json: boolean;
  /** Prints the result of the command. `text` is called only if it is shown. */
  result(value: unknown, text: () => string): void;
  /** Prints a part of a text that arrives piece by piece. */
  piece(text: string): void;
  /** Prints progress for the user on standard error, so that results can be piped. */
  note(line: string): void;
}

export function createOutput(json: boolean): Output {
  return {
    json,
    result(value, text) {
      const shown = json ? printableJson(JSON.stringify(value, plainVectors)) : printable(text());
      process.stdout.write(`${shown}\n`);
    },
    piece(text) {
      process.stdout.write(printable(text));
    },
    note(line) {
      process.stderr.write(`${printable(line)}\n`);
    },
  };
}

function plainVectors(_name: string, value: unknown): unknown {
  return value instanceof Float32Array ? Array.from(value) : value;
}
