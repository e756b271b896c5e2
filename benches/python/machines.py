"""Speed of AALpy on a Mealy machine that is compared with itself.

    python machines.py FILE.dot [--turns N]

The machine of the file is loaded twice: once as the system under learning
(SUL) and once as the hypothesis. They are equal, so no test finds a
counterexample and each oracle does all of its work. Standard output:

    walk N            random walk, steps per second (AALpy's default resets)
    walk_noreset N    the same, never going back to the start
    wp N              Wp method (k = 0), steps per second, with the making of
                      the tests; access sequences are given, as AALpy's
                      learners give them
    wp_all N          the same, with the search of the access sequences
    wp_tests T S      number of tests and of steps of that Wp suite
    loop N            a plain loop over drawn inputs with AALpy's step method

A step is one input given to the SUL and to the hypothesis, and the
comparison of both outputs. Every number is the best of N turns (3 unless
told), after a warm-up. Remarks go to standard error.
"""

import argparse
import gc
import random
import re
import sys
from time import perf_counter

from aalpy.automata import MealyMachine
from aalpy.oracles import RandomWalkEqOracle, WpMethodEqOracle
from aalpy.SULs import MealySUL
from aalpy.utils import load_automaton_from_file

WALK_STEPS = 300_000  # steps of one turn of the walk and of the loop
TURN_SECONDS = 0.3    # the Wp method is repeated in a turn to last this long
WARM_CALLS = 20       # short calls before the turns, see best()
WARM_STEPS = 2_000    # steps of a short walk or loop

# An edge: source, target, and the rest up to ";" or the end of the line.
EDGE = re.compile(r'"?([^\s"\[;]+)"?\s*->\s*"?([^\s"\[;]+)"?'
                  r'((?:"[^"]*"|[^"\n;])*)')
LABEL = re.compile(r'label\s*=\s*(?:"([^"]*)"|([^\s\],;]+))')


# ---------------------------------------------------------------- loading

def parse(path):
    """Reads the file with two patterns. Returns {state: {input: (output,
    target)}} with the start state first, the form that AALpy builds from."""
    table, start = {}, None
    with open(path, encoding="utf-8") as file:
        for source, target, rest in EDGE.findall(file.read()):
            if source == "__start0":
                start = target
                continue
            label = LABEL.search(rest)
            word, _, output = (label[1] or label[2]).partition("/")
            edges = table.setdefault(source, {})
            edges[word.strip()] = (output.strip(), target)
            table.setdefault(target, {})
    if start is None:
        raise SystemExit(f"{path}: no edge from __start0")
    return {start: table.pop(start), **table}


def load(path):
    """The machine of the file, by AALpy's loader if it reads as many states
    and edges as the file has, otherwise built from our own parse."""
    table = parse(path)
    try:
        machine = load_automaton_from_file(path, "mealy")
        same = (machine.size == len(table)
                and sum(len(s.transitions) for s in machine.states)
                == sum(map(len, table.values())))
    except (AssertionError, AttributeError, KeyError, ValueError):
        same = False
    if not same:
        print("AALpy's loader does not read this file: built from the parse",
              file=sys.stderr)
        machine = MealyMachine.from_state_setup(table)
    share_labels(machine)
    return machine


def share_labels(machine):
    """Makes equal labels one object, in both machines. Lookups and
    comparisons of one object with itself are faster in Python; the loader
    makes a new string for each edge."""
    def share(label):
        return sys.intern(label) if isinstance(label, str) else label

    for state in machine.states:
        state.transitions = {share(i): t for i, t in state.transitions.items()}
        state.output_fun = {share(i): share(o)
                            for i, o in state.output_fun.items()}


def find_access_sequences(machine):
    """The shortest input words to each state, by AALpy, from scratch."""
    for state in machine.states:
        state.prefix = None
    machine.compute_prefixes()


# -------------------------------------------------------------- measuring

def best(turns, turn):
    """The best steps per second of some turns. turn(short) returns the number
    of steps done and the seconds they took. The collector of garbage does not
    run inside a turn, as in the timeit module.

    The warm-up is many short calls and not one long call: Python 3.11 makes
    the faster form of a function with a while loop, as AALpy's walk is, only
    after its eighth call. Before that the walk has about 60 % of its speed."""
    for _ in range(WARM_CALLS):
        turn(True)
    rates = []
    for _ in range(turns):
        gc.collect()
        gc.disable()
        steps, seconds = turn(False)
        gc.enable()
        rates.append(steps / seconds)
    return int(max(rates))


