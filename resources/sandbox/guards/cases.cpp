#include <iostream>
#include <unistd.h>
// plain_ANNOTATOR_KEY says whether cases check by assert, which no library counts.
#ifdef DOCTEST_VERSION
namespace {
long ran_ANNOTATOR_KEY;
struct Count_ANNOTATOR_KEY : doctest::IReporter {
  explicit Count_ANNOTATOR_KEY(const doctest::ContextOptions&) {}
  void report_query(const doctest::QueryData&) override {}
  void test_run_start() override {}
  void test_run_end(const doctest::TestRunStats& stats) override {
    ran_ANNOTATOR_KEY = stats.numAsserts - stats.numAssertsFailed;
    if (plain_ANNOTATOR_KEY) ran_ANNOTATOR_KEY += stats.numTestCasesPassingFilters - stats.numTestCasesFailed;
  }
  void test_case_start(const doctest::TestCaseData&) override {}
  void test_case_reenter(const doctest::TestCaseData&) override {}
  void test_case_end(const doctest::CurrentTestCaseStats&) override {}
  void test_case_exception(const doctest::TestCaseException&) override {}
  void subcase_start(const doctest::SubcaseSignature&) override {}
  void subcase_end() override {}
  void log_assert(const doctest::AssertData&) override {}
  void log_message(const doctest::MessageData&) override {}
  void test_case_skipped(const doctest::TestCaseData&) override {}
};
}  // namespace
REGISTER_LISTENER("annotator", 1, Count_ANNOTATOR_KEY);
// What a library reports goes where errors go: what the program writes itself stays alone.
static int run_ANNOTATOR_KEY(int, char**) {
  doctest::Context context;
  context.setCout(&std::cerr);
  return context.run();
}
#elif defined(CATCH_VERSION_MAJOR)
namespace {
long ran_ANNOTATOR_KEY;
struct Count_ANNOTATOR_KEY : Catch::EventListenerBase {
  using EventListenerBase::EventListenerBase;
  void testRunEnded(const Catch::TestRunStats& stats) override {
    ran_ANNOTATOR_KEY = stats.totals.assertions.passed;
    if (plain_ANNOTATOR_KEY) ran_ANNOTATOR_KEY += stats.totals.testCases.passed;
  }
};
CATCH_REGISTER_LISTENER(Count_ANNOTATOR_KEY)
}  // namespace
static int run_ANNOTATOR_KEY(int, char**) {
  Catch::Session session;
  const char* values[] = {"main", "--out", "%stderr"};
  const int status = session.applyCommandLine(3, values);
  return status ? status : session.run();
}
#else
#define ran_ANNOTATOR_KEY ::testing::UnitTest::GetInstance()->successful_test_count()
static int run_ANNOTATOR_KEY(int count, char** values) {
  dup2(2, 1);
  ::testing::InitGoogleMock(&count, values);
  return RUN_ALL_TESTS();
}
#endif
extern "C" long annotator_ran_ANNOTATOR_KEY() { return ran_ANNOTATOR_KEY; }
