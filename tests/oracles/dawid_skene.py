"""Dawid-Skene EM in plain Python."""


def dawid_skene(votes, n_categories, n_iterations, floor=1e-10):
    """`votes` are (unit, annotator, category); returns posterior[unit][category] and the prior."""
    units = sorted({unit for unit, _, _ in votes})
    annotators = sorted({annotator for _, annotator, _ in votes})
    categories = range(n_categories)
    posterior = {}
    for unit in units:
        answers = [category for u, _, category in votes if u == unit]
        posterior[unit] = [answers.count(category) / len(answers) for category in categories]
    for step in range(n_iterations + 1):
        prior = [sum(posterior[unit][true] for unit in units) / len(units) for true in categories]
        confusion = {}
        for annotator in annotators:
            for true in categories:
                row = [
                    max(sum(posterior[u][true] for u, a, c in votes if a == annotator and c == said), floor)
                    for said in categories
                ]
                confusion[annotator, true] = [value / sum(row) for value in row]
        if step == n_iterations:
            return posterior, prior
        for unit in units:
            likelihood = []
            for true in categories:
                product = max(prior[true], floor)
                for u, annotator, category in votes:
                    if u == unit:
                        product *= confusion[annotator, true][category]
                likelihood.append(product)
            posterior[unit] = [value / sum(likelihood) for value in likelihood]
    raise AssertionError
