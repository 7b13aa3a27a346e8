"""Chicago's 77 community areas and the census tracts in them.

The positions of the areas are real, rounded. The weights are trips per ten thousand, fitted to the
public data set. The tracts are invented: those of an area lie on a spiral around its centre.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from simulation.sampling import Bools, Floats, Ints

KM_PER_DEGREE_LATITUDE = 111.2
KM_PER_DEGREE_LONGITUDE = 82.8
COOK_COUNTY = 17031 * 1_000_000
GOLDEN_ANGLE = 2.399963229728653

RADIUS_KM = {"centre": 0.6, "nightlife": 0.9, "residential": 0.9, "airport": 0.4, "suburb": 12.0}


class Area(NamedTuple):
    """A community area; number 0 stands for everything outside the city."""

    number: int
    kind: str
    latitude: float
    longitude: float
    tracts: int
    pickups: int
    dropoffs: int


# fmt: off
AREAS = (
    Area(0, "suburb", 41.9500, -87.8600, 60, 90, 330),
    Area(1, "residential", 42.0096, -87.6702, 7, 48, 70),
    Area(2, "residential", 42.0016, -87.6950, 4, 39, 48),
    Area(3, "residential", 41.9658, -87.6559, 12, 180, 202),
    Area(4, "residential", 41.9752, -87.6875, 7, 39, 78),
    Area(5, "residential", 41.9478, -87.6838, 9, 75, 106),
    Area(6, "nightlife", 41.9442, -87.6560, 34, 788, 739),
    Area(7, "nightlife", 41.9227, -87.6495, 20, 596, 692),
    Area(8, "centre", 41.8950, -87.6291, 20, 3273, 2872),
    Area(9, "residential", 42.0076, -87.8138, 4, 2, 4),
    Area(10, "residential", 41.9850, -87.8045, 4, 9, 13),
    Area(11, "residential", 41.9788, -87.7712, 4, 9, 12),
    Area(12, "residential", 41.9939, -87.7584, 4, 6, 9),
    Area(13, "residential", 41.9836, -87.7236, 4, 6, 12),
    Area(14, "residential", 41.9681, -87.7216, 4, 34, 38),
    Area(15, "residential", 41.9540, -87.7634, 4, 6, 13),
    Area(16, "residential", 41.9536, -87.7235, 5, 38, 61),
    Area(17, "residential", 41.9465, -87.8060, 4, 3, 6),
    Area(18, "residential", 41.9293, -87.7980, 4, 2, 2),
    Area(19, "residential", 41.9273, -87.7655, 4, 6, 12),
    Area(20, "residential", 41.9243, -87.7347, 4, 2, 6),
    Area(21, "residential", 41.9387, -87.7112, 8, 35, 48),
    Area(22, "nightlife", 41.9228, -87.6992, 16, 118, 196),
    Area(23, "residential", 41.9001, -87.7209, 4, 6, 16),
    Area(24, "nightlife", 41.9012, -87.6764, 24, 400, 503),
    Area(25, "residential", 41.8906, -87.7560, 4, 7, 8),
    Area(26, "residential", 41.8786, -87.7302, 4, 2, 3),
    Area(27, "residential", 41.8789, -87.7059, 4, 3, 4),
    Area(28, "centre", 41.8793, -87.6428, 12, 857, 968),
    Area(29, "residential", 41.8602, -87.7172, 4, 4, 6),
    Area(30, "residential", 41.8391, -87.7140, 4, 4, 5),
    Area(31, "residential", 41.8503, -87.6676, 5, 12, 36),
    Area(32, "centre", 41.8810, -87.6252, 5, 2203, 1825),
    Area(33, "centre", 41.8593, -87.6174, 4, 207, 275),
    Area(34, "residential", 41.8421, -87.6340, 4, 14, 33),
    Area(35, "residential", 41.8351, -87.6187, 4, 15, 24),
    Area(36, "residential", 41.8237, -87.6024, 4, 2, 4),
    Area(37, "residential", 41.8091, -87.6324, 4, 1, 3),
    Area(38, "residential", 41.8129, -87.6179, 4, 2, 6),
    Area(39, "residential", 41.8089, -87.5962, 4, 16, 16),
    Area(40, "residential", 41.7924, -87.6179, 4, 2, 4),
    Area(41, "residential", 41.7941, -87.5923, 4, 48, 57),
    Area(42, "residential", 41.7789, -87.5949, 4, 6, 10),
    Area(43, "residential", 41.7616, -87.5728, 4, 6, 9),
    Area(44, "residential", 41.7402, -87.6160, 4, 2, 3),
    Area(45, "residential", 41.7442, -87.5863, 4, 2, 1),
    Area(46, "residential", 41.7412, -87.5514, 4, 1, 5),
    Area(47, "residential", 41.7300, -87.5965, 4, 1, 1),
    Area(48, "residential", 41.7297, -87.5727, 4, 1, 2),
    Area(49, "residential", 41.7066, -87.6234, 4, 2, 1),
    Area(50, "residential", 41.7061, -87.5983, 4, 1, 2),
    Area(51, "residential", 41.6906, -87.5701, 4, 1, 2),
    Area(52, "residential", 41.7078, -87.5347, 4, 1, 1),
    Area(53, "residential", 41.6750, -87.6390, 4, 1, 1),
    Area(54, "residential", 41.6610, -87.6020, 4, 1, 1),
    Area(55, "residential", 41.6637, -87.5409, 4, 1, 2),
    Area(56, "airport", 41.7860, -87.7509, 2, 171, 122),
    Area(57, "residential", 41.8109, -87.7264, 4, 2, 1),
    Area(58, "residential", 41.8174, -87.6989, 4, 2, 6),
    Area(59, "residential", 41.8335, -87.6814, 4, 8, 10),
    Area(60, "residential", 41.8362, -87.6488, 4, 6, 16),
    Area(61, "residential", 41.8090, -87.6592, 4, 2, 2),
    Area(62, "residential", 41.7935, -87.7230, 4, 1, 1),
    Area(63, "residential", 41.7954, -87.6964, 4, 2, 3),
    Area(64, "residential", 41.7796, -87.7685, 4, 2, 4),
    Area(65, "residential", 41.7698, -87.7269, 4, 2, 3),
    Area(66, "residential", 41.7718, -87.6957, 4, 2, 2),
    Area(67, "residential", 41.7759, -87.6666, 4, 1, 2),
    Area(68, "residential", 41.7772, -87.6425, 4, 2, 2),
    Area(69, "residential", 41.7632, -87.6161, 4, 3, 4),
    Area(70, "residential", 41.7458, -87.7084, 4, 1, 3),
    Area(71, "residential", 41.7442, -87.6563, 4, 2, 2),
    Area(72, "residential", 41.7131, -87.6751, 4, 1, 2),
    Area(73, "residential", 41.7175, -87.6489, 4, 2, 2),
    Area(74, "residential", 41.6949, -87.7132, 4, 2, 2),
    Area(75, "residential", 41.6897, -87.6691, 4, 1, 2),
    Area(76, "airport", 41.9791, -87.9030, 2, 598, 345),
    Area(77, "residential", 41.9867, -87.6634, 12, 121, 129),)
# fmt: on

KINDS = np.array([area.kind for area in AREAS])
PICKUPS: Floats = np.array([area.pickups for area in AREAS], dtype=np.float64)
DROPOFFS: Floats = np.array([area.dropoffs for area in AREAS], dtype=np.float64)
TRACTS: Ints = np.array([area.tracts for area in AREAS], dtype=np.int64)
LATITUDE: Floats = np.array([area.latitude for area in AREAS])
LONGITUDE: Floats = np.array([area.longitude for area in AREAS])


def is_kind(area: Ints, kind: str) -> Bools:
    """Whether each area is of a kind."""
    return np.asarray(np.equal(KINDS, kind)[area])


def tract_position(area: Ints, tract: Ints) -> tuple[Floats, Floats]:
    """Latitude and longitude of a tract's centre."""
    radius_km = np.array([RADIUS_KM[kind] for kind in KINDS])[area]
    distance = radius_km * np.sqrt((tract + 0.5) / TRACTS[area])
    angle = tract * GOLDEN_ANGLE
    latitude = LATITUDE[area] + distance * np.sin(angle) / KM_PER_DEGREE_LATITUDE
    longitude = LONGITUDE[area] + distance * np.cos(angle) / KM_PER_DEGREE_LONGITUDE
    return latitude, longitude


def tract_code(area: Ints, tract: Ints) -> Ints:
    """The census code: state and county, then the area, then the tract within the area."""
    return np.asarray(COOK_COUNTY + area * 10_000 + (tract + 1) * 100)


def distance_km(north: Floats, east: Floats) -> Floats:
    """Length of a step given in degrees; the city is small enough to count as flat."""
    return np.hypot(north * KM_PER_DEGREE_LATITUDE, east * KM_PER_DEGREE_LONGITUDE)
