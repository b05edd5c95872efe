"""Generated lines for the parsers of the jobs that move something: values of our own, in the shape that each reads."""

import json
import random
from datetime import datetime, timedelta

COUNT = 150
WORDS = "the cat sat on a mat #flink #edge and the dog ran to #flink in rain".split()


def words(r):
    return " ".join(r.choice(WORDS) for _ in range(r.randint(0, 9)))


def number(r):
    return f"{r.uniform(-9, 99):.2f}"


def numbers(r, count):
    return [number(r) for _ in range(count)]


def when(i, form):
    return (datetime(2020, 1, 1) + timedelta(seconds=7 * i)).strftime(form)


def row(*values):
    return ",".join(str(value) for value in values)


def quote(r, i):
    return row(r.choice("ABCD"), when(i, "%Y-%m-%d"), *numbers(r, 5), r.randint(1, 9999))


def click(r, i):
    return json.dumps({"url": r.choice(["/a", "/b", "/c"]), "ip": f"10.0.0.{r.randint(1, 9)}", "clientKey": str(r.randint(1, 20))})


def task(r, i):
    if i % 9 == 0:
        return "broken,line"
    head = row(1000 + i, r.randint(1, 9), r.randint(1, 5), r.randint(0, 3), r.randint(1, 9), 0, 0, r.randint(0, 3))
    return row(head, *numbers(r, 2), 0, 0, number(r), 0, 0, r.randint(0, 9), 0, r.randint(0, 1), r.randint(0, 5))


def vehicle(r, i):
    place = row(r.randint(0, 1), r.randint(0, 3), r.randint(0, 1), r.randint(0, 9), r.randint(0, 5000))
    return row(0, i, r.randint(1, 30), r.randint(0, 90), place, 0, 0, 0, 0, 0, 0)


def access(r, i):
    return f'10.0.0.{r.randint(1, 9)} - - [{when(i, "%d/%b/%Y:%H:%M:%S")} +0000] "GET /x HTTP/1.1" {r.choice([200, 404, 500])} 12'


def usage(r, i):
    middle = ["", ""] if i % 5 == 0 else numbers(r, 2)
    return row(f"m{r.randint(1, 5)}", i, *numbers(r, 2), *middle, *numbers(r, 3))


def tweet(r, i):
    return json.dumps({"id": str(i), "text": words(r), "created_at": when(i, "%a %b %d %H:%M:%S +0000 %Y")})


def sensor(r, i):
    return " ".join([when(i, "%Y-%m-%d %H:%M:%S.0000000"), str(r.randint(1, 5)), *numbers(r, 4)])


def order(r, i):
    return row(f"o{i}", "name", "street", r.randint(1, 5), number(r), 0.1) if i % 8 else "short"


def car(r, i):
    return row(f"c{r.randint(1, 9)}", "x", when(i, "%Y-%m-%dT%H:%M:%S"), 39.9, 116.3, *numbers(r, 2)) if i % 8 else "short"


def topic(r, i):
    return row(i, r.randint(1, 99), when(i, "%Y-%m-%d"), "q", "u", "say " + words(r))


def house(r, i):
    return row(i, 1377986400 + i, number(r), r.randint(0, 1), r.randint(0, 2), r.randint(0, 2), r.randint(0, 3))


def visit(r, i):
    return row(r.randint(1, 9), r.randint(1, 20), 1577836800 + i, r.randint(1, 3))


def timed(r, i):
    return f'{r.choice("abcd")} {7 * i + r.randint(-9, 9)} {i}'


def pair(r, i):
    return f'{r.choice("abcd")} {i}'


def localised(r, i):
    return json.dumps({"user": {"lang": r.choice(["en", "de"])}, "text": "say " + words(r)})


def trip(r, i):
    if i % 11 == 0:
        return "garbage"
    time = when(i, "%Y-%m-%dT%H:%M:%SZ")
    if i % 7 == 0:
        return json.dumps({"type": "watermark", "watermark": time})
    place = {"pickup_latitude": 40.7 + r.random() / 50, "pickup_longitude": -73.9, "dropoff_latitude": 40.64, "dropoff_longitude": -73.78}
    return json.dumps({"type": "trip", "trip_id": i, "total_amount": 12.5, "pickup_datetime": time, "dropoff_datetime": time, **place})


def payment(r, i):
    time = when(i, "%Y-%m-%dT%H:%M:%S.000Z")
    return json.dumps({"t_time": time, "t_id": i, "t_customer_id": r.randint(1, 9), "t_amount": r.randint(1, 99) + 0.5})


def text(r, i):
    return words(r) or "x"


SHAPES = {
    "BargainIndex": quote,
    "ClickAnalytics": click,
    "GoogleCloudMonitoring": task,
    "IntervalJoinExample": timed,
    "JoinExample": pair,
    "LinearRoad": vehicle,
    "LogTask": visit,
    "LogsAnalyzer": access,
    "MachineOutlier": usage,
    "ProcessTaxiStreamLocal": trip,
    "SentimentAnalysis": tweet,
    "SmartGridJob": house,
    "SpikeDetection": sensor,
    "TPCH": order,
    "TopProductTask": visit,
    "TrafficMonitoring": car,
    "TrendingTopics": topic,
    "TwitterExample": localised,
    "UserInterestTask": visit,
    "WriteParquetFiles": payment,
}


def lines(job, node):
    """The lines for a source of a job; another source gets others."""
    r = random.Random(5 + node)
    return [SHAPES.get(job, text)(r, i) for i in range(COUNT)]
