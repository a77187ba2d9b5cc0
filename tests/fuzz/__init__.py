"""Machine-made bad inputs: nothing crashes, hangs or is silently altered. `python -m tests.fuzz 7` shows case 7."""
