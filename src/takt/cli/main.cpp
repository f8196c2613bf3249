// SPDX-License-Identifier: Apache-2.0
#include "takt/cli/app.hpp"

int main(int argc, char** argv) { return takt::cli::run({argv + 1, argv + argc}); }
