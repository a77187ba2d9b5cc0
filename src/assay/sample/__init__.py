"""The embedded sample: a small data set written for this project, to try everything on."""

from pathlib import Path

from assay.errors import DataError

PATH = Path(__file__).with_name("outputs.jsonl")
"""The sample as a flat file: 150 texts standing for people and 900 outputs of six small systems."""


def copy_to(folder: Path) -> Path:
    """Put a copy into `folder`, which is made if need be, and return the path of the copy."""
    from shutil import copyfile

    from assay.io.atomic import replacing

    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise DataError(f"cannot make the folder {folder}: {error.strerror}. Name another.") from None
    copy = folder / PATH.name
    with replacing(copy) as temporary:
        copyfile(PATH, temporary)
    return copy
