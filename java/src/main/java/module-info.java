// SPDX-License-Identifier: MIT

/**
 * Time-ordered unique 64-bit IDs (Snowflake: time, node, sequence), made in process.
 *
 * <p>From JDK 24 on a program says which modules may call native code, or is warned: start it with
 * {@code --enable-native-access=io.github.flakecore}.
 */
module io.github.flakecore {
  requires static org.jspecify;
  requires static com.fasterxml.jackson.databind;

  exports io.github.flakecore;
  exports io.github.flakecore.jackson;
}
