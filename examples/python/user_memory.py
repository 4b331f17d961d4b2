"""What an agent remembers about its users: facts, messages and the prompt of the next question.

Run `python user_memory.py`. The bus is at NATS_URL or nats://127.0.0.1:4222."""

import os
import uuid

import membus

SERVERS = os.environ.get("NATS_URL", "nats://127.0.0.1:4222")


def main() -> None:
    # Unique users, so that the data of this run can be deleted at the end.
    run = uuid.uuid4()
    ada, bob = f"ada-{run}", f"bob-{run}"
    with membus.connect(SERVERS, agent="assistant") as client:
        memory = membus.Memory(client)
        memory.add("I am allergic to nuts", user=ada)
        memory.add(
            [
                {"role": "user", "content": "I prefer the night train to Lisbon. When does it leave?"},
                {"role": "assistant", "content": "At nine."},
            ],
            user=ada,
        )
        for user in (ada, bob):
            print(f"found for {user[:3]}:", [item.text for item in memory.search("which train?", user=user, limit=1)])
    # Another process continues the conversation.
    with membus.connect(SERVERS, agent="assistant") as client:
        memory = membus.Memory(client)
        facts, *messages = memory.context(ada, [{"role": "user", "content": "Which food must I avoid?"}])
        print("the model knows of nuts:", "allergic to nuts" in facts["content"])
        print("and reads:", [message["content"] for message in messages])
        for user in (ada, bob):
            print(f"forgotten of {user[:3]}:", memory.forget(user, purge=True).deleted)


if __name__ == "__main__":
    main()
