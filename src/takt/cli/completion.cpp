// SPDX-License-Identifier: Apache-2.0
#include "takt/cli/completion.hpp"

#include <fmt/format.h>

#include <iostream>
#include <memory>

namespace takt::cli {
namespace {

constexpr const char* kHead = R"sh(# takt completion for {shell}. Install it with
#   source <(takt completion {shell})
_takt() {{
  local word="${{COMP_WORDS[COMP_CWORD]}}" path="takt" words="" names="" at
  for ((at = 1; at < COMP_CWORD; at++)); do
    case "$path ${{COMP_WORDS[at]}}" in
      {paths}) path="$path ${{COMP_WORDS[at]}}" ;;
    esac
  done
  case "$path" in
)sh";

constexpr const char* kTail = R"sh(  esac
  if [[ "$word" != -* && -n "$names" ]]; then
    words="$words $(takt $names list 2>/dev/null)"
  fi
  COMPREPLY=($(compgen -W "$words" -- "$word"))
}
complete -F _takt takt
)sh";

constexpr const char* kZsh = "autoload -U +X bashcompinit && bashcompinit\n";

std::vector<const CLI::App*> verbs_below(const CLI::App& parser) {
  return parser.get_subcommands([](const CLI::App*) { return true; });
}

/// The verbs and options that may come next.
std::string words_after(const CLI::App& parser) {
  std::string words;
  for (const auto* verb : verbs_below(parser)) words += verb->get_name() + " ";
  for (const auto* option : parser.get_options()) {
    for (const auto& name : option->get_lnames()) words += "--" + name + " ";
  }
  if (!words.empty()) words.pop_back();
  return words;
}

/// What lists the names that the verb takes: "topic", "node", or nothing.
std::string lister_of(const CLI::App& parser) {
  for (const auto* option : parser.get_options()) {
    if (!option->get_positional()) continue;
    if (option->get_name() == "TOPIC") return "topic";
    if (option->get_name() == "NODE") return "node";
  }
  return "";
}

void add_cases(const CLI::App& parser, const std::string& path, std::string& cases, std::string& paths) {
  cases +=
      fmt::format("    \"{}\") words=\"{}\" names=\"{}\" ;;\n", path, words_after(parser), lister_of(parser));
  for (const auto* verb : verbs_below(parser)) {
    const auto below = path + " " + verb->get_name();
    paths += fmt::format("{}\"{}\"", paths.empty() ? "" : " | ", below);
    add_cases(*verb, below, cases, paths);
  }
}

}  // namespace

std::string completion_script(const CLI::App& root, const std::string& shell) {
  std::string cases;
  std::string paths;
  add_cases(root, "takt", cases, paths);
  return (shell == "zsh" ? kZsh : "") +
         fmt::format(fmt::runtime(kHead), fmt::arg("shell", shell), fmt::arg("paths", paths)) + cases + kTail;
}

std::vector<Verb> add_completion(CLI::App& root) {
  auto shell = std::make_shared<std::string>();
  CLI::App* parser =
      root.add_subcommand("completion", "print the script that completes takt's words in a shell");
  parser->add_option("SHELL", *shell, "bash or zsh")->required()->check(CLI::IsMember({"bash", "zsh"}));
  parser->footer("Example: source <(takt completion bash)");
  return {{parser, [shell, &root] {
             std::cout << completion_script(root, *shell);
             return 0;
           }}};
}

}  // namespace takt::cli
