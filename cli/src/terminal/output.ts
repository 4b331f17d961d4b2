/** Where a command's result goes: readable text, or one JSON document with `--json`. */
export interface Output {
  readonly json: boolean;
  /** The command's result. `text` is made only when it is shown. */
  result(value: unknown, text: () => string): void;
  /** What a person wants to know meanwhile; on standard error, so that results can be piped. */
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
