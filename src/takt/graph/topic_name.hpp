// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace takt {

// The names that ROS 2 allows (rmw: validate_node_name.c, validate_namespace.c, validate_full_topic_name.c;
// rcl: expand_topic_name.c). Set-up functions: may allocate.

/// Letters, digits and underscores, no digit first, at most 255. Errors: SetupError with the rule that is
/// broken.
void check_node_name(const std::string& name);

/// "", "/" and "robot" are allowed as well as "/robot/arm". Returns it in the form "/robot/arm", and "" for
/// the root. Errors: SetupError with the rule that is broken.
std::string check_namespace(const std::string& ns);

/// The full name: "topic" -> "/<ns>/topic", "~/topic" -> "/<ns>/<node>/topic", "/topic" as it is; {node},
/// {ns} and {namespace} are replaced. Errors: SetupError with the rule that is broken.
std::string resolve_topic_name(const std::string& topic, const std::string& ns, const std::string& node);

/// A node's name, "/robot/controller" or "controller": with and without what comes before it.
std::string full_name_of(const std::string& node);
std::string short_name_of(const std::string& node);

}  // namespace takt
