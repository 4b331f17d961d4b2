import type { Breach } from "./writer-state.js";

/** Number of checks of a loop so far, and the broken guarantees. */
export class Findings {
  kills = 0;
  acknowledged = 0;
  presences = 0;
  absences = 0;
  readonly breaches: Record<Breach, string[]> = { lost: [], doubled: [], back: [] };

  found(breach: Breach, where: string): void {
    this.breaches[breach].push(where);
  }

  get isClean(): boolean {
    return Object.values(this.breaches).every((places) => places.length === 0);
  }

  get progress(): string {
    const { acknowledged, presences, absences } = this;
    const verified = `${presences} presences and ${absences} absences verified`;
    return `${acknowledged} operations acknowledged, ${verified}; ${this.summary}`;
  }

  get summary(): string {
    const { lost, doubled, back } = this.breaches;
    return `${this.kills} kills, ${lost.length} lost, ${doubled.length} doubled, ${back.length} back`;
  }
}
