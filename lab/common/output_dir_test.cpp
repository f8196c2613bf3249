// SPDX-License-Identifier: Apache-2.0
#include "lab/common/output_dir.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <set>

#include "lab/common/errors.hpp"
#include "lab/common/fake_tree.hpp"

namespace takt::lab {
namespace {

TEST(OutputDirTest, MakesFoldersAndLeavesNoProbe) {
  FakeTree tree;
  const auto wanted = tree.root() / "a/b";
  const OutputDir dir(wanted.string(), "x");
  EXPECT_TRUE(std::filesystem::is_empty(wanted));
  dir.write("plan.json", "{}");
  EXPECT_EQ(text_of(dir / "plan.json"), "{}");
}

TEST(OutputDirTest, AnOldFileIsReplaced) {
  FakeTree tree;
  tree.put("report.html", "old and long");
  OutputDir(tree.root().string(), "x").write("report.html", "new");
  EXPECT_EQ(text_of(tree.root() / "report.html"), "new");
}

TEST(OutputDirTest, AFileInTheWayIsNamed) {
  FakeTree tree;
  tree.put("taken", "");
  for (const auto& wanted : {tree.root() / "taken", tree.root() / "taken/below"}) {
    try {
      const OutputDir dir(wanted.string(), "x");
      FAIL() << wanted;
    } catch (const CannotMeasure& error) {
      EXPECT_NE(std::string(error.what()).find(wanted.string()), std::string::npos) << error.what();
      EXPECT_NE(error.fix().find("--out"), std::string::npos);
    }
  }
}

TEST(OutputDirTest, AFullDiskIsNamedAndLeavesTheFileAsItWas) {
  FakeTree tree;
  tree.put("raw.csv", "whole");
  std::filesystem::create_symlink("/dev/full", tree.root() / "raw.csv.part");
  const OutputDir dir(tree.root().string(), "x");
  try {
    dir.write("raw.csv", "text");
    FAIL();
  } catch (const CannotMeasure& error) {
    EXPECT_NE(std::string(error.what()).find("raw.csv: No space left on device"), std::string::npos);
    EXPECT_NE(error.fix().find("make room"), std::string::npos);
    EXPECT_EQ(error.fix().find("may write to"), std::string::npos);
  }
  EXPECT_EQ(text_of(tree.root() / "raw.csv"), "whole");
  EXPECT_FALSE(std::filesystem::exists(std::filesystem::symlink_status(tree.root() / "raw.csv.part")));
}

TEST(OutputDirTest, FilesOfAnEarlierRunGoAndOthersStay) {
  FakeTree tree;
  for (const auto* file : {"report.html", "raw.csv", "raw.csv.part", "notes.txt"}) tree.put(file, "old");
  const OutputDir dir(tree.root().string(), "x", {"report.html", "raw.csv", "never.csv"});
  EXPECT_FALSE(std::filesystem::exists(dir / "report.html"));
  EXPECT_FALSE(std::filesystem::exists(dir / "raw.csv"));
  EXPECT_FALSE(std::filesystem::exists(dir / "raw.csv.part"));
  EXPECT_EQ(text_of(dir / "notes.txt"), "old");
}

TEST(OutputDirTest, NoNameMeansAFolderOfTheTime) {
  FakeTree tree;
  const auto before = std::filesystem::current_path();
  std::filesystem::current_path(tree.root());
  const OutputDir dir("", "priority");
  EXPECT_TRUE(dir.path().string().starts_with("reports/priority-2")) << dir.path();
  std::set<std::filesystem::path> paths{dir.path()};
  for (int i = 0; i < 5; ++i) paths.insert(OutputDir("", "priority").path());
  EXPECT_EQ(paths.size(), 6U);  // in the same second, or in two
  std::filesystem::current_path(before);
}

}  // namespace
}  // namespace takt::lab
