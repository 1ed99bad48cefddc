"""What the notebooks' exercises are made of.

predict("layout.a")             answer before you look; locked in, it cannot be changed
check("layout.1", answer)       right, or what was meant and where yours and the right one differ
hint("layout.1", 1)             hints 1 to 3
solution("layout.1")            folded away
review("banks")                 two or three old questions with new numbers; review() of all that was done
claims("thread maps")           ten statements that are in print: which are true?
claims_table()                  how many of them you said rightly, and where you were sure and wrong
exam()                          fifteen questions over the whole course, and a report at the end
ready()                         is this machine ready?
header("banks")                 how far you are in a lesson: the line at its top
progress()                      what is done, tried and open; progress("puzzles"): of one lesson
reset("banks")                  a lesson afresh, or all of them; a copy is set aside
results()                       a summary for a teacher, as JSON
classroom(folder)               everybody's results in one table
answer_book("banks")            for teachers: each question of a lesson with its right answer
"""

from cutelab.course.lab.answers import answer_book
from cutelab.course.lab.checking import check, hint, solution
from cutelab.course.lab.claims import claims, claims_table
from cutelab.course.lab.classroom import classroom
from cutelab.course.lab.exam import exam
from cutelab.course.lab.predicting import predict
from cutelab.course.lab.ready import ready
from cutelab.course.lab.report import header, progress, reset, results
from cutelab.course.lab.review import review

__all__ = [
    "answer_book",
    "check",
    "claims",
    "claims_table",
    "classroom",
    "exam",
    "header",
    "hint",
    "predict",
    "progress",
    "ready",
    "reset",
    "results",
    "review",
    "solution",
]
