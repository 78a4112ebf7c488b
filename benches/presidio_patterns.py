"""Reads texts, a JSON string a line, and answers each with the seconds that presidio's pattern recognizers took."""

import importlib.metadata
import json
import sys
import time

from presidio_analyzer import PatternRecognizer, RecognizerRegistry

registry = RecognizerRegistry()
registry.load_predefined_recognizers(languages=["en"])
recognizers = [one for one in registry.recognizers if isinstance(one, PatternRecognizer)]
version = importlib.metadata.version("presidio-analyzer")
print(json.dumps({"version": version, "recognizers": len(recognizers)}), flush=True)
for line in sys.stdin:
    text = json.loads(line)
    start = time.perf_counter()
    for recognizer in recognizers:
        recognizer.analyze(text, recognizer.supported_entities, None)
    print(time.perf_counter() - start, flush=True)
