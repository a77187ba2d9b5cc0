"""Color spaces: arrays of shape (..., 3). RGB is sRGB from 0 to 1; a hue is in degrees, other parts are from 0 to 1."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

# sRGB primaries with the white point D65 (IEC 61966-2-1).
TO_XYZ = np.array(
    [[0.4124564, 0.3575761, 0.1804375], [0.2126729, 0.7151522, 0.0721750], [0.0193339, 0.1191920, 0.9503041]]
)
WHITE = TO_XYZ.sum(axis=1)
# Below this share of white, CIE L*a*b* is linear.
LINEAR = (6 / 29) ** 3


def rgb_of_hsl(hsl: Floats) -> Floats:
    """HSL to RGB."""
    hue, saturation, lightness = np.moveaxis(np.asarray(hsl, np.float64), -1, 0)
    reach = saturation * np.minimum(lightness, 1 - lightness)
    parts = [(n + hue / 30) % 12 for n in (0, 8, 4)]
    return np.stack([lightness - reach * np.clip(np.minimum(part - 3, 9 - part), -1, 1) for part in parts], axis=-1)


def rgb_of_hsv(hsv: Floats) -> Floats:
    """HSV to RGB."""
    hue, saturation, value = np.moveaxis(np.asarray(hsv, np.float64), -1, 0)
    parts = [(n + hue / 60) % 6 for n in (5, 3, 1)]
    return np.stack([value - value * saturation * np.clip(np.minimum(part, 4 - part), 0, 1) for part in parts], axis=-1)


def hsv_of_rgb(rgb: Floats) -> Floats:
    """RGB to HSV; the hue of a gray is 0."""
    rgb = np.asarray(rgb, np.float64)
    value = rgb.max(axis=-1)
    chroma = value - rgb.min(axis=-1)
    divisor = np.where(chroma > 0, chroma, 1.0)
    red, green, blue = np.moveaxis(rgb, -1, 0)
    sextant = np.where(
        value == red,
        ((green - blue) / divisor) % 6,
        np.where(value == green, (blue - red) / divisor + 2, (red - green) / divisor + 4),
    )
    hue = np.where(chroma > 0, 60 * sextant, 0.0)
    return np.stack([hue, np.where(value > 0, chroma / np.where(value > 0, value, 1.0), 0.0), value], axis=-1)


def lab_of_rgb(rgb: Floats) -> Floats:
    """RGB to CIE L*a*b* of 1976: L* from 0 to 100, white point D65."""
    rgb = np.asarray(rgb, np.float64)
    linear = np.where(rgb <= 0.04045, rgb / 12.92, ((np.maximum(rgb, 0.04045) + 0.055) / 1.055) ** 2.4)
    shares = (linear @ TO_XYZ.T) / WHITE
    x, y, z = np.moveaxis(np.where(shares > LINEAR, np.cbrt(shares), shares / (3 * (6 / 29) ** 2) + 4 / 29), -1, 0)
    return np.stack([116 * y - 16, 500 * (x - y), 200 * (y - z)], axis=-1)


def rgb_of_lab(lab: Floats) -> Floats:
    """CIE L*a*b* to RGB; a color that sRGB lacks has parts outside 0 to 1."""
    lightness, a, b = np.moveaxis(np.asarray(lab, np.float64), -1, 0)
    y = (lightness + 16) / 116
    roots = np.stack([y + a / 500, y, y - b / 200], axis=-1)
    shares = np.where(roots > 6 / 29, roots**3, 3 * (6 / 29) ** 2 * (roots - 4 / 29))
    linear = (shares * WHITE) @ np.linalg.inv(TO_XYZ).T
    return np.where(linear <= 0.0031308, 12.92 * linear, 1.055 * np.maximum(linear, 0.0031308) ** (1 / 2.4) - 0.055)


def ciede2000(left: Floats, right: Floats) -> Floats:
    """The color difference CIEDE2000 of pairs of L*a*b* colors (Sharma, Wu and Dalal 2005, equations 2 to 22)."""
    (l1, a1, b1), (l2, a2, b2) = (np.moveaxis(np.asarray(lab, np.float64), -1, 0) for lab in (left, right))
    boost = 1.5 - 0.5 * _near_gray((np.hypot(a1, b1) + np.hypot(a2, b2)) / 2)
    a1, a2 = boost * a1, boost * a2
    c1, c2 = np.hypot(a1, b1), np.hypot(a2, b2)
    h1, h2 = (np.degrees(np.arctan2(b, a)) % 360 for a, b in ((a1, b1), (a2, b2)))
    gray = c1 * c2 == 0
    turn = h2 - h1
    turn = np.where(gray, 0.0, turn - 360 * (turn > 180) + 360 * (turn < -180))
    lightness, chroma, hue = l2 - l1, c2 - c1, 2 * np.sqrt(c1 * c2) * np.sin(np.radians(turn / 2))

    mean_l, mean_c, sum_h = (l1 + l2) / 2, (c1 + c2) / 2, h1 + h2
    wrapped = np.where(np.abs(h1 - h2) <= 180, sum_h / 2, np.where(sum_h < 360, sum_h / 2 + 180, sum_h / 2 - 180))
    mean_h = np.where(gray, sum_h, wrapped)
    weight = (
        1
        - 0.17 * np.cos(np.radians(mean_h - 30))
        + 0.24 * np.cos(np.radians(2 * mean_h))
        + 0.32 * np.cos(np.radians(3 * mean_h + 6))
        - 0.20 * np.cos(np.radians(4 * mean_h - 63))
    )
    lightness = lightness / (1 + 0.015 * (mean_l - 50) ** 2 / np.sqrt(20 + (mean_l - 50) ** 2))
    chroma, hue = chroma / (1 + 0.045 * mean_c), hue / (1 + 0.015 * mean_c * weight)
    blue = 60 * np.exp(-(((mean_h - 275) / 25) ** 2))
    rotation = -2 * _near_gray(mean_c) * np.sin(np.radians(blue))
    return np.sqrt(np.maximum(lightness**2 + chroma**2 + hue**2 + rotation * chroma * hue, 0.0))


def fourier_features(points: Floats, resolution: int = 3) -> Floats:
    """The real, then the imaginary parts of exp(-2 pi i (jx + ky + lz)) for j, k and l below `resolution`.

    Monroe et al. (2017) represent colors so: 54 numbers for resolution 3.
    """
    steps = np.arange(resolution)
    frequencies = np.stack(np.meshgrid(steps, steps, steps, indexing="ij"), axis=-1).reshape(-1, 3)
    angles = -2 * np.pi * (np.asarray(points, np.float64) @ frequencies.T)
    return np.concatenate([np.cos(angles), np.sin(angles)], axis=-1)


def _near_gray(chroma: Floats) -> Floats:
    """A factor of CIEDE2000 that is 0 for grays and 1 for vivid colors."""
    return np.sqrt(chroma**7 / (chroma**7 + 25.0**7))
