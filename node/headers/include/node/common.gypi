# SPDX-License-Identifier: MIT
# What node-gyp expects beside Node's headers. Node-API needs nothing of Node's own build, so that
# the same module serves every Node; with this file node-gyp has nothing to fetch.
{
  "target_defaults": {
    "default_configuration": "Release",
    "configurations": {"Release": {}},
    "cflags": ["-fPIC"],
    "xcode_settings": {"GCC_SYMBOLS_PRIVATE_EXTERN": "YES", "MACOSX_DEPLOYMENT_TARGET": "11.0"}
  }
}
