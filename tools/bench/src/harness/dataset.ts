import { Random } from "@membus/conformance";

/** A synthetic memory: about 300 characters of words with a natural frequency distribution. */
export interface SampleEntry {
  readonly key: { readonly id: string };
  readonly content: string;
  readonly tags: readonly string[];
}

const SUBJECTS =
  "team client project invoice garden kitchen server database meeting flight hotel budget report design " +
  "doctor school music holiday recipe market engine battery camera window bridge river mountain winter summer";
const VERBS =
  "prefers wants finished started cancelled moved booked wrote tested painted repaired ordered shipped lost " +
  "found measured compared reviewed planned visited bought sold learned taught remembered forgot opened closed";
const DETAILS =
  "early late twice yesterday tomorrow quietly loudly carefully without help for the family in the morning near " +
  "the station under pressure with a friend before lunch after dinner every week once a month never again";
const WORDS = [SUBJECTS, VERBS, DETAILS].join(" ").split(" ");

/** Returns a rare word, so that the vocabulary grows with the data as in real text. */
function rareWord(random: Random): string {
  const syllables = ["ka", "lo", "mi", "ren", "tar", "vel", "zu", "qua", "ber", "son", "ith", "ol"];
  return Array.from({ length: 3 }, () => syllables[Math.floor(random.next() ** 1.5 * syllables.length)]).join(
    "",
  );
}

function sentence(random: Random): string {
  const words = Array.from({ length: 9 }, () =>
    random.next() < 0.12 ? rareWord(random) : WORDS[Math.floor(random.next() ** 2 * WORDS.length)],
  );
  return `${words.join(" ")}.`;
}

export function sampleEntries(count: number, seed = 1): SampleEntry[] {
  const random = new Random(seed);
  return Array.from({ length: count }, (_, index) => ({
    key: { id: `entry-${seed}-${index}` },
    content: Array.from({ length: 5 }, () => sentence(random)).join(" "),
    tags: [`tag-${index % 50}`, `batch-${Math.floor(index / 100)}`],
  }));
}

/** Returns three-word questions with the same vocabulary. */
export function sampleQueries(count: number, seed = 2): string[] {
  const random = new Random(seed);
  return Array.from({ length: count }, () =>
    Array.from({ length: 3 }, () => WORDS[Math.floor(random.next() * WORDS.length)]).join(" "),
  );
}
