"""Files of other projects and programs, each written the way its project writes it."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq


@dataclass(frozen=True)
class Foreign:
    """A file of another project: its name, its content, and the mapping a person would write."""

    name: str
    write: Callable[[Path], None]
    mapping: str
    outputs: int
    items: int
    systems: int
    judgments: int
    guessed: bool = True
    """Whether `init` alone proposes a mapping that gives the same dataset."""


def _jsonl(records: list[dict[str, Any]]) -> Callable[[Path], None]:
    return lambda path: path.write_text("".join(json.dumps(record) + "\n" for record in records)) and None


def _rows(header: str, rows: list[list[Any]], delimiter: str = ",", start: str = "") -> Callable[[Path], None]:
    text = io.StringIO()
    writer = csv.writer(text, delimiter=delimiter)
    writer.writerow(header.split(","))
    writer.writerows(rows)
    return lambda path: path.write_text(start + text.getvalue(), encoding="utf-8") and None


def _ratings(*values: int) -> dict[str, int]:
    return dict(zip(("coherence", "consistency", "fluency", "relevance"), values, strict=True))


# SummEval's model_annotations.aligned.paired.jsonl: three experts and five turkers per summary.
SUMMEVAL = [
    {
        "id": f"dm-test-{item}",
        "decoded": f"summary {item} of {model}",
        "expert_annotations": [_ratings(2, 1, 4, 2), _ratings(1, 1, 2, 1), _ratings(1, 1, 3, 2)],
        "turker_annotations": [_ratings(3, 3, 3, 4) for _ in range(5)],
        "references": [f"reference {item} {number}" for number in range(11)],
        "model_id": model,
        "filepath": f"cnndm/dailymail/stories/{item}.story",
        "text": f"The article {item}. It is longer than what was made of it, as articles are.",
    }
    for item in ("8764", "9821")
    for model in ("M11", "M13")
]
# The direct assessments of the WMT metrics tasks, as released for COMET: a row per rated segment.
WMT = _rows(
    "lp,src,mt,ref,score,raw,annotators,domain,year",
    [
        ["en-de", f"Source {n}.", f"Ziel {n} {system}.", f"Referenz {n}.", score, raw, 1, "news", 2020]
        for n in (1, 2)
        for system, score, raw in (("a", -0.53, 71.0), ("b", 0.91, 94.5))
    ],
)
# HelpSteer: five attributes per response, Parquet with whole numbers.
HELPSTEER = {
    "prompt": ["Write a haiku.", "Write a haiku.", "Name a planet."],
    "response": ["Old pond ...", "A frog jumps in", "Mars"],
    "helpfulness": [4, 2, 3],
    "correctness": [4, 2, 4],
    "coherence": [4, 3, 4],
    "complexity": [2, 1, 0],
    "verbosity": [1, 1, 0],
}
# UltraFeedback: a prompt with the completions of several models, ratings as texts.
ULTRAFEEDBACK = [
    {
        "source": "evol_instruct",
        "instruction": f"Task {n}: explain gravity.",
        "models": ["alpaca-7b", "gpt-4"],
        "completions": [
            {
                "model": model,
                "principle": "helpfulness",
                "custom_system_prompt": "You are helpful.",
                "response": f"{model} explains gravity, number {n}.",
                "annotations": {
                    "helpfulness": {"Type": ["1"], "Rating": rating, "Rationale": "It is fine."},
                    "honesty": {"Rating": "N/A" if n == 2 else "3", "Rationale": "Some claims are made."},
                },
                "overall_score": float(rating) * 2,
            }
            for model, rating in (("alpaca-7b", "2"), ("gpt-4", "5"))
        ],
    }
    for n in (1, 2)
]
# AlpacaEval's annotations.json: 1 and 2 say which output is preferred.
ALPACA_EVAL = [
    {
        "instruction": f"What is {n} + {n}?",
        "output_1": str(f"It is {2 * n}."),
        "generator_1": "text_davinci_003",
        "dataset": "helpful_base",
        "output_2": f"The sum is {2 * n}, I think.",
        "generator_2": "my-model",
        "annotator": "alpaca_eval_gpt4",
        "preference": preference,
    }
    for n, preference in ((1, 2.0), (2, 1.0), (3, 1.5))
]
# A long table of ratings, as survey tools and R give them: a row per rater and question.
LONG = _rows(
    "worker_id,item_id,model,dimension,rating,duration",
    [
        [worker, item, model, dimension, 1 + (len(worker) + item + len(model)) % 5, 12.5]
        for worker in ("w1", "w22", "w333")
        for item in (1, 2)
        for model in ("gpt2", "lstm")
        for dimension in ("fluency", "overall")
    ],
)
# A wide table of ratings: a column per rater, tab-separated, a gap as NA.
WIDE = _rows(
    "story_id,system,rater_1,rater_2,rater_3",
    [["s1", "human", 4, 5, 4], ["s1", "gpt", 2, 1, "NA"], ["s2", "human", 3, 3, 4], ["s2", "gpt", 1, 2, 2]],
    delimiter="\t",
)
# Multidimensional Quality Metrics as released for WMT: a row per error, several of a rater about one segment.
MQM = _rows(
    "system,doc,doc_id,seg_id,rater,source,target,category,severity",
    [
        [system, "doc", 1, segment, rater, f"Satz {segment}.", f"Sentence {segment} of {system}.", category, severity]
        for system in ("ref-A", "Online-B")
        for segment in (1, 2, 3)
        for rater in ("rater1", "rater2")
        for category, severity in (("Fluency/Grammar", "Minor"), ("Accuracy/Mistranslation", "Major"))[
            : 1 + segment % 2
        ]
    ],
    delimiter="\t",
)
# Direct assessments with the source of every rating.
DIRECT = _rows(
    "lp,src,mt,ref,raw,z_score,sys_name,seg_id,annotator",
    [
        ["de-en", f"Satz {n}.", f"Sentence {n} of {system}.", f"Reference {n}.", 25 * n, n / 8, system, n, f"a{who}"]
        for n in (1, 2, 3)
        for system in ("x", "y")
        for who in (1, 2)
    ],
    delimiter="\t",
)
# What OpenAI's batch interface returns.
BATCH = [
    {
        "id": f"batch_req_{n}",
        "custom_id": f"request-{n}",
        "response": {
            "status_code": 200,
            "request_id": f"r{n}",
            "body": {
                "id": f"chatcmpl-{n}",
                "object": "chat.completion",
                "created": 1711652795,
                "model": "gpt-4o-mini",
                "choices": [
                    {
                        "index": 0,
                        "message": {"role": "assistant", "content": f"The answer is {n}."},
                        "logprobs": None,
                        "finish_reason": "stop",
                    }
                ],
                "usage": {"prompt_tokens": 20, "completion_tokens": 5, "total_tokens": 25},
            },
        },
        "error": None,
    }
    for n in range(4)
]
# A conversation per line, as for fine-tuning.
CHAT = [
    {
        "messages": [
            {"role": "system", "content": "Be nice."},
            {"role": "user", "content": f"What is {n}?"},
            {"role": "assistant", "content": f"A number, {n}."},
        ]
    }
    for n in range(3)
]
# A German spreadsheet: semicolons, decimal commas, a byte order mark, a column per system.
SPREADSHEET = _rows(
    "Frage,Antwort_GPT,Antwort_Mensch,Note_GPT,Note_Mensch",
    [
        [f"Wie groß ist {n}?", f"Sehr groß, nämlich {n} Meter.", f"Nicht groß, Meter: {n}.", f"{n},5", n]
        for n in (1, 2, 3)
    ],
    delimiter=";",
    start="\ufeff",
)
# A rating sheet with a column per rater and criterion.
SHEET = _rows(
    "Nr,Prompt,System,Response text,Rater 1 Fluency,Rater 2 Fluency,Rater 1 Adequacy,Rater 2 Adequacy,Mean",
    [
        [n, f"Prompt {n}", system, f"{system} says {n} and more.", 1 + n, 2, 3, 5 - n, "2,25"]
        for n in (1, 2, 3)
        for system in "AB"
    ],
    delimiter=";",
)
# Ratings of an experiment, without the texts.
EXPERIMENT = _rows(
    "rater,stimulus,condition,q1_naturalness,q2_relevance,rt_ms",
    [
        [f"P{who}", f"s{n}", condition, 1 + (who + n) % 7, 2, 800 + 17 * who + n]
        for who in range(3)
        for n in range(4)
        for condition in ("human", "model")
    ],
)
# A row per participant and a column per item, as online forms give them.
FORM = _rows(
    "Timestamp,Username,How fluent is story 1? [1-5],How fluent is story 2? [1-5]",
    [[f"2024/03/0{who} 3:12 PM", f"p{who}@example.org", 1 + who, 5 - who] for who in (1, 2, 3)],
)
# A column per annotator, named after people.
MATRIX = _rows(
    "item,alice,bob,carol",
    [[f"i{n}", *(("good", "bad", "ok")[(n + who) % 3] for who in range(3))] for n in range(6)],
)
# A column per system, named as one likes.
COLUMNS = _rows(
    "id,article,reference,bart,pegasus,t5",
    [
        [n, f"A long article about {n}.", f"About {n}.", *(f"The summary {n} by {who}, in short." for who in "abc")]
        for n in range(3)
    ],
)
# What preferences are tuned on.
CHOSEN = [{"prompt": f"Ask {n}", "chosen": f"Yes, {n}.", "rejected": f"No, {n}."} for n in range(3)]
# Several samples for each input.
SAMPLES = [
    {
        "idx": n,
        "input": f"Input {n}",
        "generated_texts": [f"text {n} {k}" for k in range(3)],
        "labels": [f"label {n}"],
        "gen_config": {"temperature": 0.7},
    }
    for n in range(3)
]

FILES = (
    Foreign(
        "summeval.jsonl",
        _jsonl(SUMMEVAL),
        "text=decoded,item=id,system=model_id,context=text,judgments.{criterion}=expert_annotations[].{criterion},"
        "judgments.{criterion}=turker_annotations[].{criterion}",
        outputs=4,
        items=2,
        systems=2,
        judgments=4 * 8 * 4,
    ),
    Foreign("wmt.csv", WMT, "text=mt,context=src,references=ref,judgments.score=score", 4, 2, 1, 4, guessed=False),
    Foreign(
        "helpsteer.parquet",
        lambda path: pq.write_table(pa.table(HELPSTEER), path),
        "text=response,context=prompt,judgments.helpfulness=helpfulness,judgments.correctness=correctness,"
        "judgments.coherence=coherence,judgments.complexity=complexity,judgments.verbosity=verbosity",
        outputs=3,
        items=2,
        systems=1,
        judgments=15,
    ),
    Foreign(
        "ultrafeedback.jsonl",
        _jsonl(ULTRAFEEDBACK),
        "system=completions[].model,text=completions[].response,context=instruction,"
        "judgments.overall=completions[].overall_score,"
        "judgments.helpfulness=completions[].annotations.helpfulness.Rating,"
        "judgments.honesty=completions[].annotations.honesty.Rating",
        outputs=4,
        items=2,
        systems=2,
        judgments=10,
    ),
    Foreign(
        "alpaca_eval.json",
        lambda path: path.write_text(json.dumps(ALPACA_EVAL, indent=2)) and None,
        "preferences.preferred=preference,text=output_1,other.text=output_2,system=generator_1,"
        "other.system=generator_2,annotator=annotator,context=instruction",
        outputs=6,
        items=3,
        systems=2,
        judgments=3,
    ),
    Foreign(
        "ratings.csv",
        LONG,
        "item=item_id,system=model,annotator=worker_id,criterion=dimension,value=rating",
        outputs=4,
        items=2,
        systems=2,
        judgments=24,
    ),
    Foreign(
        "raters.tsv",
        WIDE,
        "item=story_id,judgments.rating=rater_{annotator}",
        outputs=4,
        items=2,
        systems=2,
        judgments=11,
    ),
    Foreign(
        "mqm.tsv",
        MQM,
        "text=target,item=seg_id,context=source,judgments.severity=severity,annotator=rater",
        6,
        3,
        2,
        20,
    ),
    Foreign(
        "direct.tsv",
        DIRECT,
        "text=mt,item=seg_id,context=src,references=ref,system=sys_name,judgments.z=z_score",
        outputs=6,
        items=3,
        systems=2,
        judgments=12,
    ),
    Foreign(
        "batch_output.jsonl",
        _jsonl(BATCH),
        "text=response.body.choices[].message.content,system=response.body.model,item=custom_id",
        outputs=4,
        items=4,
        systems=1,
        judgments=0,
    ),
    Foreign("chat.jsonl", _jsonl(CHAT), "text=messages[-1].content,context=messages[-2].content", 3, 3, 1, 0),
    Foreign(
        "spreadsheet.csv", SPREADSHEET, "text=Antwort_{system},context=Frage,judgments.Note=Note_{system}", 6, 3, 2, 6
    ),
    Foreign(
        "sheet.csv",
        SHEET,
        "text=Response text,context=Prompt,system=System,item=Nr,judgments.Fluency=Rater {annotator} Fluency,"
        "judgments.Adequacy=Rater {annotator} Adequacy",
        outputs=6,
        items=3,
        systems=2,
        judgments=24,
    ),
    Foreign(
        "experiment.csv",
        EXPERIMENT,
        "item=stimulus,system=condition,annotator=rater,judgments.q1_naturalness=q1_naturalness,"
        "judgments.q2_relevance=q2_relevance",
        outputs=8,
        items=4,
        systems=2,
        judgments=48,
    ),
    Foreign("form.csv", FORM, "judgments.fluency=How fluent is story {item}? *,annotator=Username", 2, 2, 1, 6, False),
    Foreign("matrix.csv", MATRIX, "judgments.rating={annotator:alice|bob|carol}", 6, 6, 1, 18),
    Foreign("columns.csv", COLUMNS, "text={system:bart|pegasus|t5},context=article,references=reference", 9, 3, 3, 0),
    Foreign(
        "chosen.jsonl",
        _jsonl(CHOSEN),
        "text=chosen,other.text=rejected,context=prompt,system='chosen',other.system='rejected',preferences.preferred='chosen'",
        outputs=6,
        items=3,
        systems=2,
        judgments=3,
    ),
    Foreign(
        "samples.jsonl", _jsonl(SAMPLES), "text=generated_texts[],context=input,references=labels,item=idx", 9, 3, 1, 0
    ),
)
