/** One talk between Mara, who opens a bakery, and one of her two assistants. Everybody in it is invented. */
export interface Talk {
  readonly topic: string;
  readonly assistant: "alice" | "bob";
  /** When its first turn was said. */
  readonly at: string;
  /** One turn a line: `speaker [tag, tag]: text`; the tags may be missing. */
  readonly script: string;
}
