"""`evkit eventfd demo`."""

from toolkit.cli.apps import examples, new_app
from toolkit.cli.options import Json

app = new_app()


@app.command(epilog=examples("evkit eventfd demo", "evkit eventfd demo --json"))
def demo(json: Json = False) -> None:
    """Tell the story of an eventfd, step by step: each step is real calls with their real results."""
    from toolkit.cli.story import print_story
    from toolkit.demos.eventfd import story

    print_story(story(), json)
