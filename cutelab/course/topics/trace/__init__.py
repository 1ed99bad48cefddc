"""Topic "trace": what a traced kernel looks like; and step by step, one warp instruction at a time.

report (the card of a whole trace) and show (the painter of the library's results) stand beside knobs <- model <- words <- card.
"""

from cutelab.course.topics.trace.card import panels
from cutelab.course.topics.trace.knobs import TraceParams as Params
from cutelab.course.topics.trace.knobs import params_of
from cutelab.course.topics.trace.model import compute, probe

__all__ = ["Params", "compute", "panels", "params_of", "probe"]
