// SPDX-License-Identifier: Apache-2.0
#include "takt/cli/app.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <exception>
#include <iostream>
#include <sstream>

#include "lab/common/console.hpp"
#include "lab/common/shortage.hpp"
#include "takt/cli/clock_verbs.hpp"
#include "takt/cli/completion.hpp"
#include "takt/cli/external.hpp"
#include "takt/cli/lab_verb.hpp"
#include "takt/cli/near_matches.hpp"
#include "takt/cli/node_verbs.hpp"
#include "takt/cli/status_verb.hpp"
#include "takt/cli/topic_verbs.hpp"
#include "takt/cli/verb.hpp"
#include "takt/core/error.hpp"
#include "takt/core/version.hpp"

namespace takt::cli {
namespace {

enum ExitCode : int { kDone = 0, kUsage = 2, kCannotRun = 3 };

constexpr const char* kAbout =
    "takt runs robot nodes in real time on Linux and says, for every callback,\n"
    "whether it met its deadline and, if not, why.";

constexpr const char* kFooter =
    "Examples:\n"
    "  takt lab                                       list the experiments\n"
    "  takt lab deadlines --phase wall_injected       injected stops: every miss and its cause\n"
    "  takt lab priority --design 3 --seconds 20      what a real-time priority changes under load\n"
    "  takt lab deadlines --json | jq .               JSON lines for other programs\n"
    "  takt topic hz /scan                            the rate of a topic, and its longest gap\n"
    "  takt clock --rtf 0.5                           simulated time at half speed (pause, step, run-to "
    "...)\n"
    "  takt status                                    what runs on this host, what was sent and lost\n"
    "  source <(takt completion bash)                 completes verbs, options, topics and nodes\n"
    "  takt help lab deadlines                        the options of one verb\n"
    "\n"
    "takt X runs the program takt-X beside this one or on PATH, when X is no verb.\n"
    "\n"
    "Exit codes:\n"
    "  0  done, and met where the command judges (an experiment that ran: 0, whatever it found)\n"
    "  1  a deadline was missed\n"
    "  2  usage\n"
    "  3  could not measure or run: stderr says why, and how to mend it\n"
    "  4  not judged";

/// "lab deadlines": the verbs that were named, as far as they are known.
const CLI::App* deepest_parsed(const CLI::App* parser, std::string& path) {
  for (const CLI::App* verb : parser->get_subcommands()) {
    path += " " + verb->get_name();
    return deepest_parsed(verb, path);
  }
  return parser;
}

std::vector<std::string> names_of_verbs(const CLI::App& parser) {
  std::vector<std::string> names;
  for (const auto* verb : parser.get_subcommands([](const CLI::App*) { return true; }))
    names.push_back(verb->get_name());
  return names;
}

/// Verbs when a verb was expected, options when an option was.
std::vector<std::string> names_like(const CLI::App& parser, const std::string& word) {
  if (!word.starts_with("-")) return names_of_verbs(parser);
  std::vector<std::string> names;
  for (const auto* option : parser.get_options()) {
    for (const auto& name : option->get_lnames()) names.push_back("--" + name);
  }
  return names;
}

std::string suggestion(const std::string& word, const std::vector<std::string>& known) {
  const auto near = near_matches(word, known);
  return near.empty() ? "" : fmt::format("; did you mean {}?", fmt::join(near, " or "));
}

int usage_error(const std::string& path, const std::string& message) {
  std::cerr << path << ": " << message << "\ntry: " << path << " --help\n";
  return kUsage;
}

int parse_error(const CLI::App& root, const CLI::ParseError& error) {
  std::string path = "takt";
  const CLI::App* parser = deepest_parsed(&root, path);
  const auto extras = root.remaining(true);
  if (dynamic_cast<const CLI::ExtrasError*>(&error) == nullptr || extras.empty())
    return usage_error(path, error.what());
  const std::string& word = extras.front();
  const char* kind = word.starts_with("-")             ? "unknown option"
                     : names_of_verbs(*parser).empty() ? "unexpected"
                                                       : "unknown verb";
  return usage_error(path, fmt::format("{} '{}'{}", kind, word, suggestion(word, names_like(*parser, word))));
}

int parse_and_run(CLI::App& root, const std::vector<Verb>& verbs, std::vector<std::string> words) {
  try {
    std::reverse(words.begin(), words.end());  // CLI11 takes them from the back
    root.parse(std::move(words));
  } catch (const CLI::Success& asked) {  // help and version
    std::ostringstream text;             // CLI11 would flush, and nobody would look at the errno
    const int code = root.exit(asked, text, std::cerr);
    std::cout << text.str();
    return code;
  } catch (const CLI::ParseError& error) {
    return parse_error(root, error);
  }
  for (const auto& verb : verbs) {
    if (verb.parser->parsed()) return verb.run();
  }
  std::cerr << root.help();
  return kUsage;
}

/// "help lab" and "lab help" are "lab --help".
void ask_for_help(std::vector<std::string>& words) {
  constexpr std::array<std::string_view, 4> kWithVerbs{"lab", "topic", "node", "clock"};
  const bool below = !words.empty() && std::ranges::find(kWithVerbs, words.front()) != kWithVerbs.end();
  const std::size_t at = below ? 1 : 0;
  if (words.size() <= at || words[at] != "help") return;
  words.erase(words.begin() + static_cast<std::ptrdiff_t>(at));
  words.emplace_back("--help");
}

int run_checked(std::vector<std::string> words) {
  CLI::App root(kAbout, "takt");
  root.get_formatter()->label("SUBCOMMAND", "VERB");
  root.set_version_flag("--version", fmt::format("takt {} (commit {})", version(), commit()),
                        "print version and commit");
  root.footer(kFooter);
  root.get_formatter()->column_width(22);
  root.require_subcommand(0, 1);
  std::vector<Verb> verbs;
  for (const auto add : {add_lab, add_topic, add_node, add_status, add_clock, add_completion}) {
    for (auto& verb : add(root)) verbs.push_back(std::move(verb));
  }
  root.add_subcommand("help", "show the help of a verb: takt help <verb>...");
  for (auto* verb : root.get_subcommands([](const CLI::App*) { return true; })) verb->group("Verbs");

  ask_for_help(words);
  if (!words.empty() && !words.front().starts_with("-")) {
    const auto known = names_of_verbs(root);
    const std::string verb = words.front();
    if (std::find(known.begin(), known.end(), verb) == known.end()) {
      if (const auto program = find_external(verb)) become(*program, {words.begin() + 1, words.end()});
      return usage_error(
          "takt", fmt::format("unknown verb '{}', and no program takt-{} beside this one or on PATH{}", verb,
                              verb, suggestion(verb, known)));
    }
  }
  return parse_and_run(root, verbs, std::move(words));
}

}  // namespace

int run(const std::vector<std::string>& words) {
  try {
    return lab::Console(false).exit_code(run_checked(words));
  } catch (const std::exception& error) {
    std::cerr << "takt: " << lab::words_of(error) << "\n";
    return kCannotRun;
  }
}

}  // namespace takt::cli
