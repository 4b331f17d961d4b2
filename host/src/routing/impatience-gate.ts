import type { Clock } from "@membus/protocol";

/** Pause after the work of impatient agents, as a multiple of its cost. */
const PAUSE_FACTOR = 4;
/** Seconds after the latest request of a patient agent during which impatient agents pause. */
const PATIENT_ACTIVITY_S = 1;

/**
 * Limits impatient agents to a fifth of the time while patient agents send requests. The rest of the time is
 * for reading and refusing messages, and for other processes of the machine, such as the server.
 */
export class ImpatienceGate {
  readonly #clock: Clock;
  readonly #onOpen: () => void;
  /** Unix seconds. */
  #resumeAt = 0;
  /** Unix seconds. */
  #patientAt = Number.NEGATIVE_INFINITY;
  #isWaiting = false;

  /** @param onOpen called when the gate opens after `isClosed` returned true. */
  constructor(clock: Clock, onOpen: () => void) {
    this.#clock = clock;
    this.#onOpen = onOpen;
  }

  /** Called for each request of a patient agent. */
  notePatient(): void {
    this.#patientAt = this.#clock.now();
  }

  /** Adds the cost of work of an impatient agent. A negative cost corrects an estimate. */
  charge(ms: number): void {
    this.#resumeAt = Math.max(this.#resumeAt, this.#clock.now()) + (PAUSE_FACTOR * ms) / 1_000;
  }

  isClosed(): boolean {
    const now = this.#clock.now();
    if (now >= this.#resumeAt || now - this.#patientAt > PATIENT_ACTIVITY_S) return false;
    if (!this.#isWaiting) {
      this.#isWaiting = true;
      this.#clock.after(Math.ceil((this.#resumeAt - now) * 1_000), () => {
        this.#isWaiting = false;
        this.#onOpen();
      });
    }
    return true;
  }
}
