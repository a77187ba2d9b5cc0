"""Davidson's model of preferences with ties, fitted by his own iteration (Davidson 1970, section 4)."""

from math import log, sqrt


def davidson(wins, ties, n_iterations=200_000, tolerance=1e-14):
    """Log-strengths with mean 0 and the tie parameter, from plain nested lists."""
    size = len(wins)
    others = [[j for j in range(size) if j != i] for i in range(size)]
    points = [sum(2 * wins[i][j] + ties[i][j] for j in others[i]) for i in range(size)]
    n_ties = sum(ties[i][j] for i in range(size) for j in range(i))
    compared = [[wins[i][j] + wins[j][i] + ties[i][j] for j in range(size)] for i in range(size)]
    strength, tie = [1.0 / size] * size, 1.0 if n_ties else 0.0
    for _ in range(n_iterations):
        before = [*strength, tie]
        for i in range(size):
            total = 0.0
            for j in others[i]:
                root = sqrt(strength[j] / strength[i])
                scale = strength[i] + strength[j] + tie * sqrt(strength[i] * strength[j])
                total += compared[i][j] * (2 + tie * root) / scale
            strength[i] = points[i] / total
        if n_ties:
            total = 0.0
            for i in range(size):
                for j in range(i):
                    root = sqrt(strength[i] * strength[j])
                    total += compared[i][j] * root / (strength[i] + strength[j] + tie * root)
            tie = n_ties / total
        strength = [value / sum(strength) for value in strength]
        if max(abs(a - b) for a, b in zip(before, [*strength, tie], strict=True)) < tolerance:
            break
    logs = [log(value) for value in strength]
    return [value - sum(logs) / size for value in logs], tie
