"""The likelihood equations of Davidson's model of preferences with ties (Davidson 1970, section 3).

The log-likelihood is concave, so strengths that solve them are the maximum: no second iteration is needed.
"""

from math import exp, sqrt


def misfit(wins, ties, strengths, tie):
    """Largest difference between observed and expected points of a system, or observed and expected ties."""
    size = len(wins)
    power = [exp(value) for value in strengths]
    points, n_ties = [0.0] * size, 0.0
    for i in range(size):
        for j in range(i):
            middle = tie * sqrt(power[i] * power[j])
            compared = wins[i][j] + wins[j][i] + ties[i][j]
            scale = compared / (power[i] + power[j] + middle)
            points[i] += wins[i][j] + ties[i][j] / 2 - scale * (power[i] + middle / 2)
            points[j] += wins[j][i] + ties[i][j] / 2 - scale * (power[j] + middle / 2)
            n_ties += ties[i][j] - scale * middle
    return max(abs(value) for value in [*points, n_ties])
