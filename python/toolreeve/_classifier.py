"""The classifier: a callable that judges a call by its meaning, and how its answers are read."""

from __future__ import annotations

import typing
from dataclasses import dataclass

from .events import Json

__all__ = ["Classifier", "ClassifierResult"]


@dataclass(frozen=True)
class ClassifierResult:
    """What a classifier says about a call."""

    verdict: typing.Literal["allow", "block", "unsure"]
    """`allow`: harmless. `block`: not to be run; in the mode `auto` the call is refused, until too many were and the
    person is asked instead, and in every other mode the person decides. `unsure`: the person decides."""
    reason: str = ""
    """Why. The model reads why a call was blocked."""
    confidence: typing.Literal["high", "medium", "low"] = "high"
    """An allow with less than high confidence is `unsure`."""


Classifier = typing.Callable[[str, str], typing.Any]
"""A classifier: `(tool_name, input) -> ClassifierResult`, one of the three verdicts, or a dict with `verdict`; sync or
async. `input` is the text that the tool shows to classifiers (of Bash, the command) and never empty."""


def read_answer(answer: object) -> Json:
    """An answer in the library's form. Raises `TypeError` for what is none."""
    if isinstance(answer, ClassifierResult):
        return {"verdict": answer.verdict, "reason": answer.reason, "confidence": answer.confidence}
    if isinstance(answer, str):
        return {"verdict": answer}
    if isinstance(answer, dict):
        return answer
    raise TypeError(
        "a classifier answers with a ClassifierResult, 'allow', 'block', 'unsure', or a dict with `verdict`; this one "
        f"answered {type(answer).__name__}"
    )
