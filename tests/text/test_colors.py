"""Colors as texts."""

import numpy as np
import pytest

from assay.text.colors import rgb_of_text


@pytest.mark.parametrize(
    ("text", "rgb"),
    [
        ("hsl(0, 100%, 50%)", (1, 0, 0)),
        (" HSL( 120 , 100 , 25% ) ", (0, 0.5, 0)),
        ("hsv(240, 100%, 100%)", (0, 0, 1)),
        ("hsv(240°, 100%, 100%)", (0, 0, 1)),
        ("rgb(255, 0, 51)", (1, 0, 0.2)),
        ("#FF0033", (1, 0, 0.2)),
        ("lab(100, 0, 0)", (1, 1, 1)),
    ],
)
def test_a_color(text: str, rgb: tuple[float, ...]) -> None:
    assert rgb_of_text(text) == pytest.approx(np.array(rgb), abs=1e-6)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("blue", "'blue' is not a color. Write it as"),
        ("hsl(400, 99%, 50%)", "its hue, 400, is not from 0 to 360"),
        ("hsl(40, 101%, 50%)", "its saturation, 101, is not from 0 to 100"),
        ("hsl(40, nan%, 50%)", "its saturation is 'nan%'"),
        ("rgb(256, 0, 0)", "its red, 256, is not from 0 to 255"),
        ("rgb(1, 2)", "is not a color"),
        ("lab(50, 120, 120)", "outside sRGB"),
        ("#ff00", "is not a color"),
    ],
)
def test_what_is_none(text: str, message: str) -> None:
    with pytest.raises(ValueError, match="color") as caught:
        rgb_of_text(text)
    assert message in str(caught.value)
