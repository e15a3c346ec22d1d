# SPDX-License-Identifier: MIT
# One module out of the core and the layer over it. Only its entry points are visible: another copy
# of the core in the process is neither met nor served.
{
  "targets": [
    {
      "target_name": "flakecore",
      "sources": ["<!@(node -p \"['core', 'native'].flatMap(d => require('fs').readdirSync(d)"
                  ".filter(f => f.endsWith('.c')).map(f => d + '/' + f)).join(' ')\")"],
      "include_dirs": ["core"],
      "defines": ["NAPI_VERSION=8"],
      # Batches are filled by a loop of a few instructions, which costs half more when it straddles.
      "cflags": ["-std=gnu11", "-O2", "-falign-loops=32", "-fvisibility=hidden"],
      "conditions": [
        ["OS=='linux'", {
          # Never unloaded: when the last thread that uses it ends, Node would unload it, and with
          # it the memory of which IDs were issued; the next thread would repeat them.
          "ldflags": [
            "-Wl,--version-script=../native/exports.map",
            "-Wl,-z,nodelete"
          ]
        }],
        ["OS=='mac'", {"xcode_settings": {"GCC_OPTIMIZATION_LEVEL": "2"}}]
      ]
    }
  ]
}
