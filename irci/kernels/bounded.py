"""Weighted means of scores under random weights, whose quantiles are bounded limits: the probability that one lies below.

n scores and one more at an end of the scale get weights from Dirichlet(1, ..., 1), which are exponential variables E divided
by their sum. So the mean lies below c if and only if S = sum h E (x - c) < 0, h scores being x. With l = x - c and x0 = -s
anywhere between the poles 0 and 1/min l of S's transform,

    P(S < 0) = 1/pi int_0^inf Re 1 / (prod_l (1 - l (s + iy))^h (-s - iy)) dy,

the inversion of J. P. Imhof (Biometrika 48, 1961) along another path. On his, through s = 0, the integrand oscillates for as
long as it takes to decay; through the saddle point it begins with its largest value and decays before it oscillates (S. O.
Rice, "Distribution of quadratic forms in normal random variables", SIAM J. Sci. Stat. Comput. 1, 1980). y = d sinh t, d the
distance of the nearest pole, takes a strip of width pi to the plane without its poles and what lies beyond them. In a strip
the trapezoidal rule gains digits in proportion to its nodes, whatever the scores.
"""

import math

import numpy as np

from irci.kernels.shapes import expect
from irci.native.compiled import njit

NEGLIGIBLE = 1e-17  # of the integrand, which is 1 where it begins
AGREE = 1e-8  # two rules whose relative difference is this: the finer one's error is about its square
LEAST_STEP = 1e-4  # is never needed, but ends what would not agree
AT_SADDLE = 0.1  # Newton's decrement, in standard deviations of the integrand's bell
TOLERANCE = 1e-14  # of a quantile, in lengths of the scale
ULPS = 5e-16  # of the ends: what lies closer to each other has no number between
NO_POLE = 1e-200  # a smaller ratio of distances from c is a probability of nothing
NOTHING = -100.0  # the log of a probability that is counted as 0


@njit
def _saddle(terms, counts):
    """s in (0, 1) where -log s - sum h log(1 + l s) is smallest, nearly; terms float64[m]: l, from -1 on, with h = counts[m].

    The function is self-concordant, so a Newton step damped by 1 + its decrement never leaves (0, 1).
    """
    s = 0.5
    while True:
        slope, bend = 1 / s, 1 / (s * s)
        for j in range(len(terms)):
            ratio = terms[j] / (1 + terms[j] * s)
            slope += counts[j] * ratio
            bend += counts[j] * ratio * ratio
        decrement = abs(slope) / math.sqrt(bend)
        if decrement < AT_SADDLE:
            return s
        s += slope / bend / (1 + decrement)


@njit
def _sum_of_nodes(rates, counts, distance, first, step):
    """The sum over t = first, first + step, ... of cosh t Re 1/p(distance sinh t) until that is negligible, p(y) the product
    of (1 - i r y)^h over rates float64[m], r, with h = counts[m]."""
    total, t = 0.0, first
    while True:
        real, imaginary, log_size, angle, y = 1.0, 0.0, 0.0, 0.0, distance * math.sinh(t)
        for j in range(len(rates)):
            ry = rates[j] * y
            if counts[j] == 1:
                real, imaginary = real + imaginary * ry, imaginary - real * ry
            else:
                log_size += counts[j] * 0.5 * math.log1p(ry * ry)
                angle += counts[j] * math.atan(ry)
            if real * real + imaginary * imaginary > NEGLIGIBLE**-4 or log_size > 80:
                return total
        square, size = real * real + imaginary * imaginary, math.exp(-log_size)
        turned = real * math.cos(angle) + imaginary * math.sin(angle) if log_size > 0 else real
        total += turned / square * size * math.cosh(t)
        if not size / math.sqrt(square) * math.cosh(t) >= NEGLIGIBLE:
            return total
        t += step


@njit
def _integral(rates, counts, distance):
    """int_0^inf of cosh t Re 1/p(distance sinh t) dt by trapezoidal rules, each with a node between two of the last."""
    precision = 0.0
    for j in range(len(rates)):
        precision += counts[j] * rates[j] * rates[j]
    step = min(0.5, 1.1 / (distance * math.sqrt(precision)))
    coarse = step * (_sum_of_nodes(rates, counts, distance, step, step) + 0.5)
    while True:
        fine = 0.5 * coarse + 0.5 * step * _sum_of_nodes(rates, counts, distance, 0.5 * step, step)
        if abs(fine - coarse) <= AGREE * abs(fine) or step < LEAST_STEP:
            return fine
        coarse, step = fine, 0.5 * step


