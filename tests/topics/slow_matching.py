"""Translates the structure of a query to XPath, for an engine independent of doxel."""

from doxel.topics.nexi.query_tree import About, And, Or, ValueComparison


def xpath(query, *, target, support):
    """Return one XPath that selects the matching elements."""
    if target == support == "vague":
        return "//*"
    *around, last = query.parts
    before = "".join(path(part.path) + predicate(part.condition, support) for part in around)
    if target == "strict":
        return before + path(last.path) + predicate(last.condition, support)
    return (before + "/descendant-or-self::*" if before else "//*") + predicate(last.condition, support)


def path(query_path):
    return "".join(map(step, query_path.steps))


def step(query_step):
    axis = "/" if query_step.is_child else "//"
    if query_step.is_attribute:
        return f"{axis}@{query_step.names[0]}"
    if not query_step.names:
        return f"{axis}*"
    names = " or ".join(f"local-name() = '{name}'" for name in query_step.names)
    return f"{axis}*[{names}]"


def predicate(condition, support):
    return "" if condition is None or support == "vague" else f"[{expression(condition)}]"


def expression(condition):
    if isinstance(condition, And | Or):
        word = " and " if isinstance(condition, And) else " or "
        return "(" + word.join(map(expression, condition.parts)) + ")"
    nodes = "self::node()" + path(condition.path)  # XPath allows no predicate after a bare dot
    if isinstance(condition, About):
        return f"boolean({nodes})"
    assert isinstance(condition, ValueComparison)
    if isinstance(condition.value, str):
        return f"boolean({nodes}[normalize-space(.) = '{condition.value}'])"
    return f"boolean({nodes}[number(normalize-space(.)) {condition.operator} {condition.value:.0f}])"
