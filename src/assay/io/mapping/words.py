"""Names that columns usually have, best first. Only proposals use them: a mapping is always explicit."""

SHORT = 60  # characters: longer texts are not names of criteria or answers

TEXT = (
    *("text", "response", "output", "completion", "generation", "prediction", "hypothesis", "hyp", "decoded"),
    *("generated_text", "model_output", "model_response", "system_output", "generated", "candidate", "mt"),
    *("translation", "reply", "answer", "pred", "generated_answer", "system_summary", "summary", "conversation"),
)
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
    *("engine", "provider"),
)
ITEM = (
    *("item", "item_id", "prompt_id", "question_id", "doc_id", "document_id", "example_id", "sample_id"),
    *("instance_id", "segment_id", "seg_id", "task_id", "story_id", "context_id", "input_id", "query_id", "post_id"),
)
ID = ("id", "uid", "output_id", "response_id", "uuid", "idx", "index")
ANNOTATOR = (
    *("annotator", "annotator_id", "worker", "worker_id", "workerid", "rater", "rater_id", "judge", "user"),
    *("user_id", "participant", "participant_id", "prolific_pid", "prolific_id", "coder", "coder_id", "turker"),
    *("respondent", "completed_by"),
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
    }
)
# Words that say only that a column is a rating: not part of the name of the criterion.
GENERIC = frozenset(
    {"score", "scores", "rating", "ratings", "human", "judgment", "judgement", "grade", "likert", "rate"}
)
# Words in the names of measurements and settings.
MEASURED = frozenset(
    {
        *("temperature", "seed", "tokens", "length", "len", "latency", "time", "seconds", "duration", "year", "cost"),
        *("turn", "epoch", "logprob", "logprobs", "size", "count", "timestamp", "tstamp", "date", "version", "step"),
        *("top", "price", "position", "order", "num", "batch", "line", "row", "page", "index", "idx", "age", "usage"),
    }
)
NOT_RATED = frozenset({"id", "idx", "index", "split", "fold", "unnamed_0"})
