import type { ChatMessage } from "@membus/agentic/model";

/** A fact that the user states, as a question about it and the words that its answer must contain. */
export interface ToldFact {
  readonly question: string;
  readonly answer: RegExp;
  /** Words of the earlier answer, if a later session contradicts it. */
  readonly earlier?: RegExp;
}

const user = (content: string): ChatMessage => ({ role: "user", content });
const assistant = (content: string): ChatMessage => ({ role: "assistant", content });

/** Three conversations with one user and 12 facts. The third conversation contradicts two of them. */
export const SESSIONS: readonly (readonly ChatMessage[])[] = [
  [
    user("Hello! I work as a bridge engineer, and my employer is Northwind."),
    assistant("Nice to meet you. What can I do for you?"),
    user("My manager is Carla. I live in Porto."),
    assistant("Thank you, that helps."),
    user("By the way, my dog is called Biscuit."),
    assistant("A good name for a dog!"),
  ],
  [
    user("I am allergic to peanuts. Can you suggest a snack?"),
    assistant("How about an apple?"),
    user("Good idea. My favourite tea is jasmine tea."),
    assistant("Jasmine goes well with apples."),
    user("My sister Lena lives in Oslo, and I am learning Danish."),
    assistant("Danish and Norwegian are similar."),
  ],
  [
    user("I left Northwind. My new employer is Blue Harbor."),
    assistant("Congratulations on the new job!"),
    user("My new manager is Tom. I play the cello on Sundays."),
    assistant("Enjoy your new team."),
    user("My car is a red Volvo, and my passport expires in March 2027."),
    assistant("Noted."),
  ],
];

export const TOLD_FACTS: readonly ToldFact[] = [
  { question: "What is my profession?", answer: /engineer/i },
  { question: "Who is my employer now?", answer: /Blue Harbor/i, earlier: /Northwind/ },
  { question: "Who is my manager now?", answer: /\bTom\b/i, earlier: /Carla/ },
  { question: "In which city do I live?", answer: /Porto/i },
  { question: "What is the name of my dog?", answer: /Biscuit/i },
  { question: "What am I allergic to?", answer: /peanut/i },
  { question: "What is my favourite tea?", answer: /jasmine/i },
  { question: "Where does my sister Lena live?", answer: /Oslo/i },
  { question: "Which language am I learning?", answer: /Danish/i },
  { question: "Which instrument do I play?", answer: /cello/i },
  { question: "What kind of car do I have?", answer: /Volvo/i },
  { question: "When does my passport expire?", answer: /March 2027|2027-03/i },
];
