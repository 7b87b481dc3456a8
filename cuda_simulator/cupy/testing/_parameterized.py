"""Test classes that are run once for each set of attributes."""

import itertools

__all__ = ["parameterize", "product", "product_dict"]


def parameterize(*params, **kwargs):
    """Run each test of a class with each of these dictionaries as its attributes."""
    import pytest

    marks = [pytest.param(p, id=_name(i, p)) for i, p in enumerate(params)]

    def decorator(cls):
        class Parameterized(cls):
            @pytest.fixture(autouse=True)
            def _attributes(self, _attributes_of_test):
                self.__dict__.update(_attributes_of_test)

        Parameterized.__name__, Parameterized.__qualname__ = cls.__name__, cls.__qualname__
        Parameterized.__module__ = cls.__module__
        return pytest.mark.parametrize("_attributes_of_test", marks)(Parameterized)

    return decorator


def product(parameter):
    """All combinations of the values of a dictionary of lists, as dictionaries."""
    keys = sorted(parameter)
    values = itertools.product(*(parameter[key] for key in keys))
    return [dict(zip(keys, chosen, strict=True)) for chosen in values]


def product_dict(*parameters):
    """All combinations of one dictionary of each list, merged."""
    return [
        {key: value for one in chosen for key, value in one.items()}
        for chosen in itertools.product(*parameters)
    ]


def _name(index, param):
    text = ", ".join(
        f"{key}={getattr(value, '__name__', repr(value))}" for key, value in sorted(param.items())
    )
    return f"_param_{index}_{{{text}}}"
