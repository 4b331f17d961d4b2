import type { ReportedCheck, SuiteReport } from "../report/suite-report.js";
import { isOpen } from "../run/outcome.js";

/** Exit codes of the command line. They are part of its public interface. */
export const EXIT_CODES = Object.freeze({
  /** Conformant, or all red and blocked checks are in the baseline. */
  conformant: 0,
  notConformant: 1,
  /** Nothing was tested, because of the arguments, the baseline, the module or the server. */
  usage: 2,
  /** The suite has an error. */
  suiteError: 3,
});

/** Returns the exit code of a run. With `strict` a SHOULD counts as much as a MUST. */
export function exitCodeOf(report: SuiteReport, strict: boolean): number {
  const open = report.checks.filter((check) => isOpen(check.outcome) && check.known === undefined);
  if (open.some(({ outcome }) => outcome === "suite-error")) return EXIT_CODES.suiteError;
  if (report.staleBaseline.length > 0) return EXIT_CODES.notConformant;
  const counts = ({ level, profiles }: ReportedCheck) =>
    (strict || level === "MUST") && (!report.complete || profiles.length > 0);
  return open.some(counts) ? EXIT_CODES.notConformant : EXIT_CODES.conformant;
}
