// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

namespace takt::lab::comm {

/// iceoryx's daemon, without which its programs do not start: from construction to destruction, its output
/// thrown away. Errors: SetupError when it cannot be started.
class Roudi {
 public:
  Roudi();
  ~Roudi();
  Roudi(const Roudi&) = delete;
  Roudi& operator=(const Roudi&) = delete;

 private:
  pid_t pid_ = 0;
};

}  // namespace takt::lab::comm
