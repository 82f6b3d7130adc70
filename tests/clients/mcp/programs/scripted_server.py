"""An MCP server without the SDK that answers by a script, well or badly.

    scripted_server.py SCRIPT

SCRIPT is a JSON file: `{"initialize": [step, …], "tools/call": {"TOOL": [step, …]}}`. The first
request of a kind takes the first step, the second the second; the last step is for all further
ones, in this process or a later one: requests are counted in SCRIPT.calls, a line of JSON each.
A step is an object with one of the keys of `STEPS`.
"""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

script = Path(sys.argv[1])
calls = script.with_name(script.name + ".calls")
plan = json.loads(script.read_text())


def send(message):
    print(json.dumps({"jsonrpc": "2.0", **message}), flush=True)


def write_whole(path, text):
    """A file that is there has all of its text."""
    part = Path(path + ".part")
    part.write_text(text)
    part.replace(path)


def result(request, value):
    send({"id": request["id"], "result": value})


def content(request, *texts, **more):
    blocks = [{"type": "text", "text": text} for text in texts]
    result(request, {"content": blocks, "isError": False, **more})


def value(request, step):
    """One text block with JSON."""
    content(request, json.dumps(step["value"]))


def elements(request, step):
    """A block for each element of a list."""
    content(request, *map(json.dumps, step["elements"]))


def structured(request, step):
    content(request, json.dumps(step["structured"]), structuredContent=step["structured"])


def text(request, step):
    content(request, step["text"])


def error(request, step):
    content(request, step["error"], isError=True)


def protocol_error(request, step):
    send({"id": request["id"], "error": {"code": step["protocol_error"], "message": "no"}})


def raw_result(request, step):
    result(request, step["raw_result"])


def leave(request, step):
    print(step["exit"], file=sys.stderr, flush=True)
    os._exit(3)


def hang(request, step):
    time.sleep(step["hang"])


def stubborn(request, step):
    """Do not end when asked to."""
    if step["stubborn"]:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)


def noise(request, step):
    """Lines that are no messages, around a good answer."""
    out = sys.stdout.buffer
    out.write(b'Starting up...\n\xff\xfe\x00 no text\n{"half": \n[]\nnull\n' + b"x" * 70000 + b"\n")
    out.flush()
    value(request, {"value": step["noise"]})
    out.write(b'{"jsonrpc": "2.0", "id": 4711, "result": {}}\n')
    out.flush()


def large(request, step):
    value(request, {"value": {"id": "large", "spec": {"text": "x" * step["large"]}}})


def surroundings(request, step):
    """What a server can see of the one who started it."""
    value(request, {"value": {"environ": dict(os.environ), "cwd": os.getcwd()}})


def descendant(request, step):
    """Start a process that holds on to the pipes, and leave."""
    child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])
    write_whole(step["descendant"], str(child.pid))
    os._exit(0)


def process(request, step):
    """Say who this is, in an answer or in a file."""
    if step["process"] is True:
        value(request, {"value": os.getpid()})
    else:
        write_whole(step["process"], str(os.getpid()))


def initialize(request, step):
    result(
        request,
        {
            "protocolVersion": request["params"]["protocolVersion"],
            "capabilities": {"tools": {}},
            "serverInfo": {"name": "scripted", "version": "1"},
        },
    )


STEPS = {
    function.__name__: function
    for function in (
        value,
        elements,
        structured,
        text,
        error,
        protocol_error,
        raw_result,
        hang,
        stubborn,
        noise,
        large,
        surroundings,
        descendant,
        process,
        initialize,
    )
} | {"exit": leave}


def next_step(steps, earlier):
    return steps[min(earlier, len(steps) - 1)]


def perform(request, key, steps, asked):
    earlier = sum(json.loads(line)[0] == key for line in _lines())
    with calls.open("a") as log:
        log.write(json.dumps([key, asked]) + "\n")
    step = next_step(steps, earlier)
    for word in step:
        STEPS[word](request, step)


def _lines():
    return calls.read_text().splitlines() if calls.exists() else []


def main():
    for line in sys.stdin:
        request = json.loads(line)
        method = request.get("method")
        if method == "initialize":
            perform(request, method, plan.get("initialize", [{"initialize": True}]), None)
        elif method == "ping":
            result(request, {})
        elif method == "tools/list":
            result(request, {"tools": []})
        elif method == "tools/call":
            tool, asked = request["params"]["name"], request["params"].get("arguments")
            perform(request, tool, plan["tools/call"][tool], asked)


main()
