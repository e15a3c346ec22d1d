// SPDX-License-Identifier: MIT
package io.github.flakecore;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.sun.net.httpserver.HttpServer;
import java.net.URI;
import java.net.URL;
import java.net.URLClassLoader;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The examples, run as people run them: from their source, with the jar on the class path. */
class ExamplesTest {
  private static final Path EXAMPLES = Tests.ROOT.resolve("java/examples");

  @TempDir Path place;

  private static String classPath() {
    return PackageTest.installed(".jar")
        + ":"
        + Tests.classPathOf(ObjectMapper.class, JsonFactory.class, JsonProperty.class);
  }

  private static String[] command(String name, String... arguments) {
    List<String> program = new ArrayList<>(List.of(EXAMPLES.resolve(name).toString()));
    program.addAll(List.of(arguments));
    return Tests.java(List.of(), classPath(), program.toArray(String[]::new));
  }

  private String[] run(String name) {
    return Tests.run(place, Map.of(), "", command(name)).good().split("\n");
  }

  @Test
  void quickstart() {
    String[] lines = run("Quickstart.java");
    assertEquals(4, lines.length);
    Decoded parts = Layout.SNOWFLAKE.decode(Long.parseLong(lines[2]));
    assertEquals(parts.time() + ", node 7, sequence " + parts.sequence(), lines[3]);
    Tests.assertRising(Stream.of(lines).limit(3).mapToLong(Long::parseLong).toArray());
  }

  @Test
  void batch() {
    String[] lines = run("Batch.java");
    assertTrue(lines[0].startsWith("10000 IDs from "), lines[0]);
    assertEquals("1000 IDs in an array", lines[2]);
    assertTrue(
        lines[3].startsWith("true - every sequence number that may be used now is spent"),
        lines[3]);
    assertTrue(lines[4].contains(" BETWEEN "), lines[4]);
  }

  /** Status and body of a request. */
  private record Answer(int status, JsonNode body) {
    static Answer of(String method, String url) throws Exception {
      HttpRequest request =
          HttpRequest.newBuilder(URI.create(url)).timeout(Duration.ofSeconds(30))
              .method(method, HttpRequest.BodyPublishers.noBody()).build();
      var answer = HttpClient.newHttpClient().send(request, HttpResponse.BodyHandlers.ofString());
      return new Answer(answer.statusCode(), new ObjectMapper().readTree(answer.body()));
    }
  }

  @Test
  void webAsAProgram() throws Exception {
    ProcessBuilder builder = new ProcessBuilder(command("Web.java", "0"));
    builder.environment().put("NODE", "7");
    Process process = builder.start();
    try {
      String url = process.inputReader().readLine();
      Set<Long> ids = new HashSet<>();
      for (int i = 0; i < 100; i++) {
        Answer answer = Answer.of("POST", url + "/orders");
        assertEquals(201, answer.status());
        assertTrue(answer.body().get("id").isTextual());
        ids.add(answer.body().get("id").asLong());
      }
      assertEquals(100, ids.size());
      for (long id : ids) assertEquals(7, Layout.SNOWFLAKE.decode(id).node());
      assertEquals(200, Answer.of("GET", url + "/healthz").status());
      assertEquals(404, Answer.of("GET", url + "/").status());
    } finally {
      process.toHandle().destroy(); // leaves its streams open
    }
    assertEquals(143, process.waitFor());
    assertNull(process.errorReader().readLine());
  }

  /** Compiles the example and calls its method serve. */
  private HttpServer serve(Generator gen) throws Exception {
    String source = EXAMPLES.resolve("Web.java").toString();
    int failed =
        ToolProvider.getSystemJavaCompiler()
            .run(null, null, null, "-cp", System.getProperty("java.class.path"), "-d",
                place.toString(), source);
    assertEquals(0, failed);
    URL[] urls = {place.toUri().toURL()};
    ClassLoader loader = new URLClassLoader(urls, getClass().getClassLoader());
    var serve = loader.loadClass("Web").getDeclaredMethod("serve", Generator.class, int.class);
    serve.setAccessible(true);
    return (HttpServer) serve.invoke(null, gen, 0);
  }

  @Test
  void webAnswers503WhileTheGeneratorRefuses() throws Exception {
    TestClock clock = Tests.clock();
    Generator gen = Tests.builder().node(7).clock(clock).build();
    HttpServer server = serve(gen);
    String url = "http://127.0.0.1:" + server.getAddress().getPort();
    try {
      assertEquals(201, Answer.of("POST", url + "/orders").status());
      clock.setWall(clock.wallNs() - 3600 * Tests.NS_PER_S);
      Answer health = Answer.of("GET", url + "/healthz");
      assertEquals(503, health.status());
      assertTrue(health.body().get("health").asText().startsWith("fail: "));
      Answer order = Answer.of("POST", url + "/orders");
      assertEquals(503, order.status());
      assertEquals("clock_rewound", order.body().get("error").asText());
      clock.setWall(clock.wallNs() + 3600 * Tests.NS_PER_S);
      Answer well = Answer.of("GET", url + "/healthz");
      assertEquals(200, well.status());
      assertEquals("ok", well.body().get("health").asText());
    } finally {
      server.stop(0);
      gen.close();
    }
  }
}
