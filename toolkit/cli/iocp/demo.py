"""`evkit iocp demo`."""

from toolkit.cli.apps import examples, new_app
from toolkit.cli.options import Json
from toolkit.cli.output import Output

app = new_app()


@app.command(epilog=examples("evkit iocp demo"))
def demo(json: Json = False) -> None:
    """Tell the story of a completion port, step by step: each step is real calls with their real results."""
    from toolkit.demos.iocp import story

    output = Output(json)
    for step in story():
        calls = "".join(f"\n     {call}" for call in step.calls)
        output.result(step, f"{step.number:2}. {step.title}{calls}\n     -> {step.note}")
