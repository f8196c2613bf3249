// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <exception>
#include <string>

namespace takt::lab {

/// "Too many open files": the system's words for an errno.
std::string words_of_errno(int error);

/// What to do when the system ran out of something, with the limit that holds here: "raise the limit of open
/// files (ulimit -n, now 16)". Empty for an errno that says something else.
std::string fix_of_shortage(int error);

/// What an exception says. Of a thread that could not be started the C++ library says too little: then with
/// the limit that is in the way.
std::string words_of(const std::exception& error);

}  // namespace takt::lab
