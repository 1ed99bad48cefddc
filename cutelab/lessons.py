"""Floor 6: predict, check, hint, progress. What the notebooks' exercises are made of.

predict("01.a")                 answer before you look; locked in, it cannot be changed
check("01.1", answer)           right, or the first place where yours and the right one differ
hint("01.1", 1)                 hints 1 to 3
solution("01.1")                folded away
ready()                         is this machine ready?
progress()                      what is done, tried and open
results()                       a summary for a teacher, as JSON
"""

from cutelab.course.lab.checking import check, hint, solution
from cutelab.course.lab.predicting import predict
from cutelab.course.lab.ready import ready
from cutelab.course.lab.report import progress, results

__all__ = ["check", "hint", "predict", "progress", "ready", "results", "solution"]
