"""Calls `examples/streaming` like any OpenAI server: python openai_client.py
[http://localhost:8000/v1] [prompt]

With the tritonserver engine, use the address in the line `openai` of the server's output, by
default http://localhost:8003/v1.
"""

import sys

import openai


def words(url, prompt, count=20, seed=1):
    """Yields the generated words one by one."""
    with openai.OpenAI(base_url=url, api_key="any") as client:
        for chunk in client.completions.create(model="Writer", prompt=prompt, max_tokens=count, seed=seed, stream=True):
            if chunk.choices[0].text:
                yield chunk.choices[0].text


def answer(url, said):
    """Returns the complete response to a message, and its usage."""
    with openai.OpenAI(base_url=url, api_key="any") as client:
        messages = [{"role": "user", "content": said}]
        completion = client.chat.completions.create(model="Companion", messages=messages)
        return completion.choices[0].message.content, completion.usage


if __name__ == "__main__":
    url, prompt, *_ = [*sys.argv[1:], *("http://localhost:8000/v1", "You may")[len(sys.argv) - 1 :]]
    print(prompt, end="")
    for word in words(url, prompt):
        print(word, end="", flush=True)
    print()
    text, usage = answer(url, prompt)
    print(f"{prompt}{text} ({usage.total_tokens} tokens)")
