"""The taxi companies: a dozen large affiliations, and a long tail of small owners.

All names are invented. The company influences other columns: some meters do not record miles, and
terminals differ in card payments and tip buttons.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from simulation.sampling import Floats, Ints, cumulative, pick


class Company(NamedTuple):
    """A company: its trips per ten thousand, the share of trips with recorded miles, and its effect
    on card payments and on tips by button (log-odds).
    """

    name: str
    trips: float
    records_miles: float
    card: float
    buttons: float


# The first entry is the nameless one: the public data leaves a third of the companies out.
AFFILIATIONS = (
    Company("", 3150, 0.97, 0.0, 0.1),
    Company("Lakefront Taxi Affiliation", 2900, 0.62, -0.1, 0.3),
    Company("Prairie Dispatch Services", 1100, 0.76, 0.1, -0.6),
    Company("Red Line Cab Association", 760, 0.30, -0.2, -0.4),
    Company("City Choice Taxi Association", 600, 0.74, 0.3, 0.7),
    Company("North Branch Management LLC", 380, 0.72, 0.1, 0.2),
    Company("Magnificent Mile Taxi", 210, 0.98, 0.4, 0.9),
    Company("Top Flag Affiliation", 150, 0.93, 0.2, -0.9),
    Company("Elite Loop Cab Corp.", 90, 0.20, -0.8, -0.3),
    Company("Medallion Leasing of Chicago", 80, 0.90, 0.1, 0.4),
    Company("Windy City Medallion Management", 60, 0.90, 0.2, -0.2),
    Company("Blue Star Carriage", 50, 0.95, 0.3, 0.6),
)

# fmt: off
STREETS = (
    "Addison", "Archer", "Ashland", "Austin", "Belmont", "Broadway", "Cermak", "Cicero", "Clark",
    "Cottage", "Damen", "Dearborn", "Devon", "Diversey", "Division", "Foster", "Fullerton",
    "Garfield", "Grand", "Halsted", "Harlem", "Irving", "Jackson", "Kedzie", "Kimball", "Kinzie",
    "Lawrence", "Lincoln", "Madison", "Milwaukee", "Montrose", "Ogden", "Pershing", "Pulaski",
    "Racine", "Ravenswood", "Roosevelt", "Sheridan", "Southport", "Stony", "Throop", "Wabash",
    "Wacker", "Western", "Wilson",
)
# fmt: on
TAIL_SIZE = 2 * len(STREETS)
TAIL_TRIPS = 470.0


def _owner(rank: int) -> Company:
    """The company at a rank of the tail. Trips fall with the rank as in Zipf's law."""
    street = STREETS[rank % len(STREETS)]
    kind = "Cab Co" if rank < len(STREETS) else "Taxi Inc."
    trips = TAIL_TRIPS / (rank + 5.0) ** 0.8
    return Company(f"{1013 + 67 * rank} - {street} {kind}", trips, 0.9, -0.3, -0.5 + rank % 3 / 2)


def _all_companies() -> tuple[Company, ...]:
    tail = [_owner(rank) for rank in range(TAIL_SIZE)]
    scale = TAIL_TRIPS / sum(company.trips for company in tail)
    return AFFILIATIONS + tuple(company._replace(trips=company.trips * scale) for company in tail)


COMPANIES = _all_companies()
SHARES = cumulative([company.trips for company in COMPANIES])
RECORDS_MILES: Floats = np.array([company.records_miles for company in COMPANIES])
CARD: Floats = np.array([company.card for company in COMPANIES])
BUTTONS: Floats = np.array([company.buttons for company in COMPANIES])


def draw_companies(rng: np.random.Generator, size: int) -> Ints:
    """Draw the company of each trip."""
    return pick(SHARES, rng.random(size))
