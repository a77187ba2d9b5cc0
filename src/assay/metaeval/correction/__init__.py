"""Human means from few labels and the scores of a judge on everything."""
