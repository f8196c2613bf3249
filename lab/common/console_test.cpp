// SPDX-License-Identifier: Apache-2.0
#include "lab/common/console.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>

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

TEST(ConsoleTest, ProgressStaysInItsBounds) {
  std::ostringstream out, err;
  Console console(false, out, err, true);
  console.progress("x", 90s, 60s);
  console.progress("x", -1s, 0s);
  EXPECT_EQ(out.str().find("-["), std::string::npos);
}

}  // namespace
}  // namespace takt::lab
