// SPDX-License-Identifier: Apache-2.0
#include "lab/common/console.hpp"

#include <gtest/gtest.h>

#include <cerrno>
#include <nlohmann/json.hpp>
#include <sstream>
#include <streambuf>

#include "lab/common/errors.hpp"

namespace takt::lab {
namespace {

using namespace std::chrono_literals;

const Table kTable{"Rows", {{"name", Align::left}, {"µs"}}, {{"a", "1.5"}, {"longer", "12"}}, "a note"};

TEST(TableTest, ColumnsAlign) {
  EXPECT_EQ(to_text(kTable),
            "Rows\n"
            "  name     µs\n"
            "  ------  ---\n"
            "  a       1.5\n"
            "  longer   12\n"
            "  a note\n");
}

TEST(ConsoleTest, TablesGoToStdoutMessagesToStderr) {
  std::ostringstream out, err;
  Console console(false, out, err, false);
  console.print("text");
  console.message("warning");
  console.document(nlohmann::json{{"a", 1}});
  EXPECT_EQ(out.str(), "text\n");
  EXPECT_EQ(err.str(), "warning\n");
}

TEST(ConsoleTest, WithJsonStdoutCarriesTheDocumentAlone) {
  std::ostringstream out, err;
  Console console(true, out, err, true);
  console.print("text");
  console.print(kTable);
  console.progress("run", 1s, 2s);
  console.message("warning");
  console.document(nlohmann::json{{"a", 1}});
  EXPECT_EQ(nlohmann::json::parse(out.str()), (nlohmann::json{{"a", 1}}));
  EXPECT_EQ(err.str(), "warning\n");
}

TEST(ConsoleTest, ProgressOnlyOnATerminal) {
  std::ostringstream out, err;
  Console console(false, out, err, false);
  console.progress("run", 1s, 2s);
  console.progress_done();
  EXPECT_EQ(out.str(), "");
}

TEST(ConsoleTest, ProgressIsOneLineThatIsWiped) {
  std::ostringstream out, err;
  Console console(false, out, err, true);
  console.progress("run", 30s, 60s);
  EXPECT_EQ(out.str(), "\rrun [###############...............] 30 s of 60 s");
  const auto width = out.str().size() - 1;
  out.str("");
  console.print("done");
  EXPECT_EQ(out.str(), "\r" + std::string(width, ' ') + "\rdone\n");
}

/// A stream buffer to which nothing can be written.
class Broken : public std::streambuf {
 public:
  explicit Broken(int error) : error_(error) {}

 protected:
  int_type overflow(int_type) override {
    errno = error_;
    return traits_type::eof();
  }

 private:
  int error_;
};

TEST(ConsoleTest, AStdoutThatCannotBeWrittenIsSaidOnceAndIsAnError) {
  Broken full(ENOSPC);
  std::ostream out(&full);
  std::ostringstream err;
  Console console(false, out, err, false);
  console.print("a");
  console.print("b");
  EXPECT_EQ(console.exit_code(kDone), kCannotMeasure);
  EXPECT_EQ(err.str(), "takt: cannot write to stdout: No space left on device\n");
  EXPECT_EQ(console.exit_code(kDone), kDone);
}

TEST(ConsoleTest, AReaderThatHasGoneIsNoError) {
  Broken closed(EPIPE);
  std::ostream out(&closed);
  std::ostringstream err;
  Console console(true, out, err, false);
  console.json_line({{"a", 1}});
  EXPECT_EQ(console.exit_code(kDone), kDone);
  EXPECT_EQ(err.str(), "");
}

TEST(ConsoleTest, ProgressStaysInItsBounds) {
  std::ostringstream out, err;
  Console console(false, out, err, true);
  console.progress("x", 90s, 60s);
  console.progress("x", -1s, 0s);
  EXPECT_EQ(out.str().find("-["), std::string::npos);
}

}  // namespace
}  // namespace takt::lab
