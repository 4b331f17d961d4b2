/** Output of a command: readable text, or one JSON document with `--json`. */
export interface Output {
  readonly json: boolean;
  /** Prints the result of the command. `text` is called only if it is shown. */
  result(value: unknown, text: () => string): void;
  /** Prints progress for the user on standard error, so that results can be piped. */
  note(line: string): void;
}

export function createOutput(json: boolean): Output {
  return {
    json,
    result(value, text) {
      process.stdout.write(`${json ? JSON.stringify(value, plainVectors) : text()}\n`);
    },
    note(line) {
      process.stderr.write(`${line}\n`);
    },
  };
}

function plainVectors(_name: string, value: unknown): unknown {
  return value instanceof Float32Array ? Array.from(value) : value;
}
