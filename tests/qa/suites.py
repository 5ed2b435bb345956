"""The suites of `run.py`: their files, models, options and environment."""

import inference
import protocols
import repository
import scheduling

# The quick ones first.
SUITES = {**inference.SUITES, **protocols.SUITES, **repository.SUITES, **scheduling.SUITES}
