# SPDX-License-Identifier: MIT
# See common.gypi.
{"variables": {}, "target_defaults": {}}
