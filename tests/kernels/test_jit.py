"""Kernels are compiled wherever assay is installed, also where no machine code can be kept."""

from assay.kernels.jit import jit


def test_a_function_is_compiled_without_a_place_for_machine_code() -> None:
    """As for a user of a container who may write neither to the package nor to a home."""
    without_file: dict[str, object] = {}
    exec("def twice(x):\n    return 2 * x\n", without_file)
    assert jit(without_file["twice"])(3) == 6  # type: ignore[type-var]
