"""The permission callback: what it is given, what it may answer, and how answers are read."""

from __future__ import annotations

import typing
from dataclasses import dataclass, field

from .events import Decision, Json

__all__ = [
    "CanUseTool",
    "PermissionResult",
    "PermissionResultAllow",
    "PermissionResultDefer",
    "PermissionResultDeny",
    "ToolPermissionContext",
]


@dataclass(frozen=True)
class PermissionResultAllow:
    """Run it."""

    updated_input: Json | None = None
    """A changed input, whole; it is validated and judged again."""
    updated_permissions: typing.Sequence[str | Json] | None = None
    """Allow rules to keep until the session ends: rule strings, for example from `ctx.suggestions`, or updates of the
    form `{"type": "addRules", "behavior": "allow", "rules": [{"toolName": …, "ruleContent": …}]}`."""
    rules: typing.Sequence[str] | None = None
    """The same, as rule strings only."""
    behavior: typing.Literal["allow"] = "allow"


@dataclass(frozen=True)
class PermissionResultDeny:
    """Do not run it."""

    message: str = ""
    """What the model is told."""
    interrupt: bool = False
    """Whether the whole turn ends here."""
    behavior: typing.Literal["deny"] = "deny"


@dataclass(frozen=True)
class PermissionResultDefer:
    """Not now: the call is not run, the run ends with the subtype `deferred`, and the question waits in
    `agent.approvals` for `agent.answer_approval` and `agent.resume`."""

    expires_in: int | None = None
    """So many seconds from now the question is void; `None` is never."""
    behavior: typing.Literal["defer"] = "defer"


PermissionResult = typing.Union[
    PermissionResultAllow, PermissionResultDeny, PermissionResultDefer, bool, Json
]
"""What a permission callback may answer: a result, plain true or false, or a dict with `behavior`."""


@dataclass(frozen=True)
class ToolPermissionContext:
    """What a permission callback is told beside the tool's name and the input."""

    tool_use_id: str
    """The id of the call."""
    title: str
    """One line that says what is about to happen."""
    display_name: str
    """The tool's name for people."""
    decision: Decision
    """Why the question is asked, as a tree."""
    render: Json
    """How the tool shows the call."""
    suggestions: list[str] = field(default_factory=list)
    """Rules that would answer this call in future."""
    destructive_warnings: list[str] = field(default_factory=list)
    """What the call may destroy."""
    blocked_path: str | None = None
    """The path that stood in the way, if one did."""
    agent_id: str | None = None
    """The agent inside of this agent that wants the call, if one does."""
    signal: None = None
    """Reserved. A question that is no longer wanted is cancelled like any other coroutine."""

    @property
    def decision_reason(self) -> str:
        """The reason in one sentence."""
        return self.decision.reason.message

    @property
    def description(self) -> str:
        """The same as `title`."""
        return self.title


CanUseTool = typing.Callable[[str, Json, ToolPermissionContext], typing.Any]
"""A permission callback: `(tool_name, input, ctx) -> PermissionResult`, sync or async."""


def context_of(prompt: Json) -> ToolPermissionContext:
    """The context of a question."""
    return ToolPermissionContext(
        tool_use_id=prompt["tool_use_id"],
        title=prompt["title"],
        display_name=prompt["display_name"],
        decision=Decision(prompt["decision"]),
        render=prompt["render"],
        suggestions=prompt["suggestions"],
        destructive_warnings=prompt["destructive_warnings"],
        blocked_path=prompt.get("blocked_path"),
    )


def read_answer(answer: object) -> Json:
    """An answer in the library's form. Raises `TypeError` or `ValueError` for what is none."""
    if answer is True:
        return {"behavior": "allow"}
    if answer is False:
        return {"behavior": "deny"}
    behavior = _field(answer, "behavior")
    if behavior == "allow":
        updates = _field(answer, "updated_permissions", "updatedPermissions") or ()
        rules = [rule for update in updates for rule in _rules_of(update)]
        rules.extend(str(rule) for rule in _field(answer, "rules") or ())
        wire: Json = {"behavior": "allow", "rules": rules}
        updated = _field(answer, "updated_input", "updatedInput")
        if updated is not None:
            wire["updated_input"] = updated
        return wire
    if behavior == "deny":
        message = _field(answer, "message") or ""
        return {
            "behavior": "deny",
            "message": str(message),
            "interrupt": bool(_field(answer, "interrupt")),
        }
    if behavior == "defer":
        return {"behavior": "defer", "expires_in": _field(answer, "expires_in")}
    raise TypeError(
        f"a permission question is answered by PermissionResultAllow, PermissionResultDeny, PermissionResultDefer, true, "
        f"false, or a dict whose behavior is 'allow', 'deny' or 'defer'; this one answered {type(answer).__name__}"
    )


def _field(answer: object, *names: str) -> typing.Any:
    for name in names:
        value = answer.get(name) if isinstance(answer, dict) else getattr(answer, name, None)
        if value is not None:
            return value
    return None


def _rules_of(update: object) -> list[str]:
    if isinstance(update, str):
        return [update]
    kind = _field(update, "type")
    behavior = _field(update, "behavior") or "allow"
    if kind != "addRules" or behavior != "allow":
        raise ValueError(
            "updated_permissions may hold rule strings and updates of type 'addRules' with behavior 'allow'"
        )
    rules = []
    for rule in _field(update, "rules") or ():
        name = _field(rule, "tool_name", "toolName")
        content = _field(rule, "rule_content", "ruleContent")
        if not isinstance(name, str):
            raise ValueError("a rule in updated_permissions needs a tool name")
        rules.append(f"{name}({content})" if content else name)
    return rules
