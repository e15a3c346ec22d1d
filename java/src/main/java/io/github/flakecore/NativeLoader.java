// SPDX-License-Identifier: MIT
package io.github.flakecore;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Loads the native library out of the jar.
 *
 * <p>It is written into a private file, loaded, and deleted at once, so that each class loader
 * loads a copy of its own: in the temporary folder, or, where files of that folder may not be
 * executed (mounted noexec), in the user's cache folder.
 */
final class NativeLoader {
  static final String PROPERTY = "io.github.flakecore.library";

  /** What a library must say of itself. */
  static final String VERSION = "0.1.0";

  private static final String NAME = "libflakecore_java.so";
  private static final String OLD_SYSTEM = "version `GLIBC_"; // what the system says of itself
  private static final String TWO_LOADERS = "already loaded in another classloader";

  private NativeLoader() {}

  /** Null, or why it cannot be loaded and what to set. */
  static @Nullable String load() {
    String named = System.getProperty(PROPERTY);
    try {
      return named == null ? loadOwn() : loadNamed(named);
    } catch (UnsatisfiedLinkError e) {
      return e.getMessage();
    } catch (IllegalCallerException e) {
      Module module = NativeLoader.class.getModule();
      return "this Java does not let flakecore load its native library (" + e.getMessage()
          + "); start the program with --enable-native-access="
          + (module.isNamed() ? module.getName() : "ALL-UNNAMED");
    }
  }

  private static @Nullable String loadOwn() {
    byte[] library = fromJar();
    String temporary = System.getProperty("java.io.tmpdir");
    String first = failure(() -> loadPrivate(path(temporary), library));
    if (first == null) return null;
    if (first.contains(OLD_SYSTEM)) return tooOld(first);
    String cache = cacheFolder();
    String second = failure(() -> loadPrivate(safe(path(cache)), library));
    if (second == null) return null;
    return "flakecore cannot load its native library from "
        + Objects.requireNonNullElse(temporary, "java.io.tmpdir") + " (" + first + ") nor from "
        + Objects.requireNonNullElse(cache, "the user's cache") + " (" + second + "); set the "
        + "system property java.io.tmpdir to a folder that can be written and whose files may be "
        + "executed, or " + PROPERTY + " to the absolute path of a copy of " + resource()
        + " out of the jar";
  }

  private static @Nullable String loadNamed(String path) {
    String why =
        failure(
            () -> {
              if (!Path.of(path).isAbsolute())
                throw new UnsatisfiedLinkError("it is not an absolute path");
              System.load(path);
              checkVersion();
            });
    if (why == null) return null;
    if (why.contains(OLD_SYSTEM)) return tooOld(why);
    String what =
        why.contains(TWO_LOADERS)
            ? "; let the class loaders share the jar, or leave the system property " + PROPERTY
                + " out, so that each loads a copy of its own"
            : "; set the system property " + PROPERTY + " to the absolute path of a copy of "
                + resource() + " out of the jar, or leave it out";
    return "flakecore cannot load the native library " + path + " (" + why + ")" + what;
  }

  /** What was named may be any library. */
  private static void checkVersion() {
    String version;
    try {
      version = new Native().version();
    } catch (UnsatisfiedLinkError e) {
      throw new UnsatisfiedLinkError("it is another library");
    }
    if (!version.equals(VERSION))
      throw new UnsatisfiedLinkError("it has version " + version + ", the jar " + VERSION);
  }

  private static String tooOld(String why) {
    return "flakecore's native library needs a newer C library than this system has (" + why
        + "); use a newer system, or build it on this one (the README says how) and set the system "
        + "property " + PROPERTY + " to its absolute path";
  }

  /** Something that may fail to load the library. */
  private interface Attempt {
    void run() throws IOException;
  }

  /** Null when it could be loaded, else why not. */
  private static @Nullable String failure(Attempt attempt) {
    try {
      attempt.run();
      return null;
    } catch (UnsatisfiedLinkError e) {
      return e.getMessage();
    } catch (IOException | InvalidPathException e) {
      return e.toString();
    }
  }

  // ---- where it is ------------------------------------------------------------------------------

  static String platform() {
    String arch = System.getProperty("os.arch");
    return System.getProperty("os.name").toLowerCase(Locale.ROOT).replace(" ", "")
        + "-" + ("amd64".equals(arch) ? "x86_64" : arch);
  }

  static String resource() {
    return "io/github/flakecore/native/" + platform() + "/" + NAME;
  }

  private static byte[] fromJar() {
    try (InputStream in = NativeLoader.class.getResourceAsStream("/" + resource())) {
      if (in != null) return in.readAllBytes();
    } catch (IOException e) {
      throw new UnsatisfiedLinkError("flakecore cannot read its jar: " + e);
    }
    throw new UnsatisfiedLinkError(
        "this jar of flakecore has no native library for " + platform() + "; build one there (the "
            + "README says how), and set the system property " + PROPERTY
            + " to its absolute path");
  }

  /** Null when nothing says where it is. */
  private static @Nullable String cacheFolder() {
    String named = System.getenv("XDG_CACHE_HOME");
    if (named != null && named.startsWith("/")) return named + "/flakecore";
    String home = System.getProperty("user.home");
    return home != null && home.startsWith("/") ? home + "/.cache/flakecore" : null;
  }

  private static Path path(@Nullable String folder) {
    if (folder == null) throw new UnsatisfiedLinkError("no property names it");
    return Path.of(folder).toAbsolutePath();
  }

  // ---- files ------------------------------------------------------------------------------------

  private static FileAttribute<Set<PosixFilePermission>> only(String owner) {
    return PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString(owner + "------"));
  }

  /** Not by Files.createTempFile, which needs a good java.io.tmpdir for every other folder too. */
  private static void loadPrivate(Path folder, byte[] library) throws IOException {
    Path file = folder.resolve("flakecore-" + UUID.randomUUID() + ".so");
    Files.createFile(file, only("rw-"));
    try {
      Files.write(file, library);
      System.load(file.toString());
    } finally {
      Files.deleteIfExists(file);
    }
  }

  /** The folder, made if need be, in whose place nobody else can put another one. */
  private static Path safe(Path folder) throws IOException {
    Files.createDirectories(folder, only("rwx"));
    Object us = Files.getAttribute(Path.of("/proc/self"), "unix:uid");
    var own = Files.readAttributes(folder, "unix:uid,mode", LinkOption.NOFOLLOW_LINKS);
    if (!us.equals(own.get("uid")) || isForOthers(own))
      throw new UnsatisfiedLinkError("it is not a folder that only this user can write");
    var above = Files.readAttributes(folder.toRealPath().getParent(), "unix:uid,mode");
    boolean trusted = us.equals(above.get("uid")) || above.get("uid").equals(0);
    boolean sticky = ((int) above.get("mode") & 01000) != 0;
    if (!trusted || (isForOthers(above) && !sticky))
      throw new UnsatisfiedLinkError("others can rename it");
    return folder;
  }

  private static boolean isForOthers(Map<String, Object> attributes) {
    return ((int) attributes.get("mode") & 0022) != 0;
  }
}
