"""hpl-rv on HPL properties: what it says of traces, and how fast it is.

    python monitors.py agree < LINES
    python monitors.py speed N PENDING

Needs hpl-specs 1.4.0 and hpl-rv 1.2.0.

agree
-----
Each line of standard input is an object of JSON:

    {"property": "globally: /a causes /b within 500 ms",
     "trace": [{"at_ms": 40, "channel": "/a", "msg": {"x": 1}}, ...],
     "end_ms": 1000}

Times are whole milliseconds, from 0 on, not decreasing, and end_ms is not
before the last message. Each answer is a line of JSON:

    {"verdict": "violated", "at_ms": 540, "why": null}
    {"verdict": "holds", "at_ms": null, "why": null}
    {"verdict": "unsupported", "at_ms": null, "why": "HplSyntaxError: ..."}

"violated" has the time of the first violation (hpl-rv stops there); "holds"
is all else, whether hpl-rv says true or not yet false. "unsupported" is for
whatever cannot be read, generated or run; it is no difference.

The monitor of a property is the class that hpl-rv generates. Its clock is in
milliseconds here: the bound (float seconds in hpl-specs, where 0.7 - 0.4 is
not >= 0.3) is made a whole number of them before the class is generated. It
is also woken when a bound may have passed, not only when messages come, so
that the time of a violation is the deadline and not that of the next message.

Where hpl-rv means the same as we do
------------------------------------
Over pairs of property and trace with all of these, the verdict and the time
of the first violation are the same as in HPL.md, at equal times of messages,
at exact bounds and at the end too ("violated" is the same; "holds" is our
satisfied, pending, or pending and owed):

 1. causes: no message matches the trigger while it answers an earlier one.
    Enough: no message matches both a and b. (In hpl-rv the answer consumes
    the message; it becomes no trigger.)
 2. requires, where an alternative of a refers to b: no message matches b and
    is the a of a later b. Enough: a and b have different channels. (A b that
    is allowed is not stored as an a.) And if a is a disjunction, every
    alternative of it refers to b. (One that does not is never found.)
    Nothing is asked of requires without such references, of forbids, no and
    some: a message may have both roles there, `/c forbids /c` included.
 3. after p until q: no message that arrives while no scope is open matches
    both p and an alternative of q without a reference to p. (hpl-rv opens.)
    Terminators that match a or b, or p inside of a scope, do no harm.
 4. Nothing refers to an alias that is given inside of a disjunction, other
    than that alternative itself. (The variable is missing at run time.)
 5. Alternatives of one disjunction have different channels (hpl-specs).
 6. Channels have no "~"; no two channels of a property are equal after "/"
    is replaced by "_", as in /a/b and /a_b. (Names of methods.)
 7. Bounds are whole milliseconds, above 0.
 8. Predicates have values: fields exist and have one type each (numbers,
    booleans and strings are not compared with each other), indices are in
    0..len, nothing is divided by 0, min and max have elements. hpl-rv raises
    where we say "no value" (and for -1 takes the last element of an array).
 9. Predicates do without: sets of one element, INF and NAN (the generated
    code is broken), a unary minus before ** (it is -(x ** 2) there and
    (-x) ** 2 for us), functions other than abs bool int float len sum prod
    min max sqrt ceil floor and the trigonometric ones, more than one argument
    of a function (hpl-specs), str, fields whose names are words of Python,
    names that begin with not, forall, exists, E, PI, INF or NAN (hpl-specs
    takes the beginning for the word), @1, $v, and ranges with bounds that are
    not integers as domain of a quantifier. Every quantified variable is used.
    iff only between boolean expressions, not between fields that may be 0.
10. a implies b implies c is read from the left there: parentheses.

speed
-----
Monitors the property

    globally: /request as R causes /response {id = @R.id} within 500 ms

on the trace of trace(N) in baselines/src/lib.rs, and prints

    {"events": N + 1, "seconds": 1.5, "violations": 20}

The seconds are CPU time of the calls of the monitor; the trace is made before,
with messages as objects with slots, and the method of each event is looked up
before, too. hpl-rv stops at the first violation. Here its callback of
violations, on_violation, counts and puts the state back to what it would be
without the trigger that was violated, which hpl-rv has taken out of its
storage by then; all other triggers stay there. A tick is a call of on_timer;
a message looks at the clock by itself.

With PENDING > 0 the bound is 3600 s, and PENDING requests at time 0 with ids
that are never answered come first. The N events after them are pairs: request
k at 2k ms, its response at 2k + 1 ms. There is no violation, as long as N is
below 3 600 000. The seconds are those of the N events only.
"""

import argparse
import gc
import json
import sys
from time import process_time
from types import SimpleNamespace

from hpl.parser import property_parser
from hplrv.gen import MonitorGenerator

INF = float("inf")


# --------------------------------------------------------------- monitors

class Monitors:
    """Classes of monitors by property, each generated once."""

    def __init__(self):
        # One parser for all: to make it takes longer than to use it. The same
        # for the library that hpl-rv generates around its classes, of which a
        # class needs the imports and MsgRecord.
        self.parser = property_parser()
        self.generator = MonitorGenerator()
        self.library = {}
        exec(self.generator.monitor_library([]), self.library)
        self.made = {}

    def get(self, text):
        """The class and the bound in milliseconds, or the trouble."""
        if text not in self.made:
            try:
                self.made[text] = self.make(text)
            # Whatever is raised: by lark, hpl, jinja or the compiler.
            except Exception as trouble:  # pylint: disable=broad-except
                self.made[text] = trouble
        if isinstance(self.made[text], Exception):
            raise self.made[text]
        return self.made[text]

    def make(self, text):
        ast = self.parser.parse(text)
        bound = None
        if ast.pattern.max_time < INF:
            bound = round(ast.pattern.max_time * 1000)
            if bound <= 0 or bound / 1000 != ast.pattern.max_time:
                raise ValueError("not a bound of whole milliseconds")
            ast = ast.but(pattern=ast.pattern.but(max_time=float(bound)))
        names = {}
        exec(self.generator.monitor_class(ast, class_name="M"),
             self.library, names)
        return names["M"], bound


