"""The embedded sample: a small data set written for this project, to try everything on."""

from pathlib import Path

PATH = Path(__file__).with_name("outputs.jsonl")
"""The sample as a flat file: 150 texts standing for people and 900 outputs of six small systems."""


def copy_to(folder: Path) -> Path:
    """Put a copy into `folder`, which is made if need be, and return the path of the copy."""
    from shutil import copyfile

    from assay.io.atomic import replacing
    from assay.io.results import make_folder

    make_folder(folder)
    copy = folder / PATH.name
    with replacing(copy) as temporary:
        copyfile(PATH, temporary)
    return copy
