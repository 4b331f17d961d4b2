import type { Talk } from "./talk.js";

export const PREMISES: readonly Talk[] = [
  {
    topic: "premises",
    assistant: "alice",
    at: "2026-03-02T18:30:00Z",
    script: `
baker: I have decided. I am leaving the hotel kitchen at the end of the month and opening a bakery of my own in town.
alice: Congratulations! Do you already have a name and a day in mind, or do we begin with finding a place?
baker: The name is Copper Crumb. I have had it in a notebook for six years.
alice: It sounds warm and it is short enough for a sign. When would you like to open the door?
baker [schedule]: Saturday the 25th of April. It is market day, so the whole town walks past anyway.
alice [schedule]: That leaves not quite eight weeks. It can be done if the shop needs no building work. Which places have you seen?
baker: Three. A former shoe repair shop in Tanner Street, a unit in the new retail park, and half of an old dairy by the river.
alice: Tell me about the shoe repair shop first. How large is it, and who walks past?
baker: Sixty-two square metres on a corner, with a big window on both sides. The bus from the school stops right in front.
alice: Light from two sides sells bread by itself. What speaks against it?
baker: The back room has only one small drain and there is no extraction. The ceiling is high, though.
alice: A drain can be widened, and a high ceiling helps with the duct. And the retail park?
baker: Plenty of parking and a new floor, but nobody goes there on foot and it dies at five o'clock.
alice: A bakery lives from people who come by every day. I would cross that one out. And the dairy?
baker: Beautiful. Tiled walls, an iron gate, swallows under the roof. It also floods every other winter.
alice: Then the insurance alone would eat your butter. What does each of them cost?
baker [money]: Tanner Street asks 1,450 a month, the retail park 1,900, and the dairy 1,100 without heating.
alice [money]: For a shop of this size I would want the rent below a tenth of the turnover. Tanner Street fits if you sell for 700 a day.
baker: That is roughly a hundred and forty customers. The shoemaker's neighbour says four hundred people pass before nine.
alice: Then Tanner Street it is, I would say. Who do we talk to?
baker [people]: The owner is an old gentleman. He is retired, he kept bees, and he wants somebody who stays.
alice: Good. I will prepare questions for him: the drain, the duct, the length of the lease, and who pays for the shutters.
`,
  },
  {
    topic: "lease",
    assistant: "alice",
    at: "2026-03-09T19:05:00Z",
    script: `
baker: I met the owner this afternoon. He made tea and showed me every pipe in the building.
alice: A landlord who knows his pipes is a gift. How did he take the question about the duct?
baker: He agrees to a duct through the yard wall as long as it does not face his roses.
alice: Please get that in writing, roses included. What about the length of the lease?
baker: He offers five years. I may leave after two with three months' notice, he may not.
alice: A break clause on your side only is generous. Did you speak about the price?
baker [money]: I told him that the floor needs sealing. He came down to 1,380 a month if I do it myself.
alice [money]: So 1,380 instead of 1,450, which is 840 saved in a year. Sealing costs about 600, so it pays off.
baker: He wants the deposit before he hands over the keys, two months' worth.
alice [money]: That makes 2,760. When do you get the keys?
baker [schedule]: On the 16th of March, in the morning. He will leave the shelves and a ladder.
alice: Then the electrician can come on the 17th. Shall I put the deposit on the list of payments?
baker [private]: Yes. Take it from my savings account, number 4471 9020 36.
alice [private]: Noted: the deposit goes out of savings account 4471 9020 36.
baker [private]: Hm, now that I see it written down: please do not keep that number. I will make the transfer by hand.
alice: You are right. I will strike out those three lines, and note only that you pay the deposit yourself.
baker: Thank you. There is one more thing in the contract: no frying after eight in the evening.
alice: You close at three, so that costs you nothing. Doughnuts are a morning matter anyway.
baker: And he asks for a fire extinguisher in each room, with a yearly check.
alice [equipment]: Two extinguishers then, one for fat and one for everything else. I have added them to the shopping list.
baker: I sign on Wednesday. I am so nervous that I cleaned my whole flat.
alice: Then at least something is clean before the flour comes.
`,
  },
];
