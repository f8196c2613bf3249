// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace takt {

/// Version of this build, "major.minor.patch". Wait-free.
std::string_view version() noexcept;

/// Commit that this build was made from (with "-dirty" if the tree had changes), or "unknown" without git.
/// Wait-free.
std::string_view commit() noexcept;

/// Name and version of the compiler. Wait-free.
std::string_view compiler() noexcept;

}  // namespace takt
