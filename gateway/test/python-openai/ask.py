"""Asks as somebody does who has never heard of the gateway: python ask.py API HOW TEXT... ; shows one answer a line."""

import json
import sys

from openai import OpenAI

client = OpenAI(max_retries=0, timeout=60)


def chat(text, is_streamed):
    request = {"model": "scripted", "messages": [{"role": "user", "content": text}]}
    if not is_streamed:
        return client.chat.completions.create(**request).choices[0].message.content
    answer = ""
    for chunk in client.chat.completions.create(**request, stream=True):
        answer += (chunk.choices and chunk.choices[0].delta.content) or ""
    return answer


def responses(text, is_streamed):
    request = {"model": "scripted", "input": text}
    if not is_streamed:
        return client.responses.create(**request).output_text
    answer = ""
    for event in client.responses.create(**request, stream=True):
        if event.type == "response.output_text.delta":
            answer += event.delta
    return answer


def followed(text, _):
    """By the client that puts events together and checks them, and then behind its answer."""
    with client.responses.stream(model="scripted", input=text) as stream:
        numbers = [event.sequence_number for event in stream]
        response = stream.get_final_response()
    after = client.responses.create(model="scripted", input="Sure?", previous_response_id=response.id)
    return [response.output_text, numbers == list(range(len(numbers))), after.output_text]


apis = {"chat": chat, "responses": responses, "followed": followed}
api, how, *texts = sys.argv[1:]
for said in texts:
    print(json.dumps(apis[api](said, how == "streamed")), flush=True)
