// SPDX-License-Identifier: MIT
package io.github.flakecore;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.lang.module.ModuleDescriptor;
import java.lang.module.ModuleFinder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.jar.JarFile;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The package as its user gets it: installed into a local Maven repository, used from there. */
class PackageTest {
  private static final String SOURCES = "java/src/main/java";

  @TempDir Path place;

  /** A file of the package in the repository; ci/test java installs it. */
  static Path installed(String ending) {
    String version = System.getProperty("flakecore.version");
    Path file =
        Path.of(System.getProperty("flakecore.repository"), "io/github/flakecore/flakecore",
            version, "flakecore-" + version + ending);
    assertTrue(Files.exists(file), file + " is not there: run ci/test java");
    return file;
  }

  private static Set<String> entries(String ending) throws IOException {
    try (JarFile jar = new JarFile(installed(ending).toFile())) {
      return Collections.list(jar.entries()).stream().map(entry -> entry.getName())
          .filter(name -> !name.endsWith("/")).collect(Collectors.toCollection(TreeSet::new));
    }
  }

  /** Names of the package's sources, without their ending. */
  private static Set<String> sources() throws IOException {
    Path root = Tests.ROOT.resolve(SOURCES);
    try (Stream<Path> files = Files.walk(root)) {
      return files.filter(Files::isRegularFile)
          .map(file -> root.relativize(file).toString().replaceFirst("\\.java$", ""))
          .collect(Collectors.toCollection(TreeSet::new));
    }
  }

  @Test
  void packageAndLibraryHaveTheSameVersion() throws IOException {
    assertEquals(System.getProperty("flakecore.version"), Flakecore.version());
    try (JarFile jar = new JarFile(installed(".jar").toFile())) {
      var attributes = jar.getManifest().getMainAttributes();
      assertEquals(Flakecore.version(), attributes.getValue("Implementation-Version"));
    }
  }

  @Test
  void theJarHoldsThePackageAndNothingElse() throws IOException {
    Set<String> classes = new TreeSet<>();
    Set<String> others = new TreeSet<>();
    for (String name : entries(".jar")) {
      if (name.endsWith(".class")) classes.add(name.replaceFirst("(\\$\\w+)*\\.class$", ""));
      else if (!name.startsWith("META-INF/maven/")) others.add(name);
    }
    assertEquals(sources(), classes);
    Set<String> expected =
        Set.of(
            "META-INF/MANIFEST.MF", "META-INF/LICENSE", NativeLoader.resource(),
            "META-INF/native-image/io.github.flakecore/flakecore/resource-config.json");
    assertEquals(new TreeSet<>(expected), others);
  }

  @Test
  void sourcesAndJavadocAreThere() throws IOException {
    Set<String> found =
        entries("-sources.jar").stream().filter(name -> name.endsWith(".java"))
            .map(name -> name.replaceFirst("\\.java$", ""))
            .collect(Collectors.toCollection(TreeSet::new));
    assertEquals(sources(), found);
    assertTrue(
        entries("-javadoc.jar").contains("io.github.flakecore/io/github/flakecore/Generator.html"));
  }

  @Test
  void theModuleSaysWhatItExportsAndNeeds() {
    ModuleDescriptor module =
        ModuleFinder.of(installed(".jar")).find("io.github.flakecore").orElseThrow().descriptor();
    Set<String> exported =
        module.exports().stream().map(ModuleDescriptor.Exports::source).collect(Collectors.toSet());
    assertEquals(Set.of("io.github.flakecore", "io.github.flakecore.jackson"), exported);
    for (ModuleDescriptor.Requires one : module.requires())
      assertTrue(
          one.name().equals("java.base")
              || one.modifiers().contains(ModuleDescriptor.Requires.Modifier.STATIC),
          one.name());
  }

  @Test
  void theNativeImageConfigurationNamesTheLibrary() throws IOException {
    String name = "META-INF/native-image/io.github.flakecore/flakecore/resource-config.json";
    try (JarFile jar = new JarFile(installed(".jar").toFile())) {
      var includes =
          new ObjectMapper().readTree(jar.getInputStream(jar.getEntry(name)))
              .at("/resources/includes/0/pattern");
      assertTrue(NativeLoader.resource().matches(includes.asText()), includes.toString());
    }
  }

