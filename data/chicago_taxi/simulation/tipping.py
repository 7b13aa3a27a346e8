"""Payment types and tips.

Almost only tips by card are recorded. A card payer gives nothing, whole dollars, one of the
terminal's buttons (a share of fare and extras), or a share of their own.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from simulation.areas import is_kind
from simulation.fleet import BUTTONS, CARD
from simulation.rides import Ride
from simulation.routes import Route
from simulation.sampling import Bools, Floats, Ints, cumulative, decide, logistic, pick, spread
from simulation.times import Start

PAYMENT_TYPES = ("Credit Card", "Cash", "No Charge", "Unknown", "Dispute", "Prcard", "Pcard")
CREDIT_CARD, CASH, UNKNOWN = 0, 1, 3
OTHER_SHARES = cumulative((984.0, 9.0, 4.5, 1.2, 0.8, 0.5))
# Drivers hardly ever record a cash tip.
SHARE_OF_CASH_TIPS_RECORDED = 0.004
SHARE_OF_UNKNOWN_TIPS_RECORDED = 0.2

BUTTON_PERCENT = np.array([20, 25, 30])
BUTTON_SHARES = cumulative((62.0, 28.0, 10.0))
NOTHING, DOLLARS, BUTTON, OWN_SHARE = range(4)


@dataclass(frozen=True)
class Payment:
    """How each trip was paid and the tip on record, in cents."""

    kind: Ints
    tips: Ints


def _draw_kinds(rng: np.random.Generator, start: Start, route: Route, ride: Ride) -> Ints:
    """Draw payment types: cards become more common by the year, and on long and business trips."""
    score = (
        -0.95
        + 0.30 * (start.year - 2014)
        + 0.45 * np.log(ride.fare / 800.0)
        + 0.55 * route.airport
        + 0.25 * (start.office_hours & is_kind(route.pickup, "centre"))
        - 0.45 * is_kind(route.pickup, "residential")
        - 0.20 * (start.weekend & start.late)
        + CARD[ride.company]
    )
    other = 1 + pick(OTHER_SHARES, rng.random(score.shape[0]))
    return np.where(decide(rng, logistic(score)), CREDIT_CARD, other)


def _generosity(rng: np.random.Generator, start: Start, route: Route) -> Floats:
    """The share of the fare that each rider wants to tip, relative to the average."""
    mood = (
        0.10 * ((start.hour >= 18) & ~start.late)
        - 0.12 * (start.weekend & start.late)
        + 0.14 * route.from_airport
        + 0.08 * route.to_airport
        + 0.08 * (start.month == 12)
        - 0.18 * (is_kind(route.pickup, "residential") | is_kind(route.dropoff, "residential"))
    )
    return np.asarray(np.exp(mood) * spread(rng, mood.shape[0], 0.16))


def _draw_habits(rng: np.random.Generator, start: Start, ride: Ride, generosity: Floats) -> Ints:
    """Draw tipping habits: buttons become more common by the year, and on expensive trips."""
    size = generosity.shape[0]
    buttons = -0.2 + 0.25 * (start.year - 2014) + BUTTONS[ride.company]
    buttons = buttons + 0.6 * np.log(ride.fare / 1000.0)
    habit = np.where(decide(rng, logistic(buttons)), BUTTON, DOLLARS)
    habit = np.where(rng.random(size) < 0.12, OWN_SHARE, habit)
    stingy = -2.3 - 5.0 * np.log(generosity) + 0.3 * start.late
    return np.where(decide(rng, logistic(stingy)), NOTHING, habit)


def _draw_extras(rng: np.random.Generator, route: Route) -> Ints:
    """Cents the meter adds to the fare: a second rider, the airport's tax."""
    second_rider = 100 * (rng.random(route.pickup.shape[0]) < 0.3)
    return np.asarray(second_rider + 400 * route.from_airport, dtype=np.int64)


def _card_tips(rng: np.random.Generator, start: Start, route: Route, ride: Ride) -> Ints:
    """What each rider would tip by card, in cents."""
    generosity = _generosity(rng, start, route)
    habit = _draw_habits(rng, start, ride, generosity)
    total = ride.fare + _draw_extras(rng, route)
    percent = BUTTON_PERCENT[pick(BUTTON_SHARES, rng.random(total.shape[0]))]
    wanted = 0.205 * generosity * total
    dollars = 100 * np.maximum(1, np.rint(wanted / 100.0)).astype(np.int64)
    nickels = 5 * np.rint(0.85 * wanted / 5.0).astype(np.int64)
    return np.choose(habit, (np.zeros_like(total), dollars, total * percent // 100, nickels))


def _recorded(rng: np.random.Generator, kind: Ints) -> Bools:
    """Draw whether each tip is recorded."""
    probability = np.zeros(len(PAYMENT_TYPES))
    probability[CREDIT_CARD] = 1.0
    probability[CASH] = SHARE_OF_CASH_TIPS_RECORDED
    probability[UNKNOWN] = SHARE_OF_UNKNOWN_TIPS_RECORDED
    return decide(rng, probability[kind])


def draw_payments(rng: np.random.Generator, start: Start, route: Route, ride: Ride) -> Payment:
    """Draw payment type and tip of each trip."""
    kind = _draw_kinds(rng, start, route, ride)
    tips = np.where(_recorded(rng, kind), _card_tips(rng, start, route, ride), 0)
    # A tip of exactly a fifth of the fare loses a cent: its label would depend on float rounding.
    return Payment(kind, tips - (5 * tips == ride.fare))
