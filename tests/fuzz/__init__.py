"""Machine-made bad inputs: nothing crashes, hangs or is silently altered. `python -m tests.fuzz 1234` shows case 1234."""
