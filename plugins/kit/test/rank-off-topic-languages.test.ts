import { createStaticEmbedder } from "@membus/embeddings";
import { createMultilingualAnalyzer, isOtherLanguage } from "@membus/languages";
import { expect, it } from "vitest";
import { cosineScale, hashesOf } from "../src/search/index.js";
import { partitionOf } from "./meaning-partition.js";
import { rank } from "./rank.js";

/** Default of the agentic layer. */
const SCORE_MIN = 0.2;

const embedder = createStaticEmbedder({}, { isOtherLanguage });
const analyzer = createMultilingualAnalyzer();

/** Facts about a user, a question about one of them, and a question about nothing in them. */
const LANGUAGES = {
  English: {
    facts: [
      "The user likes green tea",
      "The user lives in the port of Hamburg",
      "The cat of the user is called Minka",
    ],
    topic: "What is the cat called?",
    offTopic: "How does the renormalization of quantum fields work?",
  },
  Chinese: {
    facts: ["用户喜欢喝绿茶", "用户住在汉堡的港口", "用户的猫叫小白"],
    topic: "猫叫什么",
    offTopic: "量子场论怎么计算",
  },
  Japanese: {
    facts: [
      "ユーザーは緑茶が好きです",
      "ユーザーはハンブルクの港に住んでいます",
      "ユーザーの猫の名前はタマです",
    ],
    topic: "猫の名前は何ですか",
    offTopic: "量子場理論の計算方法",
  },
  Arabic: {
    facts: ["المستخدم يحب الشاي الأخضر", "يعيش المستخدم في ميناء هامبورغ", "قطة المستخدم اسمها مينكا"],
    topic: "ما اسم قطة المستخدم",
    offTopic: "كيف تعمل نظرية الحقول الكمومية",
  },
  German: {
    facts: [
      "Die Benutzerin trinkt gern grünen Tee",
      "Die Benutzerin wohnt am Hafen von Hamburg",
      "Die Katze der Benutzerin heißt Minka",
    ],
    topic: "Wie heißt die Katze?",
    offTopic: "Wie funktioniert die Renormierung von Quantenfeldern?",
  },
};

it.each(Object.entries(LANGUAGES))(
  "in %s finds the fact in question, and nothing off topic",
  async (_, set) => {
    const partition = await partitionOf({ embedder, analyzer }, set.facts);
    const scale = cosineScale(await embedder.unrelatedCosine?.());
    const found = async (query: string) => {
      const [vector] = await embedder.embed([query], "query");
      const terms = analyzer.analyzeQuery(query);
      const scores = rank(partition.corpus(hashesOf(terms)), { terms, scale, ...(vector && { vector }) });
      return [...scores].flatMap((score, slot) => (score >= SCORE_MIN ? [slot] : []));
    };
    expect(await found(set.topic)).toContain(2);
    expect(await found(set.offTopic)).toEqual([]);
  },
);
