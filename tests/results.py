"""What suites of others have come to, by device and then by name, in a JSON file for their page."""

import json


def updated(file, device, rows) -> dict:
    """Everything in a file, after it has got these rows of a device."""
    every = json.loads(file.read_text()) if file.exists() else {}
    every.setdefault(device, {}).update(rows)
    file.write_text(json.dumps(every, indent=1, sort_keys=True) + "\n")
    return every


def by_device(every):
    """Pairs of a device and its rows, the simulator first."""
    return sorted(every.items(), key=lambda item: (item[0] != "simulator", item[0]))
