#!/usr/bin/env python3
"""Compares the scores of the job's jar with those of the package vaderSentiment, on the same cleaned texts.

Usage: compare.py --jar target/q4.jar [--texts FILE] [--random N] [--seed N] [--least-pearson R]

The texts are those of FILE, VADER's rated tweets (number, rating, text; tabs between), and N made from the words of the lexicon.
Prints one line of JSON. Exit code 1: a score differs, or the scores go with the ratings of FILE less than R.
"""

import argparse
import json
import math
import random
import subprocess
import sys

from vaderSentiment import vaderSentiment as vader

SHOWN_DIFFERENCES = 10
JOINTS = [" ", " ", " ", " ", " ", "  ", ", ", "! ", "? ", "... ", "\u00a0", " - ", "!!! ", "?? ", "-", "\u3000"]
PLAIN = [
    "but", "but", "no", "or", "nor", "least", "at", "very", "never", "so", "this", "without", "doubt", "kind", "of", "sort", "just",
    "enough", "the", "was", "it", "I", "movie", "don't", "isn't", "Straße", "ΣΑΣ", "İstanbul", "ǅungla", "é", "𝒜𝒷", "ªº", "123",
    ":)", ":-(", "<3", ":D", "&", "#happy", "@", "😀", "💔", "😀😢", "☺️", "❤", "x😁y",
]


def plain_sum(values):
    """Adds from left to right, as every Python did until 3.12; since then `sum` corrects what rounding loses."""
    total = 0
    for value in values:
        total += value
    return total


def made_texts(count, seed):
    """Texts that reach every rule: lexicon words, degree words, negations, phrases, capitals, punctuation, emojis."""
    dice = random.Random(seed)
    analyzer = vader.SentimentIntensityAnalyzer()
    pools = [
        sorted(analyzer.lexicon),
        sorted(vader.BOOSTER_DICT),
        vader.NEGATE,
        sorted(vader.SPECIAL_CASES),
        PLAIN,
        PLAIN,
    ]
    few = [dice.choice(pools[0]) for _ in range(40)]
    for _ in range(count):
        words = []
        for _ in range(dice.randint(1, 14)):
            word = dice.choice(dice.choice(pools + [few, few]))
            words.append(dice.choice([str, str, str, str.upper, str.capitalize])(word))
            words.append(dice.choice(JOINTS))
        yield "".join(words)


def scores_of_jar(jar, texts):
    """Id, score and cleaned text of each of the texts that the job takes."""
    lines = "".join(f"{number}\t0\t{text}\n" for number, text in texts)
    command = ["java", "-Dfile.encoding=UTF-8", "-cp", jar, "dev.sluice.examples.q4.ScoreLines"]
    run = subprocess.run(command, input=lines.encode(), stdout=subprocess.PIPE, check=True)
    for line in run.stdout.decode().split("\n")[:-1]:
        number, score, text = line.split("\t")
        yield int(number), int(score), text


def pearson(pairs):
    """The correlation of pairs."""
    count = len(pairs)
    mean_x = sum(x for x, _ in pairs) / count
    mean_y = sum(y for _, y in pairs) / count
    both = sum((x - mean_x) * (y - mean_y) for x, y in pairs)
    square_x = sum((x - mean_x) ** 2 for x, _ in pairs)
    square_y = sum((y - mean_y) ** 2 for _, y in pairs)
    return both / math.sqrt(square_x * square_y)


def options():
    """The arguments."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--jar", required=True)
    parser.add_argument("--texts")
    parser.add_argument("--random", type=int, default=20000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--least-pearson", type=float, default=0.85)
    return parser.parse_args()


def main():
    """Compares, prints the result, and returns the exit code."""
    asked = options()
    vader.sum = plain_sum
    ratings, texts = {}, []
    if asked.texts:
        with open(asked.texts, encoding="utf-8-sig", newline="\n") as file:
            for line in file:
                number, rating, text = line.rstrip("\r\n").split("\t")
                ratings[int(number)] = float(rating)
                texts.append((int(number), text))
    first = max(ratings, default=0) + 1
    texts += enumerate(made_texts(asked.random, asked.seed), first)

    analyzer = vader.SentimentIntensityAnalyzer()
    compared, different, shown, pairs = 0, 0, [], []
    for number, score, text in scores_of_jar(asked.jar, texts):
        expected = round(analyzer.polarity_scores(text)["compound"] * 10000)
        compared += 1
        if score != expected:
            different += 1
            shown += [{"text": text, "expected": expected, "actual": score}][: SHOWN_DIFFERENCES - len(shown)]
        if number in ratings:
            pairs.append((score, ratings[number]))
    result = {"texts": len(texts), "compared": compared, "different": different, "rated": len(pairs)}
    if pairs:
        result["pearson"] = round(pearson(pairs), 4)
        result["same_sign"] = round(sum(x * y > 0 for x, y in pairs) / len(pairs), 4)
    print(json.dumps(result))
    for difference in shown:
        print(json.dumps(difference, ensure_ascii=False), file=sys.stderr)
    complete = compared > 0 and compared >= len(texts) * 0.99
    is_right = different == 0 and complete and result.get("pearson", 1) >= asked.least_pearson
    return 0 if is_right else 1


if __name__ == "__main__":
    sys.exit(main())
