// Test cases in the style of Catch2, doctest and GoogleTest: what a test uses of them is defined here.
#pragma once
#include <cmath>
#include <cstdio>
#include <cstring>
#include <exception>
#include <functional>
#include <limits>
#include <set>
#include <sstream>
#include <string>
#include <vector>

namespace annotator_cases {

struct Case {
  const char* name;
  void (*work)();
};

inline std::vector<Case>& cases() {
  static std::vector<Case> all;
  return all;
}

struct Register {
  Register(const char* name, void (*work)()) { cases().push_back({name, work}); }
};

// What ends a case at its first failed requirement.
struct Stopped {};

inline int failures = 0;

// One check: it is told when the statement that made it has ended, with what was streamed into it.
class Check {
 public:
  Check(bool holds, const char* text, int line, bool stops) : holds_(holds), text_(text), line_(line), stops_(stops) {}
  Check(const Check&) = delete;

  template <class T>
  Check& operator<<(const T& value) {
    if (!holds_) said_ << value;
    return *this;
  }

  ~Check() noexcept(false) {
    if (holds_) return;
    failures += 1;
    std::fprintf(stderr, "line %d: %s does not hold %s\n", line_, text_, said_.str().c_str());
    if (stops_) throw Stopped{};
  }

 private:
  bool holds_;
  const char* text_;
  int line_;
  bool stops_;
  std::ostringstream said_;
};

// -- sections: a case is run again until each of its innermost sections was entered once ---------------------------

struct Sections {
  std::vector<std::string> path;
  std::set<std::vector<std::string>> finished;
  std::set<std::size_t> entered;
  bool again = false;
};

inline Sections sections;

class Section {
 public:
  explicit Section(const std::string& name) {
    std::vector<std::string> path = sections.path;
    path.push_back(name);
    if (sections.finished.count(path) != 0) return;
    if (sections.entered.count(path.size()) != 0) {
      sections.again = true;
      return;
    }
    sections.entered.insert(path.size());
    sections.path = path;
    open_ = true;
  }
  Section(const Section&) = delete;

  ~Section() {
    if (!open_) return;
    if (!sections.again) sections.finished.insert(sections.path);
    sections.path.pop_back();
  }

  explicit operator bool() const { return open_; }

 private:
  bool open_ = false;
};

inline int run() {
  if (cases().empty()) std::fprintf(stderr, "no test case was found\n");
  for (const Case& each : cases()) {
    sections = Sections{};
    do {
      sections.again = false;
      sections.entered.clear();
      try {
        each.work();
      } catch (const Stopped&) {
      } catch (const std::exception& error) {
        failures += 1;
        std::fprintf(stderr, "%s: %s was thrown\n", each.name, error.what());
      } catch (...) {
        failures += 1;
        std::fprintf(stderr, "%s: something was thrown\n", each.name);
      }
    } while (sections.again && failures == 0);
  }
  return failures == 0 && !cases().empty() ? 0 : 1;
}

// -- comparisons -------------------------------------------------------------------------------------------------

class Approx {
 public:
  explicit Approx(double value) : value_(value) {}
  Approx& epsilon(double share) { epsilon_ = share; return *this; }
  Approx& margin(double margin) { margin_ = margin; return *this; }
  bool holds(double found) const {
    return std::fabs(found - value_) <= std::fmax(margin_, epsilon_ * std::fmax(std::fabs(found), std::fabs(value_)));
  }
  friend bool operator==(double found, const Approx& wanted) { return wanted.holds(found); }
  friend bool operator==(const Approx& wanted, double found) { return wanted.holds(found); }
  friend bool operator!=(double found, const Approx& wanted) { return !wanted.holds(found); }
  friend bool operator!=(const Approx& wanted, double found) { return !wanted.holds(found); }

