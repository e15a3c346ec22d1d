// SPDX-License-Identifier: MIT
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.annotation.JsonSerialize;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.github.flakecore.FlakeException;
import io.github.flakecore.Generator;
import io.github.flakecore.Health;
import io.github.flakecore.jackson.IdSerializer;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.Map;
import java.util.concurrent.Executors;

/**
 * A web service that gives out IDs, with the server of the JDK, and Jackson.
 *
 * <pre>
 * POST /orders   {"id": "253479419526516736"}   the ID as a string: JavaScript rounds numbers
 * GET /healthz   200, or 503 while the generator refuses
 *
 * usage: NODE=7 java Web.java [PORT]
 * </pre>
 */
class Web {
  record Order(@JsonSerialize(using = IdSerializer.class) long id) {}

  private static final ObjectMapper JSON = new ObjectMapper();

  public static void main(String[] arguments) throws IOException {
    int port = arguments.length > 0 ? Integer.parseInt(arguments[0]) : 8080;
    Generator gen = Generator.builder().node("env:NODE,hostname-ordinal").space("orders").build();
    HttpServer server = serve(gen, port);
    Runtime.getRuntime().addShutdownHook(new Thread(() -> {
      server.stop(0);
      gen.close();
    }));
    System.out.println("http://127.0.0.1:" + server.getAddress().getPort());
  }

  /** A server whose threads all draw from one generator. */
  static HttpServer serve(Generator gen, int port) throws IOException {
    HttpServer server = HttpServer.create(new InetSocketAddress("127.0.0.1", port), 0);
    server.createContext("/", exchange -> {
      switch (exchange.getRequestMethod() + " " + exchange.getRequestURI().getPath()) {
        case "POST /orders" -> order(gen, exchange);
        case "GET /healthz" -> health(gen, exchange);
        default -> answer(exchange, 404, Map.of("error", "not found"));
      }
    });
    server.setExecutor(Executors.newFixedThreadPool(8, task -> {
      Thread thread = new Thread(task);
      thread.setDaemon(true);
      return thread;
    }));
    server.start();
    return server;
  }

  private static void order(Generator gen, HttpExchange exchange) throws IOException {
    try {
      answer(exchange, 201, new Order(gen.nextId()));
    } catch (FlakeException e) {
      String error = e.status().toString();
      answer(exchange, 503, Map.of("error", error, "text", e.getMessage()));
    }
  }

  private static void health(Generator gen, HttpExchange exchange) throws IOException {
    Health health = gen.health();
    answer(exchange, health.ok() ? 200 : 503, Map.of("health", health.toString()));
  }

  private static void answer(HttpExchange exchange, int status, Object body) throws IOException {
    byte[] data = JSON.writeValueAsBytes(body);
    exchange.getResponseHeaders().set("Content-Type", "application/json");
    exchange.sendResponseHeaders(status, data.length);
    try (var out = exchange.getResponseBody()) {
      out.write(data);
    }
  }
}
