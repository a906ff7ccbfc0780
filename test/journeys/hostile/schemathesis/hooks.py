"""What Schemathesis cannot know of a broker: who it is there, and that a poll waits as long as it is told."""

import os
import re

import schemathesis

DURATION = re.compile(r"(\d+(\.\d+)?(ns|us|µs|ms|s|m|h))+")
KNOWN = {
    "clusterID": os.environ["BOURSE_CLUSTER"],
    "id": os.environ["BOURSE_RESERVATION"],
}


@schemathesis.hook
def before_call(context, case, kwargs):
    shorten_wait(case)
    is_declared = case.method.upper() == case.operation.method.upper()
    if not is_declared or case.meta is not None and case.meta.generation.mode.is_positive:
        name_what_there_is(case)


def shorten_wait(case):
    """A wait that the broker takes is taken, but not for half a minute."""
    wait = (case.query or {}).get("wait")
    if isinstance(wait, str) and DURATION.fullmatch(wait):
        case.query["wait"] = "10ms"


def name_what_there_is(case):
    """Ids by chance are all unknown: so that what lies behind them is tried as well. No schema can
    say what a cursor or a proof of this broker is, that one of several amounts is positive, or that
    two places name the same request.
    """
    (case.query or {}).pop("cursor", None)
    (case.headers or {}).pop("Bourse-Seen", None)
    if "/peerings/" not in case.path:
        for name in KNOWN.keys() & (case.path_parameters or {}).keys():
            case.path_parameters[name] = KNOWN[name]
    if not isinstance(case.body, dict):
        return
    case.body = {name: printable(value) for name, value in case.body.items()}
    if "clusterID" in case.body:
        case.body["clusterID"] = KNOWN["clusterID"]
    if case.body.get("requestId"):
        (case.headers or {}).pop("Idempotency-Key", None)
    if isinstance(case.body.get("resources"), dict):
        # That it is a part of capacity no schema can say either.
        case.body["resources"].pop("allocatable", None)
    if "requestedResources" in case.body:
        case.body["requestedResources"] = {"cpu": "1m", "memory": "1Mi"}


def printable(value):
    """The patterns that forbid control characters are beyond what it can generate from, and dropped."""
    if not isinstance(value, str) or value.isprintable():
        return value
    return "".join(one for one in value if one.isprintable()) or "x"
