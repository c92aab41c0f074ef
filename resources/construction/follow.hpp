// Follow and make calls of a C++ function (inside the sandbox). NONCE is put in before it is compiled.
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <deque>
#include <exception>
#include <functional>
#include <list>
#include <map>
#include <set>
#include <string>
#include <type_traits>
#include <unordered_map>
#include <utility>
#include <vector>

namespace annotator_follow {

inline void quote(std::string& out, const std::string& text) {
  out += '"';
  for (unsigned char one : text) {
    char code[8];
    if (one == '"' || one == '\\') {
      out += '\\';
      out += static_cast<char>(one);
    } else if (one < 32) {
      std::snprintf(code, sizeof code, "\\u%04x", one);
      out += code;
    } else {
      out += static_cast<char>(one);
    }
  }
  out += '"';
}

template <class T, class = void>
struct Form {
  static bool write(std::string&, const T&) { return false; }
};

template <class T>
bool write(std::string& out, const T& value) {
  return Form<T>::write(out, value);
}

template <class T>
struct Form<T, std::enable_if_t<std::is_arithmetic_v<T>>> {
  static bool write(std::string& out, T value) {
    if constexpr (std::is_same_v<T, bool>) {
      out += value ? "true" : "false";
    } else if constexpr (std::is_same_v<T, char>) {
      quote(out, std::string(1, value));
    } else if constexpr (std::is_floating_point_v<T>) {
      if (!std::isfinite(value)) return false;
      char text[64];
      std::snprintf(text, sizeof text, "{\"$f\": \"%.17g\"}", static_cast<double>(value));
      out += text;
    } else {
      out += std::to_string(value);
    }
    return true;
  }
};

template <>
struct Form<std::string> {
  static bool write(std::string& out, const std::string& value) {
    quote(out, value);
    return true;
  }
};

template <class C>
bool listed(std::string& out, const C& values) {
  out += "[";
  bool first = true;
  for (const typename C::value_type value : values) {
    if (!first) out += ", ";
    first = false;
    if (!annotator_follow::write(out, value)) return false;
  }
  out += "]";
  return true;
}

template <class T>
struct Form<std::vector<T>> {
  static bool write(std::string& out, const std::vector<T>& value) { return listed(out, value); }
};

template <class T>
struct Form<std::deque<T>> {
  static bool write(std::string& out, const std::deque<T>& value) { return listed(out, value); }
};

template <class T>
struct Form<std::list<T>> {
  static bool write(std::string& out, const std::list<T>& value) { return listed(out, value); }
};

template <class T, std::size_t N>
struct Form<std::array<T, N>> {
  static bool write(std::string& out, const std::array<T, N>& value) { return listed(out, value); }
};

template <class A, class B>
struct Form<std::pair<A, B>> {
  static bool write(std::string& out, const std::pair<A, B>& value) {
    out += "[";
    if (!annotator_follow::write(out, value.first)) return false;
    out += ", ";
    if (!annotator_follow::write(out, value.second)) return false;
    out += "]";
    return true;
  }
};

template <class M>
bool mapped(std::string& out, const M& values) {
  std::map<std::string, std::string> sorted;
  for (const auto& pair : values) {
    std::string key, value;
    if (!annotator_follow::write(key, pair.first) || !annotator_follow::write(value, pair.second)) return false;
    if (key[0] != '"') key = '"' + key + '"';
    sorted[key] = value;
  }
  out += "{\"$d\": [";
  bool first = true;
  for (const auto& pair : sorted) {
    if (!first) out += ", ";
    first = false;
    out += "[" + pair.first + ", " + pair.second + "]";
  }
  out += "]}";
  return true;
}

template <class K, class V>
struct Form<std::map<K, V>> {
  static bool write(std::string& out, const std::map<K, V>& value) { return mapped(out, value); }
};

template <class K, class V>
struct Form<std::unordered_map<K, V>> {
  static bool write(std::string& out, const std::unordered_map<K, V>& value) { return mapped(out, value); }
};

template <class... T>
bool all(std::string& out, const T&... values) {
  out += "[";
  bool first = true, good = true;
  ((out += first ? "" : ", ", first = false, good = annotator_follow::write(out, values) && good), ...);
  out += "]";
  return good;
}

inline int depth = 0;
inline int steps = 0;
inline std::set<int> places;

inline void at(int place) {
  steps += 1;
  places.insert(place);
}

inline void say(const std::string& row) {
  std::fflush(stdout);
  std::string line = "\nNONCE" + row + "\n";
  std::fwrite(line.data(), 1, line.size(), stdout);
  std::fflush(stdout);
}

struct Call {
  std::string before;
  bool good = false;
  bool ended = false;
  bool outer;

  template <class... T>
  explicit Call(const T&... given) : outer(depth == 0) {
    depth += 1;
    if (!outer) return;
    good = all(before, given...);
    steps = 0;
    places.clear();
  }

  template <class R, class... T>
  void end(const R& result, const T&... given) {
    ended = true;
    std::string output, after;
    if (!outer || !good || !annotator_follow::write(output, result)) return;
    all(after, given...);
    tell(output, "", before != after);
  }

  void tell(const std::string& output, const std::string& raised, bool mutated) {
    std::string seen;
    for (int place : places) seen += (seen.empty() ? "" : ", ") + std::to_string(place);
    say("{\"arguments\": " + before + ", \"output\": " + output + ", \"raises\": \"" + raised + "\", \"steps\": " +
        std::to_string(steps) + ", \"places\": [" + seen + "], \"mutated\": " + (mutated ? "true" : "false") + "}");
  }

  ~Call() {
    depth -= 1;
    if (!ended && outer && good) tell("null", "exception", false);
  }
};

inline void make(int number, double seconds, const std::function<std::string()>& call) {
  std::fflush(stdout);
  std::string row = "{\"number\": " + std::to_string(number) + ", ";
  pid_t child = fork();
  if (child == 0) {
    itimerval timer{};
    timer.it_value.tv_sec = static_cast<long>(seconds);
    timer.it_value.tv_usec = static_cast<long>((seconds - static_cast<long>(seconds)) * 1e6);
    setitimer(ITIMER_REAL, &timer, nullptr);
    std::string out;
    try {
      out = call();
      say(row + (out.empty() ? "\"unsupported\": true}" : "\"output\": " + out + "}"));
    } catch (...) {
      say(row + "\"raises\": \"exception\"}");
    }
    _exit(0);
  }
  int status = 0;
  if (child < 0) {
    say(row + "\"raises\": \"fork\", \"unmade\": true}");
  } else if (waitpid(child, &status, 0) == child && WIFSIGNALED(status)) {
    say(row + (WTERMSIG(status) == SIGALRM ? "\"timeout\": true}" : "\"raises\": \"signal\"}"));
  }
}

template <class R>
std::string result(const R& value) {
  std::string out;
  return annotator_follow::write(out, value) ? out : "";
}

}  // namespace annotator_follow
