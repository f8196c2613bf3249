// SPDX-License-Identifier: Apache-2.0
#include "takt/graph/topic_name.hpp"

#include <algorithm>
#include <string_view>

#include "takt/core/error.hpp"

namespace takt {
namespace {

constexpr std::size_t kLongestNode = 255;
constexpr std::size_t kLongestTopic = 247;  // 255 less the prefix and suffix that DDS names carry
constexpr std::size_t kLongestNamespace = kLongestTopic - 2;

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_word(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || is_digit(c) || c == '_'; }

[[noreturn]] void refuse(const std::string& what, const std::string& name, const std::string& rule,
                         const std::string& fix) {
  throw SetupError(what + " '" + name + "' " + rule, fix);
}

/// One part between slashes. `shown` is the whole name, as the user wrote it.
void check_token(std::string_view token, const std::string& what, const std::string& shown) {
  if (token.empty()) refuse(what, shown, "has an empty part", "take out the slash that is too many");
  if (is_digit(token.front())) {
    refuse(what, shown, "has a part that begins with a digit: '" + std::string(token) + "'",
           "begin it with a letter");
  }
  const auto* const wrong = std::find_if_not(token.begin(), token.end(), is_word);
  if (wrong != token.end()) {
    refuse(what, shown, "contains '" + std::string(1, *wrong) + "'", "use letters, digits and underscores");
  }
}

/// "/a/b": every part.
void check_full(std::string_view full, const std::string& what, const std::string& shown,
                std::size_t longest) {
  if (full.size() > longest) {
    refuse(what, shown, "has " + std::to_string(full.size()) + " characters in full",
           "use at most " + std::to_string(longest));
  }
  for (std::size_t at = 0; at != std::string_view::npos;) {
    const auto next = full.find('/', at + 1);
    check_token(full.substr(at + 1, next == std::string_view::npos ? next : next - at - 1), what, shown);
    at = next;
  }
}

std::string substituted(const std::string& topic, const std::string& ns, const std::string& node) {
  std::string out;
  for (std::size_t at = 0; at < topic.size();) {
    if (topic[at] != '{') {
      out += topic[at++];
      continue;
    }
    const auto end = topic.find('}', at);
    const auto key = topic.substr(at + 1, end == std::string::npos ? end : end - at - 1);
    if (end == std::string::npos) refuse("topic", topic, "has a '{' without '}'", "close it");
    if (key == "node") {
      out += node;
    } else if (key == "ns" || key == "namespace") {
      out += ns;
    } else {
      refuse("topic", topic, "has an unknown substitution {" + key + "}", "use {node}, {ns} or {namespace}");
    }
    at = end + 1;
  }
  return out;
}

}  // namespace

void check_node_name(const std::string& name) {
  if (name.empty()) throw SetupError("a node needs a name", "give it one of letters, digits and underscores");
  if (name.size() > kLongestNode) {
    refuse("node name", name, "has " + std::to_string(name.size()) + " characters",
           "use at most " + std::to_string(kLongestNode));
  }
  check_token(name, "node name", name);
}

std::string check_namespace(const std::string& ns) {
  if (ns.empty() || ns == "/") return {};
  auto full = ns.front() == '/' ? ns : "/" + ns;
  check_full(full, "namespace", ns, kLongestNamespace);
  return full;
}

std::string resolve_topic_name(const std::string& topic, const std::string& ns, const std::string& node) {
  if (topic.empty()) throw SetupError("a topic needs a name", "give it one such as 'command'");
  const auto root = check_namespace(ns);
  auto name = substituted(topic, root, node);
  if (name.front() == '~') {
    if (name.size() > 1 && name[1] != '/')
      refuse("topic", topic, "has '~' without '/' after it", "write '~/name'");
    name = root + "/" + node + name.substr(1);
  } else if (name.front() != '/') {
    name = root + "/" + name;
  }
  check_full(name, "topic", topic, kLongestTopic);
  return name;
}

std::string full_name_of(const std::string& node) { return node.starts_with('/') ? node : "/" + node; }
std::string short_name_of(const std::string& node) { return node.substr(node.rfind('/') + 1); }

}  // namespace takt