# ------------------------------------------------------------------ agree

def whole(time):
    if not isinstance(time, int) or isinstance(time, bool) or time < 0:
        raise ValueError(f"not a time in whole milliseconds: {time}")
    return time


def first_violation(monitor, bound, trace, end):
    """The time of the first violation, or None.

    All deadlines are a bound after a message or after the start. They are
    as ordered as the messages are, so a position in them is enough."""
    found = []
    monitor.on_violation = lambda stamp, witness: found.append(stamp)
    monitor.on_launch(0)
    deadlines, due = [0 if bound is None else bound], 0

    def wake(now):
        nonlocal due
        while bound is not None and due < len(deadlines) \
                and deadlines[due] <= now:
            monitor.on_timer(deadlines[due])
            due += 1
        monitor.on_timer(now)

    last = 0
    for event in trace:
        now = whole(event.at_ms)
        if now < last:
            raise ValueError("times decrease")
        last = now
        wake(now)
        if found:
            return found[0]
        callback = monitor.cb_map.get(event.channel)
        if callback is not None:
            callback(event.msg, now)
            if found:
                return found[0]
        if bound is not None:
            deadlines.append(now + bound)
    if whole(end) < last:
        raise ValueError("the end is before the last message")
    wake(end)
    return found[0] if found else None


def agree():
    monitors = Monitors()
    for text in sys.stdin:
        answer = {"verdict": "unsupported", "at_ms": None, "why": None}
        try:
            # Messages have attributes, for generated code; so has the rest.
            pair = json.loads(text, object_hook=lambda fields:
                              SimpleNamespace(**fields))
            monitor, bound = monitors.get(pair.property)
            time = first_violation(monitor(), bound, pair.trace, pair.end_ms)
            answer["verdict"] = "holds" if time is None else "violated"
            answer["at_ms"] = time
        # Whatever is raised: generated code raises what its text leads to.
        except Exception as trouble:  # pylint: disable=broad-except
            answer["why"] = f"{type(trouble).__name__}: {trouble}"
        print(json.dumps(answer), flush=True)


# ------------------------------------------------------------------ speed

ANSWERED = "globally: /request as R causes /response {id = @R.id} within "


class Id:
    __slots__ = ("id",)

    def __init__(self, number):
        self.id = number


def trace(size):
    """The events (at_ms, channel, id) and the number of violations: the same
    as in baselines/src/lib.rs. A tick has no channel."""
    state = 0x9E37_79B9_7F4A_7C15

    def random(bound):
        nonlocal state
        state ^= (state << 13) & 0xFFFF_FFFF_FFFF_FFFF
        state ^= state >> 7
        state ^= (state << 17) & 0xFFFF_FFFF_FFFF_FFFF
        return state % bound

    events, violations = [], 0
    for number in range(size // 2):
        at_ms = 2 * number
        events.append((at_ms, "/request", number))
        if number % 10_000 == 6_000:
            violations += 1
            continue
        late = number % 10_000 == 1_000
        violations += late
        delay = 501 + random(400) if late else 1 + random(450)
        events.append((at_ms + delay, "/response", number))
    events.sort(key=lambda event: event[0])
    last = events[-1][0] if events else 0
    while len(events) < size:
        last += 1_000
        events.append((last, None, 0))
    events.append((last + 1_000, None, 0))
    return events, violations


def pairs(size):
    """The events after those that stay pending, and their violations: none."""
    channels = "/request", "/response"
    return [(time, channels[time % 2], time // 2) for time in range(size)], 0


def speed(size, pending):
    if size < 2:
        raise SystemExit("an event or two, at least")
    events, expected = pairs(size) if pending else trace(size)
    if events[-1][0] >= 3_600_000 and pending:
        raise SystemExit("the hour passes")
    bound = "3600 s" if pending else "500 ms"
    monitor = Monitors().get(ANSWERED + bound)[0]()
    violations = 0

    def go_on(_stamp, witness):
        nonlocal violations
        violations += 1
        witness.clear()
        # Pending triggers left: ACTIVE, and SAFE without.
        monitor._state = 2 if monitor._pool else 3

    monitor.on_violation = go_on
    monitor.on_launch(0)
    for number in range(pending):
        monitor.cb_map["/request"](Id(-1 - number), 0)
    calls = [(monitor.cb_map.get(channel), Id(number), time)
             for time, channel, number in events]
    timer = monitor.on_timer
    gc.collect()
    gc.disable()
    begin = process_time()
    for callback, received, now in calls:
        if callback is None:
            timer(now)
        else:
            callback(received, now)
    # A call takes one violated trigger out: as many as there may be at once.
    last = -1
    while violations != last:
        last = violations
        timer(now)
    seconds = process_time() - begin
    gc.enable()
    if violations != expected:
        raise SystemExit(f"{violations} violations, {expected} expected")
    print(json.dumps({"events": len(events), "seconds": seconds,
                      "violations": violations}))


def main():
    options = argparse.ArgumentParser()
    commands = options.add_subparsers(dest="command", required=True)
    commands.add_parser("agree")
    fast = commands.add_parser("speed")
    fast.add_argument("size", type=int, metavar="N")
    fast.add_argument("pending", type=int, metavar="PENDING")
    options = options.parse_args()
    if options.command == "agree":
        agree()
    else:
        speed(options.size, options.pending)


if __name__ == "__main__":
    main()
