// SPDX-License-Identifier: MIT
package io.github.flakecore;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Loads the native library out of the jar.
 *
 * <p>It is written into a private file of the temporary folder, loaded, and deleted at once, so
 * that each class loader loads a copy of its own. Where files of that folder may not be executed
 * (mounted noexec), a copy is kept in the user's cache folder; it is trusted only when nobody else
 * can have written it and it equals the one in the jar.
 */
final class NativeLoader {
  static final String PROPERTY = "io.github.flakecore.library";
  private static final String NAME = "libflakecore_java.so";

  private NativeLoader() {}

  /** UnsatisfiedLinkError: it cannot be loaded; the sentence says what to set. */
  static void load() {
    String named = System.getProperty(PROPERTY);
    if (named != null) {
      loadNamed(named);
      return;
    }
    byte[] library = fromJar();
    Path temporary = Path.of(System.getProperty("java.io.tmpdir"));
    String first = failure(() -> loadPrivate(temporary, library));
    if (first == null) return;
    Path cache = cacheFolder();
    String second = failure(() -> loadCached(cache, library));
    if (second == null) return;
    throw new UnsatisfiedLinkError(
        "flakecore cannot load its native library from " + temporary + " (" + first + ") nor from "
            + cache + " (" + second + "); set the system property java.io.tmpdir to a folder that "
            + "can be written and whose files may be executed, or " + PROPERTY
            + " to the absolute path of a copy of " + resource() + " out of the jar");
  }

  private static void loadNamed(String path) {
    String why = "it is not an absolute path";
    if (Path.of(path).isAbsolute()) {
      why = failure(() -> System.load(path));
      if (why == null) return;
    }
    throw new UnsatisfiedLinkError(
        "flakecore cannot load the native library " + path + " (" + why + "); set the system "
            + "property " + PROPERTY + " to the absolute path of a copy of " + resource()
            + " out of the jar, or leave it out");
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
    } catch (IOException | UnsatisfiedLinkError e) {
      return e instanceof UnsatisfiedLinkError ? e.getMessage() : e.toString();
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

  private static Path cacheFolder() {
    String named = System.getenv("XDG_CACHE_HOME");
    Path base =
        named != null && named.startsWith("/")
            ? Path.of(named)
            : Path.of(System.getProperty("user.home"), ".cache");
    return base.resolve("flakecore");
  }

  // ---- files ------------------------------------------------------------------------------------

  private static FileAttribute<Set<PosixFilePermission>> only(String owner) {
    return PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString(owner + "------"));
  }

  private static Path write(Path folder, byte[] library) throws IOException {
    Path file = Files.createTempFile(folder, "flakecore-", ".so", only("rw-"));
    try {
      return Files.write(file, library);
    } catch (IOException e) {
      Files.delete(file);
      throw e;
    }
  }

  private static void loadPrivate(Path folder, byte[] library) throws IOException {
    Path file = write(folder, library);
    try {
      System.load(file.toAbsolutePath().toString());
    } finally {
      Files.deleteIfExists(file);
    }
  }

  /** Another class loader may have loaded the kept copy: then this one takes a private one. */
  private static void loadCached(Path folder, byte[] library) throws IOException {
    Files.createDirectories(folder, only("rwx"));
    if (!isOurs(folder)) throw new IOException("it is not a folder that only this user can write");
    Path kept = folder.resolve(hash(library) + ".so");
    if (!Files.exists(kept, LinkOption.NOFOLLOW_LINKS) || !isTrusted(kept, library))
      Files.move(write(folder, library), kept, StandardCopyOption.ATOMIC_MOVE);
    try {
      System.load(kept.toAbsolutePath().toString());
    } catch (UnsatisfiedLinkError e) {
      loadPrivate(folder, library);
    }
  }

  static boolean isTrusted(Path kept, byte[] library) throws IOException {
    return Files.isRegularFile(kept, LinkOption.NOFOLLOW_LINKS)
        && isOurs(kept)
        && hash(Files.readAllBytes(kept)).equals(hash(library));
  }

  /** Whether this user owns it and nobody else can write it. */
  private static boolean isOurs(Path path) throws IOException {
    Object us = Files.getAttribute(Path.of("/proc/self"), "unix:uid");
    int mode = (int) Files.getAttribute(path, "unix:mode", LinkOption.NOFOLLOW_LINKS);
    return us.equals(Files.getAttribute(path, "unix:uid", LinkOption.NOFOLLOW_LINKS))
        && (mode & 0022) == 0;
  }

  private static String hash(byte[] bytes) {
    try {
      return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(bytes));
    } catch (NoSuchAlgorithmException e) {
      throw new AssertionError("every Java has SHA-256", e);
    }
  }
}
