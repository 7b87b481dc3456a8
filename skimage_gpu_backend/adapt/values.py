"""Changing the arrays inside arguments and results, whatever holds them."""

_SEQUENCES = (tuple, list)  # no union, which is made anew at each call


def replace(value, change):
    """`value` with `change` applied to it, or to the items of a tuple, list or dict.

    An object of ours that holds arrays has a method ``with_arrays``, which takes `change`.
    Containers keep their type, named tuples included; where nothing changes, the same
    object comes back.
    """
    if isinstance(value, _SEQUENCES):
        items = [replace(item, change) for item in value]
        if all(new is old for new, old in zip(items, value, strict=True)):
            return value
        if hasattr(value, "_fields"):
            return type(value)(*items)
        return type(value)(items)
    if isinstance(value, dict):
        items = {key: replace(item, change) for key, item in value.items()}
        return value if all(items[key] is value[key] for key in value) else items
    with_arrays = getattr(type(value), "with_arrays", None)
    return change(value) if with_arrays is None else with_arrays(value, change)
