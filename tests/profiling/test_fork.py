"""A program that forks while it is profiled: the profile is the parent's, and children run on."""

FORK = """
import os, signal, sys, threading
from skimage import draw
import skimage_gpu_backend

def ending(held, forked):  # as a call does it that is just ending
    with p._lock:
        held.set()
        forked.wait()

with skimage_gpu_backend.profile() as p:
    draw.disk((5, 5), 3)
    held, forked = threading.Event(), threading.Event()
    threading.Thread(target=ending, args=(held, forked)).start()
    held.wait()
    child = os.fork()
    if not child:
        signal.alarm(60)
        draw.disk((5, 5), 3)
        with skimage_gpu_backend.profile() as own:
            draw.disk((5, 5), 3)
        sys.exit(10 + own.to_dict()["totals"]["calls"])
    forked.set()
    _, status = os.waitpid(child, 0)
    draw.disk((5, 5), 3)
print(os.waitstatus_to_exitcode(status), p.to_dict()["totals"]["calls"])
"""
CHILD = """
import os, sys
from skimage import draw

draw.disk((5, 5), 3)
child = os.fork()
if not child:
    draw.disk((5, 5), 3)
    sys.exit(3)
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""


def test_a_forked_child_is_not_watched_and_may_take_its_own_profile(python):
    assert python(python.script(FORK)).stdout.split() == ["11", "2"]


def test_a_child_that_ends_by_itself_gives_no_report(python):
    run = ("-m", "skimage_gpu_backend", "run", "--profile", "--profile-json", "profile.json")
    done = python(*run, python.script(CHILD))
    assert done.stdout == "3\n"
    assert done.stderr.count("0 of 2 calls ran on the device") == 1
    assert "calls ran" not in done.stderr.replace("0 of 2 calls ran on the device", "")
