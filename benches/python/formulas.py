"""What flloat says of LTLf formulas, compared with what is expected.

    python formulas.py < LINES

Each line of standard input is an object of JSON:

    {"formula": "(a) U (WX(b))",        in the syntax of flloat
     "word": [["a"], ["b", "a"], []],   for each instant the atoms that hold
     "holds": true,                     what is expected at the first instant
     "ours": "a U N b"}                 how the formula is shown

flloat evaluates the formula at the first instant of the word (truth(), the
meaning itself; no automaton is made). Standard output has every difference,
the first 10 of them at most, and then the last line:

    compared N, differences D

The exit code is 1 if there are differences, and 2 if a line is not of this
form or flloat cannot read its formula; nothing is counted then.

Words without instants are refused. LTLf is defined for words with at least
one; for the empty one flloat takes "true" and "!true" both to be false.
"""

import json
import sys

from flloat.parser.ltlf import LTLfParser

SHOWN_MAX = 10  # differences that are printed


def read(line, parse):
    """The formula by flloat, the word as flloat takes it, and the line."""
    line = json.loads(line)
    formula, word = line["formula"], line["word"]
    if not isinstance(formula, str) or not isinstance(line["holds"], bool):
        raise ValueError("a formula is a text, and holds or does not")
    if not word:
        raise ValueError("a word needs an instant")
    # An atom that is not in an interpretation is false.
    trace = [{atom: True for atom in instant} for instant in word]
    return parse(formula), trace, line


def show(line, said):
    print(f"{line['ours']}\n  of {json.dumps(line['word'])}: "
          f"{str(line['holds']).lower()} expected, flloat says "
          f"{str(said).lower()} of {line['formula']}")


def main():
    parse = LTLfParser()
    compared = differences = 0
    for number, text in enumerate(sys.stdin, 1):
        try:
            formula, trace, line = read(text, parse)
        # Whatever is raised: lark has errors of its own for each kind of
        # unexpected text, and the transformer of flloat has more.
        except Exception as trouble:  # pylint: disable=broad-except
            print(f"line {number}: {text.strip()}\n"
                  f"{type(trouble).__name__}: {trouble}", file=sys.stderr)
            raise SystemExit(2) from None
        said = formula.truth(trace, 0)
        compared += 1
        if said != line["holds"]:
            differences += 1
            if differences <= SHOWN_MAX:
                show(line, said)
    print(f"compared {compared}, differences {differences}")
    raise SystemExit(1 if differences else 0)


if __name__ == "__main__":
    main()
