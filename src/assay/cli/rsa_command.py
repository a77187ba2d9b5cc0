"""`assay rsa`: work out a lexicon game."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from assay.cli import options
from assay.cli.show import result_options, show


@click.command("rsa")
@click.argument("game", type=click.Path(path_type=Path), metavar="GAME")
@click.option("--rationality", type=float, metavar="NUMBER", help="Instead of the game's own; inf is perfect.")
@click.option(
    "--depth",
    type=options.count(1),
    metavar="LEVELS",
    help="Instead of the game's own: 1 for S1 and L1, 2 for S2 and L2.",
)
@click.option(
    "--utility",
    type=click.Choice(["log", "probability"]),
    help="What speakers value, instead of the game's own: log L(m | u), or L(m | u) itself.",
)
@result_options
def command(game: Path, form: str, as_json: bool, **chosen: Any) -> None:
    """Work out a game typed by hand: who says what, and who understands what (Rational Speech Acts).

    GAME is a TOML file with a table [lexicon], a line per utterance with the meanings it is true of, or degrees:
    some = ["some but not all", "all"], or blue = {square = 1, circle = 0.8}. Optional: [prior], a weight for every
    meaning; [cost], of utterances; title, meanings (their order), rationality, depth and utility.

    \b
    assay rsa scalar.toml
    assay rsa scalar.toml --rationality inf --depth 2
    """
    from assay.analyses.rsa import rsa
    from assay.io.games import load_game

    show(rsa(load_game(game), **chosen), form, as_json)
