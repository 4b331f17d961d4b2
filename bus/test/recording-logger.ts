import type { Logger } from "@membus/protocol/plugin";

export interface LogLine {
  readonly level: keyof Logger;
  readonly message: string;
  readonly fields: Record<string, unknown>;
}

/** Logger that records all log lines. */
export class RecordingLogger implements Logger {
  readonly lines: LogLine[] = [];

  debug = this.#recorder("debug");
  info = this.#recorder("info");
  warn = this.#recorder("warn");
  error = this.#recorder("error");

  messages(level: keyof Logger): string[] {
    return this.lines.filter((line) => line.level === level).map((line) => line.message);
  }

  #recorder(level: keyof Logger) {
    return (fields: object, message: string) => {
      this.lines.push({ level, message, fields: fields as Record<string, unknown> });
    };
  }
}
