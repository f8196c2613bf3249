// SPDX-License-Identifier: Apache-2.0
#include "takt/timing/paragraph.hpp"

#include <algorithm>

namespace takt::timing {

std::string paragraph(std::string_view label, std::string_view text, std::size_t hanging) {
  std::string out(label);
  auto room = kColumns - std::min(label.size(), kColumns / 2);
  const std::string indent(label.size() + hanging, ' ');
  while (text.size() > room) {
    auto end = text.rfind(' ', room);
    if (end == std::string_view::npos || end == 0) end = room;
    out += text.substr(0, end);
    text.remove_prefix(end);
    text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
    out += '\n' + indent;
    room = kColumns - std::min(indent.size(), kColumns / 2);
  }
  out += text;
  out += '\n';
  return out;
}

}  // namespace takt::timing
