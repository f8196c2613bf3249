// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Messages as bytes: serialized_size(), encode(), decode(), and at compile time kPlain<T>.
#include "takt/msgs/decode.hpp"
#include "takt/msgs/encode.hpp"
#include "takt/msgs/layout.hpp"
