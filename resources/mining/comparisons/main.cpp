#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>
namespace annotator_test {
template <class A, class B> bool same(const A& a, const B& b, bool close) {
  if constexpr (std::is_arithmetic_v<A> && std::is_arithmetic_v<B>) {
    if (close) return std::fabs(double(a) - double(b)) <= TOLERANCE * std::max(1.0, std::fabs(double(b)));
    return a == b;
  } else if constexpr (std::is_convertible_v<A, std::string> && std::is_convertible_v<B, std::string>) {
    return std::string(a) == std::string(b);
  } else {
    return a == b;
  }
}
template <class A, class B> bool same(const std::vector<A>& a, const std::vector<B>& b, bool close);
template <class A, class B> bool same(const std::optional<A>& a, const std::optional<B>& b, bool close);
template <class M, class B> bool maps(const M& a, const std::map<std::string, B>& b, bool close);
template <class A, class B>
bool same(const std::map<std::string, A>& a, const std::map<std::string, B>& b, bool close) {
  return maps(a, b, close);
}
template <class A, class B> bool same(const std::vector<A>& a, const std::vector<B>& b, bool close) {
  if (a.size() != b.size()) return false;
  for (size_t n = 0; n < a.size(); n++) {
    A x = a[n];
    B y = b[n];
    if (!same(x, y, close)) return false;
  }
  return true;
}
template <class A, class B> bool same(const std::optional<A>& a, const std::optional<B>& b, bool close) {
  return a.has_value() == b.has_value() && (!a.has_value() || same(*a, *b, close));
}
template <class M, class B> bool maps(const M& a, const std::map<std::string, B>& b, bool close) {
  if (a.size() != b.size()) return false;
  for (const auto& part : b) {
    auto found = a.find(part.first);
    if (found == a.end() || !same(found->second, part.second, close)) return false;
  }
  return true;
}
template <class A, class B> bool unordered(const std::vector<A>& a, std::vector<B> rest) {
  for (const A& x : a) {
    auto place = std::find_if(rest.begin(), rest.end(), [&](const B& y) { return same(x, y, false); });
    if (place == rest.end()) return false;
    rest.erase(place);
  }
  return rest.empty();
}
}
int main() {
  // BODY
  return 0;
}
