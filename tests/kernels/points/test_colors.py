"""Color spaces against colorsys, and CIEDE2000 against the published test pairs."""

import colorsys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.kernels.points.colors import (
    ciede2000,
    fourier_features,
    hsv_of_rgb,
    lab_of_rgb,
    rgb_of_hsl,
    rgb_of_hsv,
    rgb_of_lab,
)

# Sharma, Wu and Dalal 2005, Table 1: two colors (L*, a*, b*) and their difference.
PAIRS = np.array(
    [
        [50.0000, 2.6772, -79.7751, 50.0000, 0.0000, -82.7485, 2.0425],
        [50.0000, 3.1571, -77.2803, 50.0000, 0.0000, -82.7485, 2.8615],
        [50.0000, 2.8361, -74.0200, 50.0000, 0.0000, -82.7485, 3.4412],
        [50.0000, -1.3802, -84.2814, 50.0000, 0.0000, -82.7485, 1.0000],
        [50.0000, -1.1848, -84.8006, 50.0000, 0.0000, -82.7485, 1.0000],
        [50.0000, -0.9009, -85.5211, 50.0000, 0.0000, -82.7485, 1.0000],
        [50.0000, 0.0000, 0.0000, 50.0000, -1.0000, 2.0000, 2.3669],
        [50.0000, -1.0000, 2.0000, 50.0000, 0.0000, 0.0000, 2.3669],
        [50.0000, 2.4900, -0.0010, 50.0000, -2.4900, 0.0009, 7.1792],
        [50.0000, 2.4900, -0.0010, 50.0000, -2.4900, 0.0010, 7.1792],
        [50.0000, 2.4900, -0.0010, 50.0000, -2.4900, 0.0011, 7.2195],
        [50.0000, 2.4900, -0.0010, 50.0000, -2.4900, 0.0012, 7.2195],
        [50.0000, -0.0010, 2.4900, 50.0000, 0.0009, -2.4900, 4.8045],
        [50.0000, -0.0010, 2.4900, 50.0000, 0.0010, -2.4900, 4.8045],
        [50.0000, -0.0010, 2.4900, 50.0000, 0.0011, -2.4900, 4.7461],
        [50.0000, 2.5000, 0.0000, 50.0000, 0.0000, -2.5000, 4.3065],
        [50.0000, 2.5000, 0.0000, 73.0000, 25.0000, -18.0000, 27.1492],
        [50.0000, 2.5000, 0.0000, 61.0000, -5.0000, 29.0000, 22.8977],
        [50.0000, 2.5000, 0.0000, 56.0000, -27.0000, -3.0000, 31.9030],
        [50.0000, 2.5000, 0.0000, 58.0000, 24.0000, 15.0000, 19.4535],
        [50.0000, 2.5000, 0.0000, 50.0000, 3.1736, 0.5854, 1.0000],
        [50.0000, 2.5000, 0.0000, 50.0000, 3.2972, 0.0000, 1.0000],
        [50.0000, 2.5000, 0.0000, 50.0000, 1.8634, 0.5757, 1.0000],
        [50.0000, 2.5000, 0.0000, 50.0000, 3.2592, 0.3350, 1.0000],
        [60.2574, -34.0099, 36.2677, 60.4626, -34.1751, 39.4387, 1.2644],
        [63.0109, -31.0961, -5.8663, 62.8187, -29.7946, -4.0864, 1.2630],
        [61.2901, 3.7196, -5.3901, 61.4292, 2.2480, -4.9620, 1.8731],
        [35.0831, -44.1164, 3.7933, 35.0232, -40.0716, 1.5901, 1.8645],
        [22.7233, 20.0904, -46.6940, 23.0331, 14.9730, -42.5619, 2.0373],
        [36.4612, 47.8580, 18.3852, 36.2715, 50.5065, 21.2231, 1.4146],
        [90.8027, -2.0831, 1.4410, 91.1528, -1.6435, 0.0447, 1.4441],
        [90.9257, -0.5406, -0.9208, 88.6381, -0.8985, -0.7239, 1.5381],
        [6.7747, -0.2908, -2.4247, 5.8714, -0.0985, -2.2286, 0.6377],
        [2.0776, 0.0795, -1.1350, 0.9033, -0.0636, -0.5514, 0.9082],
    ]
)
SHARE = st.floats(0, 1)


def test_the_published_pairs() -> None:
    assert ciede2000(PAIRS[:, :3], PAIRS[:, 3:6]) == pytest.approx(PAIRS[:, 6], abs=6e-5)
    # Pairs 10 and 14 lie on a discontinuity of the formula, where rounding decides.
    others = np.delete(np.arange(34), [9, 13])
    assert ciede2000(PAIRS[others, 3:6], PAIRS[others, :3]) == pytest.approx(PAIRS[others, 6], abs=6e-5)


@given(st.floats(0, 359.99), SHARE, SHARE)
def test_conversions_are_those_of_colorsys(hue: float, saturation: float, part: float) -> None:
    rgb = rgb_of_hsl(np.array([hue, saturation, part]))
    assert rgb == pytest.approx(colorsys.hls_to_rgb(hue / 360, part, saturation), abs=1e-9)
    assert rgb_of_hsv(np.array([hue, saturation, part])) == pytest.approx(
        colorsys.hsv_to_rgb(hue / 360, saturation, part), abs=1e-9
    )


@given(SHARE, SHARE, SHARE)
def test_there_and_back(red: float, green: float, blue: float) -> None:
    rgb = np.array([red, green, blue])
    expected = colorsys.rgb_to_hsv(red, green, blue)
    assert rgb_of_hsv(hsv_of_rgb(rgb)) == pytest.approx(rgb, abs=1e-9)
    assert hsv_of_rgb(rgb)[1:] == pytest.approx(expected[1:], abs=1e-9)
    assert rgb_of_lab(lab_of_rgb(rgb)) == pytest.approx(rgb, abs=1e-7)


def test_lab_of_known_colors() -> None:
    """CIE L*a*b* of white, black and the primaries of sRGB, as published for D65."""
    colors = np.array([[1, 1, 1], [0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], float)
    expected = [[100, 0, 0], [0, 0, 0], [53.24, 80.09, 67.20], [87.73, -86.18, 83.18], [32.30, 79.19, -107.86]]
    assert lab_of_rgb(colors) == pytest.approx(np.array(expected), abs=0.01)


def test_fourier_features_are_those_of_the_formula() -> None:
    point = np.array([0.3, 0.1, 0.45])
    features = fourier_features(point)
    assert features.shape == (54,)
    expected = [
        np.exp(-2j * np.pi * (j * 0.3 + k * 0.1 + m * 0.45)) for j in range(3) for k in range(3) for m in range(3)
    ]
    assert features == pytest.approx(np.concatenate([np.real(expected), np.imag(expected)]))
