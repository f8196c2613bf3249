// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>

#include "takt/timing/fold.hpp"
#include "takt/timing/words.hpp"

namespace takt::timing {

using NameOf = std::function<std::string(SectionId)>;

/// Judges what has been folded of a section. `rule` for a chain, else nullptr. Within Fold::read().
Verdict judge(const Fold& fold, const SectionFold& folded, const ChainRule* rule, const NameOf& name_of);

/// The rule in words: what must hold, what happens to slots that have passed, what is tolerated, on which
/// clock.
std::string rule_text(const SectionOptions& options, Duration deadline, const ChainRule* rule);

/// All shares of a miss above 1 %, who blocked or delayed it, and since when they were counted.
std::string describe(const KeptMiss& miss, const SectionFold& folded, const NameOf& name_of);

}  // namespace takt::timing
