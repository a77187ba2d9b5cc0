"""Names that columns usually have, best first. Only proposals use them: a mapping is always explicit."""

SHORT = 60  # characters: longer texts are not names of criteria or answers

TEXT = (
    *("text", "response", "output", "completion", "generation", "prediction", "hypothesis", "hyp", "decoded"),
    *("generated_text", "model_output", "model_response", "system_output", "generated", "candidate", "mt"),
    *("translation", "reply", "answer", "pred", "generated_answer", "system_summary", "summary", "conversation"),
    *("caption", "paraphrase", "content"),
)
# Lists of texts: a set.
TEXTS = (
    *("texts", "responses", "outputs", "completions", "generations", "predictions", "hypotheses", "generated_texts"),
    *("candidates", "samples", "preds", "hyps"),
)
# The text, where there is a source and no other text.
TARGET = ("target", "tgt", "target_text", "trg")
# Words after a name that say no more.
CONTENT = frozenset({"text", "content", "body", "string", "str"})
# Lists of what a user and an assistant said in turn.
CONVERSATION = frozenset({"messages", "conversations", "conversation", "turns", "dialog", "dialogue", "chat"})
CHOSEN = (("chosen", "rejected"), ("preferred", "dispreferred"), ("winner", "loser"), ("positive", "negative"))
# Beside one of these, a longer column `text` is what was summarized.
SUMMARY = ("decoded", "generated_summary", "system_summary", "model_summary", "summary")
CONTEXT = (
    *("context", "prompt", "instruction", "input", "question", "source", "src", "query", "article", "document"),
    *("dialogue", "dialog", "history", "premise", "post", "user_prompt", "source_text"),
)
REFERENCES = (
    *("references", "reference", "refs", "ref", "gold", "ground_truth", "expected", "expected_output"),
    *("reference_answer", "reference_text", "human_reference", "target", "target_text", "answers", "answer", "human"),
)
SYSTEM = (
    *("system", "model", "model_name", "model_id", "system_id", "system_name", "generator", "sys", "method"),
    *("engine", "provider", "sys_name", "sys_id", "sysid", "llm", "bot", "agent", "submission", "team", "variant"),
    *("condition", "checkpoint", "algorithm", "approach"),
)
ITEM = (
    *("item", "item_id", "prompt_id", "question_id", "doc_id", "document_id", "example_id", "sample_id"),
    *("instance_id", "segment_id", "seg_id", "task_id", "story_id", "context_id", "input_id", "query_id", "post_id"),
    *("custom_id", "qid", "pair_id", "problem_id", "stimulus", "stimulus_id", "stim", "stim_id", "segment", "sentence"),
    *("example", "sentence_id", "passage_id", "hit_id"),
)
ID = ("id", "uid", "output_id", "response_id", "uuid", "idx", "index", "nr", "no", "number", "key")
ANNOTATOR = (
    *("annotator", "annotator_id", "worker", "worker_id", "workerid", "rater", "rater_id", "judge", "user"),
    *("user_id", "participant", "participant_id", "prolific_pid", "prolific_id", "coder", "coder_id", "turker"),
    *("respondent", "respondent_id", "completed_by", "evaluator", "evaluator_id", "username", "user_name", "email"),
    *("email_address", "subject", "subject_id", "pid", "student"),
)
CRITERION = ("criterion", "dimension", "aspect", "attribute", "measure", "metric", "category", "question_type")
VALUE = ("value", "rating", "score", "label", "answer", "vote", "judgment", "judgement", "grade", "points")
PREFERRED = ("winner", "preference", "preferred", "choice", "vote", "verdict", "better", "label", "overall_preference")
TWINS = (("a", "b"), ("1", "2"), ("0", "1"), ("left", "right"), ("first", "second"))

# Words in the names of ratings.
RATED = frozenset(
    {
        *("score", "scores", "rating", "ratings", "overall", "quality", "grade", "judgment", "judgement", "human"),
        *("fluency", "coherence", "consistency", "relevance", "adequacy", "helpfulness", "correctness", "verbosity"),
        *("complexity", "naturalness", "grammaticality", "faithfulness", "factuality", "informativeness", "likert"),
        *("engagingness", "understandable", "harmlessness", "honesty", "truthfulness", "da", "mqm", "rater"),
        *("annotator", "worker", "rate", "stars", "toxicity", "safety", "usefulness", "accuracy"),
        *("severity", "acceptability", "readability", "clarity", "creativity", "note"),
    }
)
# Words that say only that a column is a rating: not part of the name of the criterion.
GENERIC = frozenset(
    {"score", "scores", "rating", "ratings", "human", "judgment", "judgement", "grade", "likert", "rate"}
)
# Words before the number of an annotator, where each has a column.
RATERS = ("rater", "annotator", "worker", "judge", "coder", "expert", "evaluator", "participant", "turker", "crowd")
# Words before a number that counts questions or texts, not annotators.
COUNTED = frozenset({"q", "question", "item", "criterion", "dim", "dimension", "aspect", "story", "text", "sentence"})
# Words in the names of automatic metrics.
METRICS = frozenset(
    {
        *(
            "bleu",
            "rouge",
            "rouge1",
            "rouge2",
            "chrf",
            "meteor",
            "cider",
            "ter",
            "spice",
            "bertscore",
            "bleurt",
            "comet",
        ),
        *("moverscore", "nist", "ppl", "perplexity", "nll", "loss", "f1", "em", "bartscore", "sacrebleu", "cosine"),
        *("entropy", "bert", "distinct"),
    }
)
# Words in the names of measurements and settings.
MEASURED = frozenset(
    {
        *("temperature", "seed", "tokens", "length", "len", "latency", "time", "seconds", "duration", "year", "cost"),
        *("turn", "epoch", "logprob", "logprobs", "size", "count", "timestamp", "tstamp", "date", "version", "step"),
        *("top", "price", "position", "order", "num", "batch", "line", "row", "page", "index", "idx", "age", "usage"),
        *("rt", "ms", "sec", "started", "submitted", "minutes", "words", "chars"),
    }
)
# Words in the names of what only counts or names rows.
NAMING = frozenset({"id", "ids", "idx", "index", "nr", "no", "number", "split", "fold", "unnamed", "key", "uid"})
