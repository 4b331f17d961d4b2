import * as refa from "refa";
import { analyse } from "scslre";

type Element = refa.NoParent<refa.Element>;
type Concatenation = refa.NoParent<refa.Concatenation>;

/** A repetition without a limit, with all that a match needs before it and after it. */
interface Repetition {
  readonly alternatives: Concatenation[];
  readonly before: readonly Element[];
  readonly after: readonly Element[];
}

export interface Pattern {
  readonly source: string;
  readonly flags: string;
}

/** Returns why the time of a search can grow faster than the length of the text, or undefined if it cannot. */
export function problemOf(pattern: Pattern): string | undefined {
  const parser = parserOf(pattern);
  if (parser === undefined) return undefined;
  const [report] = analyse(pattern).reports.filter(({ type }) => type !== "Move");
  if (report !== undefined) return "two repetitions match the same text: give them different characters";
  if (pattern.flags.includes("y")) return undefined;
  const { expression, maxCharacter } = parser.parse({ backreferences: "disable" });
  const restarted = [...repetitions(expression.alternatives, [], [])].some((one) =>
    isRestarted(one, maxCharacter),
  );
  return restarted
    ? "other matches begin within a repetition: bound it, put a lookbehind before it, or use indexOf"
    : undefined;
}

/** Returns undefined for a pattern that is no pattern without its variable parts, such as `\\p{Script=1}`. */
function parserOf(pattern: Pattern): refa.JS.Parser | undefined {
  try {
    return refa.JS.Parser.fromLiteral(pattern);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

function* repetitions(
  alternatives: readonly Concatenation[],
  before: readonly Element[],
  after: readonly Element[],
): Generator<Repetition> {
  for (const { elements } of alternatives) {
    for (const [at, element] of elements.entries()) {
      if (!("alternatives" in element)) continue;
      const outside = [...before, ...elements.slice(0, at)];
      const rest = [...elements.slice(at + 1), ...after];
      const again: Element[] = element.type === "Quantifier" ? [{ ...element, min: 0 }] : [];
      if (element.type === "Quantifier" && element.max === Number.POSITIVE_INFINITY) {
        yield { alternatives: element.alternatives, before: outside, after: rest };
      }
      yield* repetitions(element.alternatives, [...outside, ...again], [...again, ...rest]);
    }
  }
}

/** Returns whether a repeated text contains the beginning of another match, and the match may fail after it. */
function isRestarted({ alternatives, before, after }: Repetition, maxCharacter: number): boolean {
  const automaton = (elements: readonly Element[], assertions: "disable" | "ignore") => {
    const copies = elements.map(copyOf);
    const applied = refa.transform(refa.Transformers.applyAssertions(), {
      ...{ type: "Expression", alternatives: [{ type: "Concatenation", elements: copies }] },
    });
    return refa.NFA.fromRegex(applied, { maxCharacter }, { assertions });
  };
  if (automaton(after, "disable").test([])) return false;
  const character: Element = { type: "CharacterClass", characters: refa.CharSet.all(maxCharacter) };
  const earlier = repeated(1, [{ type: "Concatenation", elements: [character] }]);
  const repetition = automaton([repeated(1, alternatives)], "ignore");
  return !refa.isDisjointWith(
    repetition,
    automaton([earlier, ...before, repeated(0, alternatives)], "ignore"),
  );
}

function repeated(min: number, alternatives: Concatenation[]): Element {
  return { type: "Quantifier", alternatives, min, max: Number.POSITIVE_INFINITY, lazy: false };
}

/** Copies an element, because a transformation changes it. */
function copyOf(element: Element): Element {
  if (!("alternatives" in element)) return { ...element };
  const alternatives = element.alternatives.map(({ elements }): Concatenation => {
    return { type: "Concatenation", elements: elements.map(copyOf) };
  });
  return { ...element, alternatives };
}
