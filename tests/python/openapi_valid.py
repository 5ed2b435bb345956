"""Checks that documents conform to OpenAPI 3.1.

Usage: openapi_valid.py DOCUMENT...
"""

import json
import sys

from openapi_spec_validator import OpenAPIV31SpecValidator

for path in sys.argv[1:]:
    with open(path) as file:
        document = json.load(file)
    assert document["openapi"].startswith("3.1."), path
    OpenAPIV31SpecValidator(document).validate()
