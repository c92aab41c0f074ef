"""How each language compares what came out with what is expected: texts that stand in rendered tests.

Numbers of any two types are compared by value, lists and arrays item by item, maps by their keys.
"""

from __future__ import annotations

from annotator.mining.parity import TOLERANCE

PYTHON = f"""
def _same(a, b, close):
    if isinstance(a, bool) or isinstance(b, bool) or a is None or b is None:
        return a is b
    if isinstance(a, (int, float)) and isinstance(b, (int, float)):
        return abs(a - b) <= {TOLERANCE} * max(1.0, abs(b)) if close else a == b
    if isinstance(a, (list, tuple)) and isinstance(b, (list, tuple)):
        return len(a) == len(b) and all(_same(x, y, close) for x, y in zip(a, b))
    if isinstance(a, dict) and isinstance(b, dict):
        return a.keys() == b.keys() and all(_same(a[k], b[k], close) for k in b)
    return type(a) is type(b) and a == b
"""
PYTHON_UNORDERED = """
def _unordered(a, b):
    rest = list(b)
    for x in a:
        place = next((n for n, y in enumerate(rest) if _same(x, y, False)), None)
        if place is None:
            return False
        del rest[place]
    return not rest
"""
SCRIPT = f"""
const __same = (a__T__, b__T__, close__B__)__B__ => {{
  if (a === null || b === null || a === undefined || b === undefined) return (a ?? null) === (b ?? null);
  if (typeof a === 'number' && typeof b === 'number')
    return close ? Math.abs(a - b) <= {TOLERANCE} * Math.max(1, Math.abs(b)) : a === b;
  if (Array.isArray(a) && Array.isArray(b))
    return a.length === b.length && a.every((x__T__, n__T__) => __same(x, b[n], close));
  if (a instanceof Map) a = Object.fromEntries(a);
  if (typeof a === 'object' && typeof b === 'object' && !Array.isArray(a) && !Array.isArray(b)) {{
    const names = Object.keys(b);
    return Object.keys(a).length === names.length && names.every((k) => k in a && __same(a[k], b[k], close));
  }}
  return a === b;
}};
const __unordered = (a__T__, b__T__)__B__ => {{
  const rest = [...b];
  for (const x of a) {{
    const place = rest.findIndex((y__T__) => __same(x, y, false));
    if (place < 0) return false;
    rest.splice(place, 1);
  }}
  return rest.length === 0;
}};
"""
JAVA = f"""
class Main {{
  static Map<String, Object> map(Object... parts) {{
    Map<String, Object> made = new LinkedHashMap<>();
    for (int n = 0; n < parts.length; n += 2) made.put((String) parts[n], parts[n + 1]);
    return made;
  }}
  static Object plain(Object value) {{
    if (value == null || !value.getClass().isArray()) return value;
    List<Object> made = new ArrayList<>();
    for (int n = 0; n < Array.getLength(value); n++) made.add(Array.get(value, n));
    return made;
  }}
  static boolean same(Object left, Object right, boolean close) {{
    Object a = plain(left), b = plain(right);
    if (a == null || b == null) return a == b;
    if (a instanceof Number && b instanceof Number) {{
      double x = ((Number) a).doubleValue(), y = ((Number) b).doubleValue();
      return close ? Math.abs(x - y) <= {TOLERANCE} * Math.max(1.0, Math.abs(y)) : x == y;
    }}
    if (a instanceof List && b instanceof List) {{
      List<?> x = (List<?>) a, y = (List<?>) b;
      if (x.size() != y.size()) return false;
      for (int n = 0; n < x.size(); n++) if (!same(x.get(n), y.get(n), close)) return false;
      return true;
    }}
    if (a instanceof Map && b instanceof Map) {{
      Map<?, ?> x = (Map<?, ?>) a, y = (Map<?, ?>) b;
      if (!x.keySet().equals(y.keySet())) return false;
      for (Object key : y.keySet()) if (!same(x.get(key), y.get(key), close)) return false;
      return true;
    }}
    return a.equals(b);
  }}
  static boolean unordered(Object left, Object right) {{
    List<Object> rest = new ArrayList<>((List<?>) plain(right));
    for (Object x : (Collection<?>) plain(left)) {{
      int place = 0;
      while (place < rest.size() && !same(x, rest.get(place), false)) place++;
      if (place == rest.size()) return false;
      rest.remove(place);
    }}
    return rest.isEmpty();
  }}
  @SuppressWarnings("unchecked")
  public static void main(String[] arguments) throws Exception {{
"""
JAVA_IMPORTS = "import java.lang.reflect.Array;\nimport java.util.*;\n"
CPP = f"""
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>
namespace annotator_test {{
template <class A, class B> bool same(const A& a, const B& b, bool close) {{
  if constexpr (std::is_arithmetic_v<A> && std::is_arithmetic_v<B>) {{
    if (close) return std::fabs(double(a) - double(b)) <= {TOLERANCE} * std::max(1.0, std::fabs(double(b)));
    return a == b;
  }} else if constexpr (std::is_convertible_v<A, std::string> && std::is_convertible_v<B, std::string>) {{
    return std::string(a) == std::string(b);
  }} else {{
    return a == b;
  }}
}}
template <class A, class B> bool same(const std::vector<A>& a, const std::vector<B>& b, bool close);
template <class A, class B> bool same(const std::optional<A>& a, const std::optional<B>& b, bool close);
template <class M, class B> bool maps(const M& a, const std::map<std::string, B>& b, bool close);
template <class A, class B>
bool same(const std::map<std::string, A>& a, const std::map<std::string, B>& b, bool close) {{
  return maps(a, b, close);
}}
template <class A, class B> bool same(const std::vector<A>& a, const std::vector<B>& b, bool close) {{
  if (a.size() != b.size()) return false;
  for (size_t n = 0; n < a.size(); n++) {{
    A x = a[n];
    B y = b[n];
    if (!same(x, y, close)) return false;
  }}
  return true;
}}
template <class A, class B> bool same(const std::optional<A>& a, const std::optional<B>& b, bool close) {{
  return a.has_value() == b.has_value() && (!a.has_value() || same(*a, *b, close));
}}
template <class M, class B> bool maps(const M& a, const std::map<std::string, B>& b, bool close) {{
  if (a.size() != b.size()) return false;
  for (const auto& part : b) {{
    auto found = a.find(part.first);
    if (found == a.end() || !same(found->second, part.second, close)) return false;
  }}
  return true;
}}
template <class A, class B> bool unordered(const std::vector<A>& a, std::vector<B> rest) {{
  for (const A& x : a) {{
    auto place = std::find_if(rest.begin(), rest.end(), [&](const B& y) {{ return same(x, y, false); }});
    if (place == rest.end()) return false;
    rest.erase(place);
  }}
  return rest.empty();
}}
}}
int main() {{
"""
