"""Classes that a call makes, what rides on keywords, metaclasses, and submodules behind a star."""

from __future__ import annotations

from tests.samples import load_samples

from .conftest import Found

SAMPLES = load_samples(__file__)

FORMS = SAMPLES["forms"]


def test_a_class_that_a_call_makes_has_its_members_and_its_base(found: Found) -> None:
    result = found(
        {
            "forms.py": FORMS,
            "tests/test_forms.py": SAMPLES["a_class_that_a_call_makes_has_its_members_and_its_base"],
        }
    )
    assert result["test_member"] == {"made", "Field.render"}
    assert result["test_base"] == {"made", "Form.check"}
    assert result["test_on_the_class"] == {"Field.render"}
    assert result["test_other_member"] == {"made"}


def test_a_keyword_of_the_helper_itself_is_no_member(found: Found) -> None:
    result = found(
        {
            "forms.py": FORMS,
            "tests/test_forms.py": """
                from forms import Field, Form

                def made(*, name, **members):
                    return type(name, (Form,), members)

                def test_name():
                    assert made(name=Field())().name.render()
            """,
        }
    )
    assert result["test_name"] == {"made"}


def test_setting_an_attribute_of_a_class_runs_its_metaclass(found: Found) -> None:
    result = found(
        {
            "forms.py": FORMS,
            "tests/test_forms.py": SAMPLES["setting_an_attribute_of_a_class_runs_its_metaclass"],
        }
    )
    assert result["test_set"] == {"?Meta.__setattr__"}
    assert result["test_delete"] == {"?Meta.__delattr__"}
    assert result["test_instance"] == set()


def test_the_own_submodule_comes_before_one_behind_a_star(found: Found) -> None:
    result = found(SAMPLES["the_own_submodule_comes_before_one_behind_a_star"])
    assert result["test_form"] == {"Form.check"}
    assert result["test_starred"] == {"plain"}
