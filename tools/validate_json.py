#!/usr/bin/python3
"""Validates JSON documents against a JSON Schema of docs/formats.

    validate_json.py SCHEMA [FILE]

FILE (default: standard input) holds one document, a list of them with --each, or JSON lines with --lines.
Prints where and what for every violation. Exit: 0 valid, 1 violations, 2 usage, 3 unreadable.
"""

import argparse
import json
import pathlib
import sys

import jsonschema


def documents(text, arguments):
    if arguments.lines:
        return [json.loads(line) for line in text.splitlines() if line.strip()]
    document = json.loads(text)
    return document if arguments.each else [document]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("schema", type=pathlib.Path)
    parser.add_argument("file", nargs="?", type=pathlib.Path)
    how = parser.add_mutually_exclusive_group()
    how.add_argument("--each", action="store_true", help="the file holds a list of documents")
    how.add_argument("--lines", action="store_true", help="the file holds one document a line")
    arguments = parser.parse_args()
    try:
        schema = json.loads(arguments.schema.read_text())
        found = documents(arguments.file.read_text() if arguments.file else sys.stdin.read(), arguments)
    except (OSError, ValueError) as error:
        print(error, file=sys.stderr)
        return 3
    jsonschema.Draft7Validator.check_schema(schema)
    # a schema may refer to another by its file name
    resolver = jsonschema.RefResolver(arguments.schema.resolve().as_uri(), schema)
    validator = jsonschema.Draft7Validator(schema, resolver=resolver)
    bad = 0
    for number, document in enumerate(found, 1):
        for error in validator.iter_errors(document):
            bad += 1
            print(f"document {number}, {error.json_path}: {error.message}")
    if not found:
        print("no document")
    return 1 if bad or not found else 0


if __name__ == "__main__":
    sys.exit(main())
