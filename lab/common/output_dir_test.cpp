// SPDX-License-Identifier: Apache-2.0
#include "lab/common/output_dir.hpp"

#include <gtest/gtest.h>

#include <fstream>

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

TEST(OutputDirTest, AFullDiskIsNamed) {
  FakeTree tree;
  std::filesystem::create_symlink("/dev/full", tree.root() / "raw.csv");
  const OutputDir dir(tree.root().string(), "x");
  EXPECT_THROW(dir.write("raw.csv", "text"), CannotMeasure);
}

TEST(OutputDirTest, NoNameMeansAFolderOfTheTime) {
  FakeTree tree;
  const auto before = std::filesystem::current_path();
  std::filesystem::current_path(tree.root());
  const OutputDir dir("", "priority");
  EXPECT_TRUE(dir.path().string().starts_with("reports/priority-2")) << dir.path();
  std::filesystem::current_path(before);
}

}  // namespace
}  // namespace takt::lab
