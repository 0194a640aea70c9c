"""The structure of a query as XPath, for an engine that knows nothing of doxel."""

from doxel.topics.nexi.tree import About, And, Comparison, Or


def xpath(query, *, target, support):
    """The elements that conform, as one XPath."""
    if target == support == "vague":
        return "//*"
    *around, last = query.parts
    before = "".join(path(part.path) + predicate(part.condition, support) for part in around)
    if target == "strict":
        return before + path(last.path) + predicate(last.condition, support)
    return (before + "/descendant-or-self::*" if before else "//*") + predicate(last.condition, support)


def path(some):
    return "".join(map(step, some.steps))


def step(one):
    axis = "/" if one.is_child else "//"
    if one.is_attribute:
        return f"{axis}@{one.names[0]}"
    if not one.names:
        return f"{axis}*"
    names = " or ".join(f"local-name() = '{name}'" for name in one.names)
    return f"{axis}*[{names}]"


def predicate(condition, support):
    return "" if condition is None or support == "vague" else f"[{said(condition)}]"


def said(condition):
    if isinstance(condition, And | Or):
        word = " and " if isinstance(condition, And) else " or "
        return "(" + word.join(map(said, condition.parts)) + ")"
    found = "self::node()" + path(condition.path)  # a bare dot takes no predicate
    if isinstance(condition, About):
        return f"boolean({found})"
    assert isinstance(condition, Comparison)
    if isinstance(condition.value, str):
        return f"boolean({found}[normalize-space(.) = '{condition.value}'])"
    return f"boolean({found}[number(normalize-space(.)) {condition.operator} {condition.value:.0f}])"
