"""The alternative annotator test by definition: loops over people and instances, scipy's t-test."""

import numpy as np
from scipy.stats import ttest_1samp


def agreement(answer, others, score):
    if score == "accuracy":
        return np.mean([answer == other for other in others])
    return -np.sqrt(np.mean([(answer - other) ** 2 for other in others]))


def alt_test(judge, people, score, epsilon, q=0.05, least_people=2, least_instances=30):
    """Return winning rate and advantage. `people` maps a name to answers by instance, `judge` an instance to one."""
    answered_by = {}
    for name, answers in people.items():
        for instance in answers:
            answered_by.setdefault(instance, []).append(name)
    kept = {i for i, names in answered_by.items() if len(names) >= least_people and i in judge}
    p_values, advantages = [], []
    for name, answers in people.items():
        mine = [instance for instance in answers if instance in kept]
        if len(mine) < least_instances:
            continue
        wins, losses = [], []
        for instance in mine:
            others = [people[other][instance] for other in answered_by[instance] if other != name]
            of_judge, of_person = (agreement(one, others, score) for one in (judge[instance], answers[instance]))
            wins.append(of_judge >= of_person)
            losses.append(of_person >= of_judge)
        lead = np.array(losses, float) - np.array(wins, float)
        p_values.append(ttest_1samp(lead, epsilon, alternative="less").pvalue)
        advantages.append(np.mean(wins))
    m = len(p_values)
    limits = np.arange(1, m + 1) / m * q / (1 / np.arange(1, m + 1)).sum()
    below = np.flatnonzero(np.sort(p_values) <= limits)
    return (below.max() + 1 if len(below) else 0) / m, np.mean(advantages)
