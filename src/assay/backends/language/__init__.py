"""Language models behind one protocol: tokenize, score, sample.

A model is named once: a Hugging Face folder, a `.gguf` file, `url(model@base)` for an OpenAI-compatible endpoint, or a
folder of one of assay's own generators. `opening.open_model` opens any of them.
"""
