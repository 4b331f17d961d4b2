import { describe, expect, it } from "vitest";
import { isStatement } from "../src/long-term/statement.js";

const byUser = (text: string) => isStatement({ role: "user", text });
const byAssistant = (text: string) => isStatement({ role: "assistant", text });

describe("a message without information", () => {
  it.each([
    "What is my dog's name?",
    "Do you remember me? And where do I live?",
    "what's my favourite colour",
    "can you tell me when the train leaves",
    "Wie heißt mein Hund?",
    "我的狗叫什么名字？",
    "ما اسم كلبي؟",
    "I don't know.",
    "Sorry, I don’t know that",
    "No idea!",
    "Ich weiß es nicht.",
    "Je ne sais pas.",
    "我不知道。",
    "?!",
  ])("%s is no statement", (text) => {
    expect(byUser(text)).toBe(false);
  });

  it.each([
    "I don't have any information about your dog. What is its name?",
    "I'm sorry, but I don't know your dog's name.",
    "Unfortunately, I couldn't find it.",
  ])("%s is no statement of an assistant", (text) => {
    expect(byAssistant(text)).toBe(false);
  });

  it.each([
    "My dog is called Bello. What is yours?",
    "I don't know how to swim",
    "When I was young, I lived in Rome",
    "What a day, I got the job!",
    "See https://example.com/?q=1 for my report",
    "Version 1.5 is installed",
    "Sì",
  ])("%s is a statement", (text) => {
    expect(byUser(text)).toBe(true);
  });

  it("takes linear time", () => {
    expect(byUser(`${"a? ".repeat(50_000)}`)).toBe(false);
    expect(byUser("a.b".repeat(50_000))).toBe(true);
    expect(byUser("?".repeat(100_000))).toBe(false);
  });
});
