import type { ReportedCheck, SuiteReport } from "../report/suite-report.js";
import { isOpen } from "../run/outcome.js";

/** How a run of the command line ends. Part of its interface. */
export const EXIT_CODES = Object.freeze({
  /** Conformant, or red and blocked in nothing that the baseline does not know. */
  conformant: 0,
  notConformant: 1,
  /** The arguments, the baseline, the module or the server: nothing was tested. */
  usage: 2,
  /** The suite itself is at fault. */
  suiteError: 3,
});

/** `strict` makes a SHOULD count as much as a MUST. */
export function exitCodeOf(report: SuiteReport, strict: boolean): number {
  const open = report.checks.filter((check) => isOpen(check.outcome) && check.known === undefined);
  if (open.some(({ outcome }) => outcome === "suite-error")) return EXIT_CODES.suiteError;
  if (report.staleBaseline.length > 0) return EXIT_CODES.notConformant;
  const counts = ({ level, profiles }: ReportedCheck) =>
    (strict || level === "MUST") && (!report.complete || profiles.length > 0);
  return open.some(counts) ? EXIT_CODES.notConformant : EXIT_CODES.conformant;
}
