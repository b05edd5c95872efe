#!/usr/bin/env python3
"""Writes the data of VADER that the job scores by, from the installed package vaderSentiment, into the resources.

Usage: fetch_vader.py (in an environment with vaderSentiment 3.3.2; its licence file is taken along)
"""

import importlib.metadata
import pathlib
import shutil

from vaderSentiment import vaderSentiment as vader

TARGET = pathlib.Path(__file__).parent / "src/main/resources/vader"


def main():
    """Copies both lexicons and the licence as they are, and writes the three word lists as one table."""
    TARGET.mkdir(parents=True, exist_ok=True)
    source = pathlib.Path(vader.__file__).parent
    for name in ("vader_lexicon.txt", "emoji_utf8_lexicon.txt"):
        shutil.copyfile(source / name, TARGET / name)
    for file in importlib.metadata.files("vaderSentiment"):
        if file.name == "LICENSE.txt":
            shutil.copyfile(file.locate(), TARGET / "LICENSE.txt")
    rows = [f"booster\t{word}\t{step}" for word, step in vader.BOOSTER_DICT.items()]
    rows += [f"negation\t{word}" for word in vader.NEGATE]
    rows += [f"phrase\t{words}\t{rating}" for words, rating in vader.SPECIAL_CASES.items()]
    (TARGET / "words.tsv").write_text("\n".join(rows) + "\n", encoding="utf-8", newline="\n")


if __name__ == "__main__":
    main()
