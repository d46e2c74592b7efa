"""`evkit iocp demo`."""

from toolkit.cli.apps import examples, new_app
from toolkit.cli.options import Json

app = new_app()


@app.command(epilog=examples("evkit iocp demo", "evkit iocp demo --json"))
def demo(json: Json = False) -> None:
    """Tell the story of a completion port, step by step: each step is real calls with their real results."""
    from toolkit.cli.story import print_story
    from toolkit.demos.iocp import story

    print_story(story(), json)