def walk(short, sul, hypothesis, alphabet, **options):
    # An oracle counts its steps over its whole life: each turn has a new one.
    goal = WARM_STEPS if short else WALK_STEPS
    oracle = RandomWalkEqOracle(alphabet, sul, num_steps=goal, **options)
    begin = perf_counter()
    found = oracle.find_cex(hypothesis)
    seconds = perf_counter() - begin
    assert found is None and oracle.num_steps == goal
    return oracle.num_steps, seconds


def wp(short, sul, hypothesis, alphabet, with_access):
    # An oracle remembers the tests it has done and the hypothesis its
    # characterization set; both are new each time, so that all is done again.
    steps, seconds = 0, 0.0
    while seconds < (0.01 if short else TURN_SECONDS):
        begin = perf_counter()
        hypothesis.characterization_set = []
        if with_access:
            find_access_sequences(hypothesis)
        oracle = WpMethodEqOracle(alphabet, sul,
                                  max_number_of_states=hypothesis.size)
        found = oracle.find_cex(hypothesis)
        seconds += perf_counter() - begin
        assert found is None
        steps += oracle.num_steps
    return steps, seconds


class CountingSUL(MealySUL):
    """Counts resets and steps by itself, to check the oracle's counters."""

    def __init__(self, machine):
        super().__init__(machine)
        self.resets = self.steps = 0

    def pre(self):
        self.resets += 1
        super().pre()

    def step(self, letter=None):
        self.steps += 1
        return super().step(letter)


def wp_size(system, hypothesis, alphabet):
    """Number of tests and of steps of the Wp suite, not timed."""
    sul = CountingSUL(system)
    oracle = WpMethodEqOracle(alphabet, sul,
                              max_number_of_states=hypothesis.size)
    assert oracle.find_cex(hypothesis) is None
    assert (oracle.num_queries, oracle.num_steps) == (sul.resets, sul.steps)
    return sul.resets, sul.steps


def loop(short, system, hypothesis, inputs):
    if short:
        inputs = inputs[:WARM_STEPS]
    system.reset_to_initial()
    hypothesis.reset_to_initial()
    step_system, step_hypothesis = system.step, hypothesis.step
    begin = perf_counter()
    for letter in inputs:
        if step_system(letter) != step_hypothesis(letter):
            raise AssertionError("the machines differ")
    return len(inputs), perf_counter() - begin


def main():
    options = argparse.ArgumentParser()
    options.add_argument("file")
    options.add_argument("--turns", type=int, default=3)
    options = options.parse_args()
    turns = options.turns

    system, hypothesis = load(options.file), load(options.file)
    alphabet = hypothesis.get_input_alphabet()
    if not hypothesis.is_input_complete():
        raise SystemExit("the machine lacks edges; AALpy cannot walk on it")
    random.seed(1)
    sul = MealySUL(system)  # no cache around it: a cache slows each step
    print(f"states {hypothesis.size}, inputs {len(alphabet)}", file=sys.stderr)

    print("walk", best(
        turns, lambda short: walk(short, sul, hypothesis, alphabet)))
    print("walk_noreset", best(
        turns, lambda short: walk(short, sul, hypothesis, alphabet,
                                  reset_prob=0)))

    find_access_sequences(hypothesis)
    if (any(state.prefix is None for state in hypothesis.states)
            or not hypothesis.is_minimal()):
        print("not minimal or not connected: no Wp method", file=sys.stderr)
    else:
        print("wp", best(
            turns, lambda short: wp(short, sul, hypothesis, alphabet, False)))
        print("wp_all", best(
            turns, lambda short: wp(short, sul, hypothesis, alphabet, True)))
        print("wp_tests", *wp_size(system, hypothesis, alphabet))

    inputs = random.choices(alphabet, k=WALK_STEPS)
    print("loop", best(
        turns, lambda short: loop(short, system, hypothesis, inputs)))


if __name__ == "__main__":
    main()
