// SPDX-License-Identifier: Apache-2.0
#include "lab/common/files.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <string>

#include "lab/common/errors.hpp"
#include "lab/common/fake_tree.hpp"

namespace takt::lab {
namespace {

TEST(FilesTest, AFileThatIsMissingIsNoError) {
  FakeTree tree;
  EXPECT_FALSE(open_if_there(tree.root() / "none").good());
  tree.put("some", "text");
  std::string text;
  open_if_there(tree.root() / "some") >> text;
  EXPECT_EQ(text, "text");
}

TEST(FilesTest, ANamedPipeIsRefusedAndNotWaitedFor) {
  FakeTree tree;
  const auto pipe = tree.root() / "plan.json";
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  try {
    open_if_there(pipe);
    FAIL();
  } catch (const CannotMeasure& error) {
    EXPECT_NE(std::string(error.what()).find(pipe.string()), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace takt::lab