 private:
  double value_;
  double epsilon_ = 1e-5;
  double margin_ = 0.0;
};

inline bool near_by(double found, double wanted, int places) {
  double step = std::fmax(std::fabs(found), std::fabs(wanted)) * std::numeric_limits<double>::epsilon();
  return found == wanted || std::fabs(found - wanted) <= places * step;
}

template <class Work>
bool throws(Work work) {
  try {
    work();
  } catch (...) {
    return true;
  }
  return false;
}

template <class Kind, class Work>
bool throws_as(Work work) {
  try {
    work();
  } catch (const Kind&) {
    return true;
  } catch (...) {
  }
  return false;
}

// What Catch's matchers say of a value.
namespace matchers {

template <class T>
struct MatcherBase {
  virtual ~MatcherBase() = default;
  virtual bool match(const T& found) const = 0;
  virtual std::string describe() const { return ""; }
};

struct Predicate {
  std::function<bool(double)> holds;
  bool match(double found) const { return holds(found); }
};

struct TextPredicate {
  std::function<bool(const std::string&)> holds;
  bool match(const std::string& found) const { return holds(found); }
};

template <class T>
struct Same {
  T wanted;
  bool match(const T& found) const { return found == wanted; }
};

inline Predicate WithinAbs(double wanted, double margin) {
  return {[=](double found) { return std::fabs(found - wanted) <= margin; }};
}
inline Predicate WithinRel(double wanted, double share = 100 * std::numeric_limits<double>::epsilon()) {
  return {[=](double found) {
    return found == wanted || std::fabs(found - wanted) <= share * std::fmax(std::fabs(found), std::fabs(wanted));
  }};
}
inline Same<std::string> Equals(const char* wanted) { return {wanted}; }
template <class T>
Same<T> Equals(T wanted) { return {wanted}; }
inline TextPredicate ContainsSubstring(std::string part) {
  return {[=](const std::string& found) { return found.find(part) != std::string::npos; }};
}
inline TextPredicate Contains(std::string part) { return ContainsSubstring(part); }
inline TextPredicate StartsWith(std::string part) {
  return {[=](const std::string& found) { return found.compare(0, part.size(), part) == 0; }};
}
inline TextPredicate EndsWith(std::string part) {
  return {[=](const std::string& found) {
    return found.size() >= part.size() && found.compare(found.size() - part.size(), part.size(), part) == 0;
  }};
}

}  // namespace matchers

inline bool is_said(const std::string& found, const char* wanted) { return found == wanted; }
inline bool is_said(const std::string& found, const std::string& wanted) { return found == wanted; }
template <class Matcher>
bool is_said(const std::string& found, const Matcher& wanted) { return wanted.match(found); }

template <class Work, class Wanted>
bool throws_with(Work work, const Wanted& wanted) {
  try {
    work();
  } catch (const std::exception& error) {
    return is_said(error.what(), wanted);
  } catch (...) {
  }
  return false;
}

struct Fixture {
  virtual ~Fixture() = default;
  virtual void SetUp() {}
  virtual void TearDown() {}
};

}  // namespace annotator_cases

namespace Catch {
using annotator_cases::Approx;
namespace Matchers { using namespace annotator_cases::matchers; }
using namespace Matchers;
}  // namespace Catch
namespace doctest { using annotator_cases::Approx; }
namespace testing {
using Test = annotator_cases::Fixture;
inline void InitGoogleTest(...) {}
}  // namespace testing
using annotator_cases::Approx;

#define ANNOTATOR_JOIN_(left, right) left##right
#define ANNOTATOR_JOIN(left, right) ANNOTATOR_JOIN_(left, right)
#define ANNOTATOR_CASE_(name, text)                                     \
  static void name();                                                   \
  static annotator_cases::Register ANNOTATOR_JOIN(name, _at)(text, name); \
  static void name()
#define ANNOTATOR_CHECK(holds, text, stops) annotator_cases::Check(static_cast<bool>(holds), text, __LINE__, stops)
#define ANNOTATOR_IS(left, op, right, stops) ANNOTATOR_CHECK((left) op (right), #left " " #op " " #right, stops)

