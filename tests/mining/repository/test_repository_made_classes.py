"""Classes that a call makes, what rides on keywords, metaclasses, and submodules behind a star."""

from __future__ import annotations

from .conftest import Found

FORMS = """
    class Meta(type):
        def __setattr__(cls, name, value):
            type.__setattr__(cls, name, value)

        def __delattr__(cls, name):
            type.__delattr__(cls, name)

    class Field:
        def render(self):
            return 1

    class Form(metaclass=Meta):
        title = None

        def check(self):
            return True
"""


def test_a_class_that_a_call_makes_has_its_members_and_its_base(found: Found) -> None:
    result = found(
        {
            "forms.py": FORMS,
            "tests/test_forms.py": """
                from forms import Field, Form

                def made(name, **members):
                    return type(name, (Form,), members)

                def test_member():
                    kind = made("F", title=Field())
                    assert kind().title.render()

                def test_base():
                    assert made("F", title=Field())().check()

                def test_on_the_class():
                    assert type("G", (Form,), {"title": Field()}).title.render()

                def test_other_member():
                    assert made("F", other=Field())().title is None
            """,
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
            "tests/test_forms.py": """
                from forms import Field, Form

                def test_set():
                    Form.title = 1
                    assert Form.title

                def test_delete():
                    del Form.title
                    assert True

                def test_instance():
                    Form().title = 1
                    assert True
            """,
        }
    )
    assert result["test_set"] == {"?Meta.__setattr__"}
    assert result["test_delete"] == {"?Meta.__delattr__"}
    assert result["test_instance"] == set()


def test_the_own_submodule_comes_before_one_behind_a_star(found: Found) -> None:
    result = found(
        {
            "kit/__init__.py": "from kit.fields import *\nfrom kit.form import Form\n",
            "kit/form.py": "class Form:\n    def check(self):\n        return True\n",
            "kit/fields/__init__.py": "from kit.fields.form import *\n\ndef plain():\n    return 1\n",
            "kit/fields/form.py": "class Other:\n    def check(self):\n        return False\n",
            "tests/test_kit.py": """
                from kit import form, plain

                def test_form():
                    assert form.Form().check()

                def test_starred():
                    assert plain()
            """,
        }
    )
    assert result["test_form"] == {"Form.check"}
    assert result["test_starred"] == {"plain"}
