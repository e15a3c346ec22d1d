// SPDX-License-Identifier: MIT
import io.github.flakecore.Generator;
import io.github.flakecore.Health;
import io.github.flakecore.Status;
import io.github.flakecore.TextFormat;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeSet;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;

/**
 * Prints what the installed package offers, for ci/parity: a kind, a name, and how Java calls it.
 * Names are taken from the classes of the jar, not from its sources.
 */
class Public {
  private static final String PACKAGE = "io.github.flakecore.";

  public static void main(String[] arguments) throws Exception {
    for (String name : publicNames()) print("name", name, name);
    for (Status status : Status.values())
      if (status.code() < 0 && status != Status.UNKNOWN)
        print("status", status.toString(), "Status." + status.name());
    values("FLAKE_CLASS_", Status.Kind.values(), "Status.Kind");
    values("FLAKE_FORMAT_", TextFormat.values(), "TextFormat");
    values("FLAKE_MODE_", Generator.Mode.values(), "Generator.Mode");
    values("FLAKE_CLOCK_", Generator.ClockSource.values(), "Generator.ClockSource");
    values("FLAKE_GUARD_", Generator.HostGuard.values(), "Generator.HostGuard");
    values("FLAKE_LEVEL_", Health.Level.values(), "Health.Level");
    values("FLAKE_REASON_", Health.Reason.values(), "Health.Reason");
  }

  private static void print(String kind, String name, String call) {
    System.out.println(kind + "\t" + name + "\t" + call);
  }

  private static void values(String prefix, Enum<?>[] constants, String type) {
    for (Enum<?> one : constants) print("value", prefix + one.name(), type + "." + one.name());
  }

  private static TreeSet<String> publicNames() throws Exception {
    TreeSet<String> names = new TreeSet<>();
    Path jar = Path.of(Status.class.getProtectionDomain().getCodeSource().getLocation().toURI());
    try (JarFile file = new JarFile(jar.toFile())) {
      for (var entry : (Iterable<JarEntry>) file.stream()::iterator) {
        String name = entry.getName().replace('/', '.').replaceFirst("\\.class$", "");
        boolean ours = entry.getName().endsWith(".class") && name.startsWith(PACKAGE);
        if (!ours || name.contains(".jackson.") || name.endsWith("package-info")) continue;
        Class<?> type = Class.forName(name, false, Public.class.getClassLoader());
        if (Modifier.isPublic(type.getModifiers())) members(type, names);
      }
    }
    return names;
  }

  private static void members(Class<?> type, TreeSet<String> names) {
    String name = type.getCanonicalName().substring(PACKAGE.length());
    names.add(name);
    for (Method method : type.getMethods()) names.add(name + "." + method.getName());
    for (Field field : type.getFields()) names.add(name + "." + field.getName());
  }
}
