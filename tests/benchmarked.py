"""What the tests of benchmarks share."""

import json


def kept(folder, name):
    """Rows of a command's file in the folder of this device."""
    (file,) = folder.glob(f"*/{name}.json")
    return json.loads(file.read_text())["rows"]
