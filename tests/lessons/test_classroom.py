"""The class table, and the cards of exercises with their buttons."""

import json

import pytest

from cutelab import CuteLabError
from cutelab.course.lab import exam as exam_view
from cutelab.course.lab.buttons import _shown
from cutelab.course.lab.lessons import find_lesson
from cutelab.lessons import check, classroom, exam, hint, predict, results


def hand_in(folder, monkeypatch, name, *answers, locks=()):
    work = folder / "work" / name
    work.mkdir(parents=True)
    monkeypatch.chdir(work)
    for id, answer in answers:
        check(id, answer)
    for id, answer, sure in locks:
        predict(id).lock(answer, sure=sure)
    results(name, folder / "class" / f"{name}.json")


@pytest.fixture
def room(fresh, monkeypatch):
    (fresh / "class").mkdir()
    hand_in(fresh, monkeypatch, "Ada", ("start.1", 12), ("start.1", 32), locks=[("layout.a", 19, True)])
    hand_in(fresh, monkeypatch, "Bob", ("start.1", 12), ("start.1", 31), locks=[("layout.a", 19, False)])
    monkeypatch.chdir(fresh)
    return fresh / "class"


def test_lesson_by_learner_with_tries_and_what_was_sure_and_wrong(room):
    table = classroom(room)
    assert [row[0] for row in table.rows] == ["Ada", "Bob"]
    ada = dict(zip(table.heads, table.rows[0], strict=True))
    assert (ada["00_start"], ada["tries"], ada["predicted"], ada["sure and wrong"]) == ("1/2", "2", "1", "1")
    assert dict(zip(table.heads, table.rows[1], strict=True))["sure and wrong"] == "0"
    (most, other) = table.wrong()["start.1"]
    assert most[:2] == (2, "12") and "rows times columns" in most[2] and other[0] == 1
    assert "2 x 12" in repr(table) and "<table>" in table._repr_html_()


def test_damaged_files_are_named_and_others_are_left_alone(room):
    (room / "broken-results.json").write_text("{")
    (room / "half.json").write_text('{"schema": "cutelab-results/1", "notebooks": [{}]}')
    (room / "package.json").write_text('{"name": "x"}')
    (room / "deep.json").write_text("[" * 100_000)
    table = classroom(room)
    assert len(table.learners) == 2 and set(table.damaged) == {"broken-results.json", "deep.json", "half.json"}


def test_one_damaged_entry_is_named_and_the_class_is_shown(room):
    entries = [{"id": "layout.1", "wrong": 5}, {"id": "layout.1", "wrong": None}]
    for i, entry in enumerate(entries):
        data = {"schema": "cutelab-results/2", "notebooks": [{"exercises": [entry], "predictions": []}]}
        (room / f"odd{i}.json").write_text(json.dumps(data))
    table = classroom(room)
    assert table.damaged == ("odd0.json", "odd1.json") and "Ada" in repr(table) and "Ada" in table._repr_html_()


def test_a_file_that_an_editor_gave_a_mark_is_read(room):
    file = room / "Ada.json"
    file.write_text(file.read_text(encoding="utf-8"), encoding="utf-8-sig")
    assert classroom(room).damaged == () and len(classroom(room).learners) == 2


@pytest.mark.parametrize("name", ["李雷", "😀 Ada", "a\nb", "علي", "\u202eabc"])
def test_a_name_in_any_script_is_drawn(room, tmp_path, name):
    file = room / "Ada.json"
    file.write_text(json.dumps({**json.loads(file.read_text(encoding="utf-8")), "name": name}), encoding="utf-8")
    table = classroom(room)
    assert len(table.learners) == 2 and not any("\n" in one.name or "\u202e" in one.name for one in table.learners)
    assert table.save(tmp_path / "class.png").stat().st_size > 1000


@pytest.mark.parametrize("path", [5, None, "", "a\0.csv", "x" * 300 + ".csv"])
def test_a_path_that_is_none_is_one_sentence(room, path):
    with pytest.raises(CuteLabError, match=r'must be a file name.*"class.svg"'):
        classroom(room).save(path)
    if path is not None:
        with pytest.raises(CuteLabError, match=r'must be a file name.*"class.csv"'):
            classroom(room).csv(path)


def test_neither_a_folder_nor_a_device_is_written_over(room):
    for path in (room, "/dev/null"):
        with pytest.raises(CuteLabError, match="something else"):
            classroom(room).csv(path)


@pytest.mark.parametrize("folder", [5, "x" * 10_000, "\0", object()])
def test_what_is_no_folder_is_one_sentence(folder):
    with pytest.raises(CuteLabError, match="is no folder; give"):
        classroom(folder)


