import { constants } from "node:fs";
import { access, writeFile } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { htmlReport } from "../report/html-report.js";
import { jsonReport } from "../report/json-report.js";
import { junitReport } from "../report/junit-report.js";
import type { SuiteReport } from "../report/suite-report.js";
import { textReport } from "../report/text-report.js";
import { UsageError } from "./usage-error.js";

const FORMATS = { json: jsonReport, junit: junitReport, html: htmlReport } as const;

export type ReportFormat = keyof typeof FORMATS;

/** Output file for each format. `-` writes to standard output and moves the text report to standard error. */
export type ReportTargets = Readonly<Partial<Record<ReportFormat, string>>>;

const STDOUT = "-";

/**
 * Checks that the reports can be written, before any test runs.
 * @throws {UsageError} if a report cannot be written.
 */
export async function checkTargets(targets: ReportTargets): Promise<void> {
  const files = Object.values(targets);
  if (files.filter((file) => file === STDOUT).length > 1) {
    throw new UsageError("only one report can be written to standard output");
  }
  for (const file of files.filter((name) => name !== STDOUT)) await checkWritable(file);
}

async function checkWritable(file: string): Promise<void> {
  const isThere = await access(file).then(
    () => true,
    () => false,
  );
  const folder = dirname(resolve(file));
  const reason = isThere ? "it is not writable" : `${folder} is not a writable folder`;
  await access(isThere ? file : folder, constants.W_OK).catch((cause: unknown) => {
    throw new UsageError(`cannot write ${file}: ${reason}`, { cause });
  });
}

export async function writeReports(report: SuiteReport, targets: ReportTargets): Promise<void> {
  const entries = Object.entries(targets) as [ReportFormat, string][];
  const takesStdout = entries.some(([, file]) => file === STDOUT);
  (takesStdout ? process.stderr : process.stdout).write(textReport(report));
  for (const [format, file] of entries) {
    const text = FORMATS[format](report);
    if (file === STDOUT) process.stdout.write(text);
    else await writeFile(file, text);
  }
}
