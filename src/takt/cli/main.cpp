// SPDX-License-Identifier: Apache-2.0
#include "lab/common/console.hpp"
#include "takt/cli/app.hpp"

int main(int argc, char** argv) {
  takt::lab::prepare_standard_streams();
  return takt::cli::run({argv + 1, argv + argc});
}
