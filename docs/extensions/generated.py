"""What the build makes itself, in docs/_generated: the report of a profile as a picture."""


def setup(app):
    return {"parallel_read_safe": True}
