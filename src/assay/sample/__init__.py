"""The embedded sample: a small dataset written for this project, to try everything on."""

from pathlib import Path

PATH = Path(__file__).with_name("outputs.jsonl")
"""The sample as a flat file: 150 texts that play the human ones, and 900 outputs of six small systems."""


def copy_to(folder: Path) -> Path:
    """Copy the sample into `folder`, creating it if necessary, and return the path of the copy."""
    from shutil import copyfile

    from assay.io.atomic import replacing
    from assay.io.results import make_folder

    make_folder(folder)
    copy = folder / PATH.name
    with replacing(copy) as temporary:
        copyfile(PATH, temporary)
    return copy
