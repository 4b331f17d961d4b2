/** One invented talk between a baker, who opens a shop of her own, and one of her two assistants. */
export interface Talk {
  readonly topic: string;
  readonly assistant: "alice" | "bob";
  /** When its first turn was said. */
  readonly at: string;
  /** One turn a line: `speaker [tag, tag]: text`; the tags may be missing. */
  readonly script: string;
}
