def annotator_changed(called, kind, is_told):
    """Return a function that does what another does, but for one respect in which its result is changed.

    With ``is_told`` it ends the program where it would change something.
    """
    import functools

    class ChangedError(Exception):
        pass

    class Told(BaseException):
        pass

    def tell():
        if is_told:
            raise Told

    def change(value):
        other = _annotator_other(value, kind)
        if other != value:
            tell()
        return other

    @functools.wraps(called)
    def changed(*given, **named):
        if kind != "error":
            value = called(*given, **named)
        else:
            try:
                value = called(*given, **named)
            except Exception as error:
                tell()
                raise ChangedError(*error.args) from None
        if kind == "arguments":
            for item in (*given, *named.values()):
                if type(item) in (list, dict, set) and item and item is not value:
                    tell()
                    item.clear()
        return change(value)

    return changed


def _annotator_other(value, kind):
    if kind == "order" and type(value) in (list, tuple):
        return value[::-1]
    if kind == "empty_end" and type(value) in (list, tuple) and len(value) and value[-1] in ("", None):
        return value[:-1]
    if kind == "shorter" and type(value) in (list, tuple, str):
        return value[:-1]
    if kind == "shorter" and type(value) in (dict, set):
        return type(value)(list(value.items() if type(value) is dict else value)[:-1])
    if kind == "longer" and type(value) in (list, tuple, str):
        return value + value[-1:]
    if kind == "case" and type(value) is str:
        return value.swapcase()
    if kind == "number" and type(value) is int:
        return value + 1
    if kind == "number" and type(value) is float:
        return value + 0.1
    return value