  @Test
  void theLibraryShowsOnlyWhatJavaCalls() {
    String library = Path.of(Tests.classes()).resolve(NativeLoader.resource()).toString();
    String symbols =
        Tests.run(place, Map.of(), "", "nm", "-D", "--defined-only", library).good();
    assertTrue(symbols.contains("Java_io_github_flakecore_Native_next"));
    for (String line : symbols.strip().split("\n"))
      assertTrue(line.contains(" Java_io_github_flakecore_Native_"), line);
  }

  // ---- an empty project -------------------------------------------------------------------------

  private static final String POM =
      """
      <project xmlns="http://maven.apache.org/POM/4.0.0">
        <modelVersion>4.0.0</modelVersion>
        <groupId>shop</groupId>
        <artifactId>shop</artifactId>
        <version>1</version>
        <properties>
          <maven.compiler.release>17</maven.compiler.release>
          <project.build.sourceEncoding>UTF-8</project.build.sourceEncoding>
        </properties>
        <dependencies>
          <dependency>
            <groupId>io.github.flakecore</groupId>
            <artifactId>flakecore</artifactId>
            <version>%s</version>
          </dependency>
        </dependencies>
        <build>
          <plugins>
            <plugin>
              <artifactId>maven-resources-plugin</artifactId>
              <version>3.3.1</version>
            </plugin>
            <plugin>
              <artifactId>maven-compiler-plugin</artifactId>
              <version>3.14.1</version>
              <configuration>
                <compilerArgs>
                  <arg>-Xlint:all</arg>
                  <arg>-Werror</arg>
                </compilerArgs>
              </configuration>
            </plugin>
          </plugins>
        </build>
      </project>
      """;

  /** Builds the project in place; no network is asked. */
  private void build() throws IOException {
    Files.writeString(place.resolve("pom.xml"), POM.formatted(Flakecore.version()));
    String repository = "-Dmaven.repo.local=" + System.getProperty("flakecore.repository");
    Map<String, String> environment = Map.of("JAVA_HOME", System.getProperty("java.home"));
    var built =
        Tests.run(place, environment, "", System.getProperty("flakecore.maven"), "-B", "-o", "-q",
            repository, "compile");
    assertEquals(0, built.status(), built.out() + built.err());
  }

  private void assertQuickstart(String... command) {
    List<String> all = new ArrayList<>(List.of(Tests.javaCommand(), "-Duser.home=" + place));
    all.addAll(List.of(command));
    String[] lines =
        Tests.run(place, Map.of("PATH", place.toString()), "", all.toArray(String[]::new)).good()
            .split("\n");
    assertEquals(4, lines.length);
    assertTrue(lines[3].contains(", node 7, sequence "), lines[3]);
  }

  @Test
  void anEmptyProjectGetsItFromALocalRepository() throws IOException {
    Path sources = Files.createDirectories(place.resolve("src/main/java/shop"));
    String example = Files.readString(Tests.ROOT.resolve("java/examples/Quickstart.java"));
    Files.writeString(sources.resolve("Quickstart.java"), "package shop;\n" + example);
    build();
    String path = installed(".jar") + ":" + place.resolve("target/classes");
    List<String> command = new ArrayList<>(Tests.nativeAccess("ALL-UNNAMED"));
    command.addAll(List.of("-cp", path, "shop.Quickstart"));
    assertQuickstart(command.toArray(String[]::new));
  }

  @Test
  void aProjectOfModulesRequiresIt() throws IOException {
    Path sources = Files.createDirectories(place.resolve("src/main/java/shop"));
    String example = Files.readString(Tests.ROOT.resolve("java/examples/Quickstart.java"));
    Files.writeString(sources.resolve("Quickstart.java"), "package shop;\n" + example);
    Files.writeString(
        sources.resolveSibling("module-info.java"),
        "module shop { requires io.github.flakecore; }\n");
    build();
    String path = installed(".jar") + ":" + place.resolve("target/classes");
    List<String> command = new ArrayList<>(Tests.nativeAccess("io.github.flakecore"));
    command.addAll(List.of("-p", path, "-m", "shop/shop.Quickstart"));
    assertQuickstart(command.toArray(String[]::new));
  }
}
