"""Other people's packages, as pip would leave them in a folder."""

from pathlib import Path


def install_package(site: Path, module: str, code: str, group: str, entry: str) -> Path:
    """Install a package of one module that registers `entry` (`name = module:attribute`); return the module's file."""
    about = site / f"{module}-1.0.dist-info"
    about.mkdir(parents=True, exist_ok=True)
    (about / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {module}\nVersion: 1.0\n")
    (about / "entry_points.txt").write_text(f"[{group}]\n{entry}\n")
    (site / f"{module}.py").write_text(code)
    return site / f"{module}.py"
