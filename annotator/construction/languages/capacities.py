"""Changes of reserved capacity, such as that of a map: they change the speed but not the result."""

from __future__ import annotations

import re

from annotator.construction.edits import Proposal

_RESERVES = re.compile(
    r"(?:\b(?:with_capacity|reserve|ensureCapacity|EnsureCapacity|[mc]alloc|realloc)\s*\("
    r"|\bnew\s+(?:\w+\.)*\w*(?:Map|Set|List|Builder|Buffer|Queue|Deque|Vector|Dictionary|Stack)(?:<[^()]*>)?\s*\("
    # The third argument of Go's make is the capacity, the second the length.
    r"|\bmake\s*\([^()]*,[^()]*,)[^()]*$"
)


def changes_capacity(proposal: Proposal) -> bool:
    """Tell whether a change affects the capacity that a call reserves."""
    pairs = zip(proposal.reference, proposal.code, strict=False)
    at = next((at for at, (old, new) in enumerate(pairs) if old != new), len(proposal.reference))
    before = proposal.reference[:at]
    # A boolean argument there is an option and not a capacity.
    return proposal.operator != "bool_flip" and _RESERVES.search(before[before.rfind("\n") + 1 :]) is not None
