// Follow and make calls of a Java method (inside the sandbox). NONCE is put in before it is compiled.
class AnnotatorFollow {
  static int depth = 0;
  static int steps = 0;
  static java.util.TreeSet<Integer> places = new java.util.TreeSet<>();
  static String before = null;

  interface Work {
    Object run() throws Throwable;
  }

  static void at(int place) {
    steps += 1;
    places.add(place);
  }

  static String text(Object value) {
    StringBuilder out = new StringBuilder();
    return write(out, value, 0) ? out.toString() : null;
  }

  static boolean write(StringBuilder out, Object value, int level) {
    if (level > 20) return false;
    if (value == null || value instanceof Boolean) {
      out.append(value);
    } else if (value instanceof String || value instanceof Character) {
      quote(out, value.toString());
    } else if (value instanceof Integer || value instanceof Long || value instanceof Short || value instanceof Byte) {
      out.append(value);
    } else if (value instanceof Double || value instanceof Float) {
      if (!Double.isFinite(((Number) value).doubleValue())) return false;
      out.append("{\"$f\": \"").append(value).append("\"}");
    } else if (value.getClass().isArray()) {
      out.append("[");
      for (int at = 0; at < java.lang.reflect.Array.getLength(value); at++) {
        if (at > 0) out.append(", ");
        if (!write(out, java.lang.reflect.Array.get(value, at), level + 1)) return false;
      }
      out.append("]");
    } else if (value instanceof java.util.List || value instanceof java.util.Deque) {
      String between = "[";
      for (Object item : (Iterable<?>) value) {
        out.append(between);
        between = ", ";
        if (!write(out, item, level + 1)) return false;
      }
      out.append(between.equals("[") ? "[]" : "]");
    } else if (value instanceof java.util.Map) {
      java.util.TreeMap<String, Object> sorted = new java.util.TreeMap<>();
      for (java.util.Map.Entry<?, ?> pair : ((java.util.Map<?, ?>) value).entrySet()) {
        sorted.put(String.valueOf(pair.getKey()), pair.getValue());
      }
      String between = "{\"$d\": [";
      for (java.util.Map.Entry<String, Object> pair : sorted.entrySet()) {
        out.append(between).append("[");
        between = ", ";
        quote(out, pair.getKey());
        out.append(", ");
        if (!write(out, pair.getValue(), level + 1)) return false;
        out.append("]");
      }
      out.append(sorted.isEmpty() ? "{\"$d\": []}" : "]}");
    } else {
      return false;
    }
    return true;
  }

  static void quote(StringBuilder out, String text) {
    out.append('"');
    for (char one : text.toCharArray()) {
      if (one == '"' || one == '\\') {
        out.append('\\').append(one);
      } else if (one < 32 || one > 126) {
        out.append(String.format("\\u%04x", (int) one));
      } else {
        out.append(one);
      }
    }
    out.append('"');
  }

  static void begin(Object[] given) {
    before = text(given);
    depth += 1;
    steps = 0;
    places.clear();
  }

  static void end(Object out, Object[] given, Throwable raised) {
    depth -= 1;
    String output = raised == null ? text(out) : "null";
    if (before == null || output == null) return;
    String kind = raised == null ? "" : raised.getClass().getSimpleName();
    System.out.println("\nNONCE{\"arguments\": " + before + ", \"output\": " + output + ", \"raises\": \"" + kind
        + "\", \"steps\": " + steps + ", \"places\": " + places + ", \"mutated\": " + !before.equals(text(given)) + "}");
  }

  @SuppressWarnings("unchecked")
  static <M> M filled(M map, Object... pairs) {
    for (int at = 0; at < pairs.length; at += 2) {
      ((java.util.Map<Object, Object>) map).put(pairs[at], pairs[at + 1]);
    }
    return map;
  }

  static void make(Work[] calls, long milliseconds) throws Exception {
    int late = 0;
    for (int number = 0; number < calls.length; number++) {
      String found = late < 3 ? one(calls[number], milliseconds) : "\"timeout\": true";
      if (found.startsWith("\"timeout")) late += 1;
      System.out.println("\nNONCE{\"number\": " + number + ", " + found + "}");
    }
    System.out.flush();
    // A call that does not end would keep the program alive.
    Runtime.getRuntime().halt(0);
  }

  static String one(Work call, long milliseconds) throws Exception {
    String[] found = {"\"timeout\": true"};
    Thread thread = new Thread(null, () -> {
      try {
        String out = text(call.run());
        found[0] = out == null ? "\"unsupported\": true" : "\"output\": " + out;
      } catch (Throwable error) {
        found[0] = "\"raises\": \"" + error.getClass().getSimpleName() + "\"";
      }
    }, "call", 64L << 20);
    thread.setDaemon(true);
    thread.start();
    thread.join(milliseconds);
    return thread.isAlive() ? "\"timeout\": true" : found[0];
  }
}