@njit
def _below(values, counts, end, c):
    """P(W_0 end + sum W x < c) for a c between the ends of the scale, at one of which `end` is.

    values float64[m]: the scores x, each once, ascending; counts float64[m + 2]: how many of each there are, then 1, 1.
    """
    m = len(values)
    lowest, highest = min(values[0], end) - c, max(values[m - 1], end) - c
    if lowest >= 0 or highest <= 0:
        return 1.0 if lowest < 0 else 0.0
    rates = np.empty(m + 2)
    rates[:m], rates[m] = values - c, end - c
    is_above = (rates[: m + 1] * counts[: m + 1]).sum() > 0
    near, far = (-lowest, highest) if is_above else (highest, -lowest)
    if near <= NO_POLE * far:
        return 0.0 if is_above else 1.0
    terms = rates[: m + 1]
    terms /= near if is_above else -near
    s = _saddle(terms, counts)
    log_height = 0.0
    for j in range(m + 1):
        log_height -= counts[j] * math.log1p(terms[j] * s)
        terms[j] /= 1 + terms[j] * s
    if log_height < NOTHING:
        return 0.0 if is_above else 1.0
    rates[m + 1] = 1 / s
    distance = min(s, 1 - s)
    tail = math.exp(log_height) * distance / s / math.pi * _integral(rates, counts, distance)
    return tail if is_above else 1 - tail


@njit
def _share_below(values, counts, low, high, c):
    """The probability below c with the extra score at either end by halves."""
    return 0.5 * _below(values, counts, low, c) + 0.5 * _below(values, counts, high, c)


@njit
def _quantile(values, counts, low, high, q):
    """c where _share_below is q, by T. R. Chandrupatla's bisection and inverse interpolation (Adv. Eng. Softw. 28, 1997).

    An atom at an end, where all scores are that end, may hold the quantile.
    """
    left, right = 0.5 * (values[-1] == low), 1 - 0.5 * (values[0] == high)
    if left >= q:
        return low
    if right <= q:
        return high
    a, b, f_a, f_b = high, low, right - q, left - q
    c, f_c, t = a, f_a, 0.5
    closest = max(TOLERANCE * (high - low), ULPS * max(abs(low), abs(high)))
    while True:
        point = a + t * (b - a)
        f = _share_below(values, counts, low, high, point) - q
        if (f > 0) == (f_a > 0):
            c, f_c = a, f_a
        else:
            c, b, f_c, f_b = b, a, f_b, f_a
        a, f_a = point, f
        best = a if abs(f_a) < abs(f_b) else b
        least = closest / abs(b - a)
        if least > 0.5 or f_a == 0:
            return best
        xi, phi = (a - b) / (c - b), (f_a - f_b) / (f_c - f_b)
        t = 0.5
        if phi * phi < xi and (1 - phi) * (1 - phi) < 1 - xi:
            t = f_a / (f_b - f_a) * f_c / (f_b - f_c) + (c - a) / (b - a) * f_a / (f_c - f_a) * f_b / (f_c - f_b)
        t = min(1 - least, max(least, t))


@njit
def _counted(row):
    """An ascending row's scores, each once, float64[m]; how many of each and two more ones, float64[m + 2]."""
    values, counts = np.empty(len(row)), np.zeros(len(row) + 2)
    m = 0
    for i in range(len(row)):
        if i > 0 and row[i] > row[i - 1]:
            m += 1
        values[m] = row[i]
        counts[m] += 1
    counts[m + 1 : m + 3] = 1.0
    return values[: m + 1], counts[: m + 3]


@njit
def fill_limits(rows, low, high, tail, lower, upper):
    """Fill lower and upper, float64[R], with the quantiles of F that leave out this tail, for rows float64[R, n], 0 < n, each
    ascending, of scores from low to high.

    F has the extra score at either end by halves. The upper limit is sought as the lower one of the scores'
    negatives: their tail keeps its digits, which 1 - tail loses.
    """
    expect(len(lower) == len(upper) == len(rows) and rows.shape[1] > 0)
    for r in range(len(rows)):
        values, counts = _counted(rows[r])
        lower[r] = _quantile(values, counts, low, high, tail)
        negatives, their_counts = _counted(-rows[r, ::-1])
        upper[r] = -_quantile(negatives, their_counts, -high, -low, tail)


@njit
def fill_shares_below(rows, low, high, c, shares):
    """Fill shares float64[R] with F(c), the extra score at either end by halves.

    rows float64[R, n], 0 < n, each ascending, of scores from low to high; low < c < high.
    """
    expect(len(shares) == len(rows) and rows.shape[1] > 0)
    for r in range(len(rows)):
        values, counts = _counted(rows[r])
        shares[r] = _share_below(values, counts, low, high, c)