def test_results_of_the_first_version_count(room):
    exercises = [{"id": "01.2", "state": "done", "tries": 3, "hints": 1}]
    predictions = [{"id": "01.a", "answer": 19, "right": False}]
    old = {
        "schema": "cutelab-results/1",
        "name": None,
        "notebooks": [{"exercises": exercises, "predictions": predictions}],
    }
    (room / "eve").mkdir()
    (room / "eve" / "results.json").write_text(json.dumps(old))
    table = classroom(room)
    eve = dict(zip(table.heads, next(row for row in table.rows if row[0] == "eve"), strict=True))
    assert (eve[find_lesson("layout").notebook], eve["tries"], eve["hints"]) == ("1/9", "3", "1")


def test_csv_is_written_over_csv_only(room):
    table = classroom(room)
    assert table.csv(room / "class.csv").splitlines()[1].startswith("Ada,1/2")
    table.csv(room / "class.csv")
    (room / "x.csv").write_text("mine")
    with pytest.raises(CuteLabError, match="stays as it is"):
        table.csv(room / "x.csv")
    with pytest.raises(CuteLabError, match="is no folder"):
        classroom(room / "nowhere")


def test_every_card_keeps_its_question_and_says_the_form():
    for answer in (..., 31, "x", (4, 8)):
        card = check("start.1", answer)
        assert "How many elements has a tile" in repr(card)
        assert repr(card).count("a whole number of elements, for example 12") == 1  # once is enough
    assert "How many elements has a tile" in repr(check("start.1", 32))


def test_buttons_bring_the_next_hint_and_the_solution(fresh):
    card = check("layout.1")
    live, kept = card.outputs()
    assert "application/vnd.jupyter.widget-view+json" in live and kept["text/plain"] == repr(card)
    row = _shown["layout.1"]
    names = [button.description for button in row.buttons]
    assert names == ["Hint", "Solution"]
    row.buttons[0].click()
    assert "hint 1 of 3" in row.below.value
    row.buttons[0].click()
    assert "hint 2 of 3" in row.below.value and "hint 3 of 3" in repr(hint("layout.1"))
    row.buttons[1].click()
    assert "<details" in row.below.value
    comm = row.box.comm
    check("layout.1").outputs()
    assert comm is not None and row.box.comm is None


def test_exams_stand_beside_the_results_of_the_same_name(room, monkeypatch):
    for folder, name, answers in (("ada", "Ada", 2), ("cy", None, 0)):
        (room / folder).mkdir()
        monkeypatch.chdir(room / folder)
        monkeypatch.setattr(exam_view, "_views", {})  # another kernel
        view = exam("class", name=name)
        for item in view.paper[:answers]:
            view.answer(item.number, str(item.asked.answer()))
        view.hand_in()
        (room / folder / "progress.json").unlink()
    monkeypatch.chdir(room)
    (room / "odd-exam.json").write_text('{"schema": "cutelab-exam/1", "topics": [], "right": 1e999, "asked": 2}')
    (room / "more-exam.json").write_text('{"schema": "cutelab-exam/1", "topics": [], "right": 3, "asked": 2}')
    table = classroom(room)
    found = {row[0]: dict(zip(table.heads, row, strict=True))["17_exam"] for row in table.rows}
    assert found == {"Ada": "2/15", "Bob": "-", "cy": "0/15"}
    assert set(table.damaged) == {"odd-exam.json", "more-exam.json"}
    assert table.exam_topics()["gpu"] == (2, 4) and "right in exams: gpu 2 of 4, layout 0 of 6" in repr(table)
    assert "17_exam" in table.csv() and ",2/15," in table.csv()


def test_the_exam_that_was_handed_in_last_counts(room, monkeypatch):
    for seed, right in (("1", 1), ("2", 0)):
        data = {
            "schema": "cutelab-exam/1",
            "name": "Ada",
            "seed": seed,
            "handed_in": f"2027-01-0{seed}",
            "right": right,
        }
        topics = [{"topic": "gpu", "right": right, "asked": 2}]
        (room / f"exam-{seed}.json").write_text(json.dumps({**data, "asked": 15, "topics": topics}))
    ada = classroom(room).learners[0]
    assert [one.seed for one in ada.exams] == ["1", "2"] and ",0/15," in classroom(room).csv()


def test_the_picture_shows_the_tables_numbers(room, tmp_path):
    table = classroom(room)
    (((grid,),),) = table.picture().body
    ada = dict(zip(grid.col_heads, grid.labels[0], strict=True))
    assert grid.row_heads == ("Ada", "Bob") and (ada["00"], ada["02"], ada["17"]) == ("1/2", "0/9", "-")
    assert [grid.fill[0][grid.col_heads.index(head)] for head in ("00", "02", "17")] == [15, -1, -1]
    assert b">Ada<" in table.save(tmp_path / "class.svg").read_bytes()
    for place in (tmp_path / "class.txt", tmp_path / "nowhere" / "class.svg"):
        with pytest.raises(CuteLabError):
            table.save(place)
    (tmp_path / "nobody").mkdir()
    assert classroom(tmp_path / "nobody").figure() is not None
