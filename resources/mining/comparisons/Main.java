import java.lang.reflect.Array;
import java.util.*;

class Main {
  static Map<String, Object> map(Object... parts) {
    Map<String, Object> made = new LinkedHashMap<>();
    for (int n = 0; n < parts.length; n += 2) made.put((String) parts[n], parts[n + 1]);
    return made;
  }
  static Object plain(Object value) {
    if (value == null || !value.getClass().isArray()) return value;
    List<Object> made = new ArrayList<>();
    for (int n = 0; n < Array.getLength(value); n++) made.add(Array.get(value, n));
    return made;
  }
  static boolean same(Object left, Object right, boolean close) {
    Object a = plain(left), b = plain(right);
    if (a == null || b == null) return a == b;
    if (a instanceof Number && b instanceof Number) {
      double x = ((Number) a).doubleValue(), y = ((Number) b).doubleValue();
      return close ? Math.abs(x - y) <= TOLERANCE * Math.max(1.0, Math.abs(y)) : x == y;
    }
    if (a instanceof List && b instanceof List) {
      List<?> x = (List<?>) a, y = (List<?>) b;
      if (x.size() != y.size()) return false;
      for (int n = 0; n < x.size(); n++) if (!same(x.get(n), y.get(n), close)) return false;
      return true;
    }
    if (a instanceof Map && b instanceof Map) {
      Map<?, ?> x = (Map<?, ?>) a, y = (Map<?, ?>) b;
      if (!x.keySet().equals(y.keySet())) return false;
      for (Object key : y.keySet()) if (!same(x.get(key), y.get(key), close)) return false;
      return true;
    }
    return a.equals(b);
  }
  static boolean unordered(Object left, Object right) {
    List<Object> rest = new ArrayList<>((List<?>) plain(right));
    for (Object x : (Collection<?>) plain(left)) {
      int place = 0;
      while (place < rest.size() && !same(x, rest.get(place), false)) place++;
      if (place == rest.size()) return false;
      rest.remove(place);
    }
    return rest.isEmpty();
  }
  @SuppressWarnings("unchecked")
  public static void main(String[] arguments) throws Exception {
    // BODY
  }
}