// Catch2 and doctest
#define TEST_CASE(...) ANNOTATOR_CASE_(ANNOTATOR_JOIN(annotator_case_, __COUNTER__), #__VA_ARGS__)
#define SCENARIO(...) TEST_CASE(__VA_ARGS__)
#define TEST_SUITE(name) namespace ANNOTATOR_JOIN(annotator_suite_, __LINE__)
#define ANNOTATOR_SECTION(...) \
  if (annotator_cases::Section ANNOTATOR_JOIN(section_, __LINE__){std::string(#__VA_ARGS__) + std::to_string(__LINE__)})
#define SECTION(...) ANNOTATOR_SECTION(__VA_ARGS__)
#define SUBCASE(...) ANNOTATOR_SECTION(__VA_ARGS__)
#define GIVEN(...) ANNOTATOR_SECTION(__VA_ARGS__)
#define WHEN(...) ANNOTATOR_SECTION(__VA_ARGS__)
#define THEN(...) ANNOTATOR_SECTION(__VA_ARGS__)
#define CHECK(...) ANNOTATOR_CHECK((__VA_ARGS__), #__VA_ARGS__, false)
#define REQUIRE(...) ANNOTATOR_CHECK((__VA_ARGS__), #__VA_ARGS__, true)
#define CHECK_FALSE(...) ANNOTATOR_CHECK(!(__VA_ARGS__), "not " #__VA_ARGS__, false)
#define REQUIRE_FALSE(...) ANNOTATOR_CHECK(!(__VA_ARGS__), "not " #__VA_ARGS__, true)
#define CHECK_EQ(left, right) ANNOTATOR_IS(left, ==, right, false)
#define CHECK_NE(left, right) ANNOTATOR_IS(left, !=, right, false)
#define CHECK_LT(left, right) ANNOTATOR_IS(left, <, right, false)
#define CHECK_LE(left, right) ANNOTATOR_IS(left, <=, right, false)
#define CHECK_GT(left, right) ANNOTATOR_IS(left, >, right, false)
#define CHECK_GE(left, right) ANNOTATOR_IS(left, >=, right, false)
#define REQUIRE_EQ(left, right) ANNOTATOR_IS(left, ==, right, true)
#define REQUIRE_NE(left, right) ANNOTATOR_IS(left, !=, right, true)
#define ANNOTATOR_WORK(...) [&] { static_cast<void>(__VA_ARGS__); }
#define ANNOTATOR_STATEMENT(...) [&] { __VA_ARGS__; }
#define CHECK_THROWS(...) ANNOTATOR_CHECK(annotator_cases::throws(ANNOTATOR_WORK(__VA_ARGS__)), #__VA_ARGS__, false)
#define REQUIRE_THROWS(...) ANNOTATOR_CHECK(annotator_cases::throws(ANNOTATOR_WORK(__VA_ARGS__)), #__VA_ARGS__, true)
#define CHECK_NOTHROW(...) ANNOTATOR_CHECK(!annotator_cases::throws(ANNOTATOR_WORK(__VA_ARGS__)), #__VA_ARGS__, false)
#define REQUIRE_NOTHROW(...) ANNOTATOR_CHECK(!annotator_cases::throws(ANNOTATOR_WORK(__VA_ARGS__)), #__VA_ARGS__, true)
#define CHECK_THROWS_AS(work, ...) \
  ANNOTATOR_CHECK((annotator_cases::throws_as<__VA_ARGS__>(ANNOTATOR_WORK(work))), #work, false)
#define REQUIRE_THROWS_AS(work, ...) \
  ANNOTATOR_CHECK((annotator_cases::throws_as<__VA_ARGS__>(ANNOTATOR_WORK(work))), #work, true)
#define CHECK_THROWS_WITH(work, ...) \
  ANNOTATOR_CHECK(annotator_cases::throws_with(ANNOTATOR_WORK(work), __VA_ARGS__), #work, false)
#define REQUIRE_THROWS_WITH(work, ...) \
  ANNOTATOR_CHECK(annotator_cases::throws_with(ANNOTATOR_WORK(work), __VA_ARGS__), #work, true)
#define CHECK_THAT(found, ...) ANNOTATOR_CHECK((__VA_ARGS__).match(found), #found, false)
#define REQUIRE_THAT(found, ...) ANNOTATOR_CHECK((__VA_ARGS__).match(found), #found, true)
#define CHECK_THROWS_WITH_AS(work, text, ...) CHECK_THROWS_AS(work, __VA_ARGS__), CHECK_THROWS_WITH(work, text)
#define REQUIRE_THROWS_WITH_AS(work, text, ...) REQUIRE_THROWS_AS(work, __VA_ARGS__), REQUIRE_THROWS_WITH(work, text)
#define CHECK_MESSAGE(holds, ...) ANNOTATOR_CHECK((holds), #holds, false)
#define REQUIRE_MESSAGE(holds, ...) ANNOTATOR_CHECK((holds), #holds, true)
#define CHECK_UNARY(...) CHECK(__VA_ARGS__)
#define CHECK_UNARY_FALSE(...) CHECK_FALSE(__VA_ARGS__)
#define STATIC_REQUIRE(...) static_assert(__VA_ARGS__, #__VA_ARGS__)
#define REQUIRE_LT(left, right) ANNOTATOR_IS(left, <, right, true)
#define REQUIRE_LE(left, right) ANNOTATOR_IS(left, <=, right, true)
#define REQUIRE_GT(left, right) ANNOTATOR_IS(left, >, right, true)
#define REQUIRE_GE(left, right) ANNOTATOR_IS(left, >=, right, true)
#define FAIL_CHECK(...) ANNOTATOR_CHECK(false, #__VA_ARGS__, false)
#define MESSAGE(...) static_cast<void>(0)
#define UNSCOPED_INFO(...) static_cast<void>(0)
#define AND_GIVEN(...) ANNOTATOR_SECTION(__VA_ARGS__)
#define AND_WHEN(...) ANNOTATOR_SECTION(__VA_ARGS__)
#define AND_THEN(...) ANNOTATOR_SECTION(__VA_ARGS__)
#define CATCH_REGISTER_ENUM(...)
#define FAIL(...) ANNOTATOR_CHECK(false, #__VA_ARGS__, true)
#define INFO(...) static_cast<void>(0)
#define CAPTURE(...) static_cast<void>(0)

// GoogleTest
#define TEST(suite, name) ANNOTATOR_CASE_(annotator_##suite##_##name, #suite "." #name)
#define TEST_F(fixture, name)                                                                   \
  struct annotator_##fixture##_##name : fixture {                                               \
    void work();                                                                                \
    static void run() {                                                                         \
      annotator_##fixture##_##name made;                                                        \
      made.SetUp();                                                                             \
      made.work();                                                                              \
      made.TearDown();                                                                          \
    }                                                                                           \
    using fixture::SetUp;                                                                       \
    using fixture::TearDown;                                                                    \
  };                                                                                            \
  static annotator_cases::Register annotator_##fixture##_##name##_at(#fixture "." #name,        \
                                                                     annotator_##fixture##_##name::run); \
  void annotator_##fixture##_##name::work()
#define EXPECT_TRUE(...) ANNOTATOR_CHECK((__VA_ARGS__), #__VA_ARGS__, false)
#define EXPECT_FALSE(...) ANNOTATOR_CHECK(!(__VA_ARGS__), "not " #__VA_ARGS__, false)
#define ASSERT_TRUE(...) ANNOTATOR_CHECK((__VA_ARGS__), #__VA_ARGS__, true)
#define ASSERT_FALSE(...) ANNOTATOR_CHECK(!(__VA_ARGS__), "not " #__VA_ARGS__, true)
#define EXPECT_EQ(left, right) ANNOTATOR_IS(left, ==, right, false)
#define EXPECT_NE(left, right) ANNOTATOR_IS(left, !=, right, false)
#define EXPECT_LT(left, right) ANNOTATOR_IS(left, <, right, false)
#define EXPECT_LE(left, right) ANNOTATOR_IS(left, <=, right, false)
#define EXPECT_GT(left, right) ANNOTATOR_IS(left, >, right, false)
#define EXPECT_GE(left, right) ANNOTATOR_IS(left, >=, right, false)
#define ASSERT_EQ(left, right) ANNOTATOR_IS(left, ==, right, true)
#define ASSERT_NE(left, right) ANNOTATOR_IS(left, !=, right, true)
#define ASSERT_LT(left, right) ANNOTATOR_IS(left, <, right, true)
#define ASSERT_LE(left, right) ANNOTATOR_IS(left, <=, right, true)
#define ASSERT_GT(left, right) ANNOTATOR_IS(left, >, right, true)
#define ASSERT_GE(left, right) ANNOTATOR_IS(left, >=, right, true)
#define EXPECT_STREQ(left, right) ANNOTATOR_CHECK(std::strcmp(left, right) == 0, #left " is " #right, false)
#define ASSERT_STREQ(left, right) ANNOTATOR_CHECK(std::strcmp(left, right) == 0, #left " is " #right, true)
#define EXPECT_NEAR(left, right, by) ANNOTATOR_CHECK(std::fabs((left) - (right)) <= (by), #left " near " #right, false)
#define ASSERT_NEAR(left, right, by) ANNOTATOR_CHECK(std::fabs((left) - (right)) <= (by), #left " near " #right, true)
#define EXPECT_DOUBLE_EQ(left, right) ANNOTATOR_CHECK(annotator_cases::near_by(left, right, 4), #left " is " #right, false)
#define EXPECT_FLOAT_EQ(left, right) \
  ANNOTATOR_CHECK(std::fabs((left) - (right)) <= 4e-7f * std::fabs(right), #left " is " #right, false)
#define ASSERT_DOUBLE_EQ(left, right) ANNOTATOR_CHECK(annotator_cases::near_by(left, right, 4), #left " is " #right, true)
#define ASSERT_FLOAT_EQ(left, right) \
  ANNOTATOR_CHECK(std::fabs((left) - (right)) <= 4e-7f * std::fabs(right), #left " is " #right, true)
#define EXPECT_STRNE(left, right) ANNOTATOR_CHECK(std::strcmp(left, right) != 0, #left " is not " #right, false)
#define ASSERT_STRNE(left, right) ANNOTATOR_CHECK(std::strcmp(left, right) != 0, #left " is not " #right, true)
#define ASSERT_NO_THROW(work) ANNOTATOR_CHECK(!annotator_cases::throws(ANNOTATOR_STATEMENT(work)), #work, true)
#define ASSERT_ANY_THROW(work) ANNOTATOR_CHECK(annotator_cases::throws(ANNOTATOR_STATEMENT(work)), #work, true)
#define ADD_FAILURE() ANNOTATOR_CHECK(false, "failure", false)
#define SUCCEED(...) ANNOTATOR_CHECK(true, "success", false)
#define SCOPED_TRACE(...) static_cast<void>(0)
#define EXPECT_THROW(work, kind) \
  ANNOTATOR_CHECK(annotator_cases::throws_as<kind>(ANNOTATOR_STATEMENT(work)), #work, false)
#define ASSERT_THROW(work, kind) \
  ANNOTATOR_CHECK(annotator_cases::throws_as<kind>(ANNOTATOR_STATEMENT(work)), #work, true)
#define EXPECT_NO_THROW(work) ANNOTATOR_CHECK(!annotator_cases::throws(ANNOTATOR_STATEMENT(work)), #work, false)
#define EXPECT_ANY_THROW(work) ANNOTATOR_CHECK(annotator_cases::throws(ANNOTATOR_STATEMENT(work)), #work, false)
#define RUN_ALL_TESTS() annotator_cases::run()
