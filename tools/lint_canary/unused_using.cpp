// See canary.cpp.
#include <vector>

namespace canary {
class Unused;
}  // namespace canary

using canary::Unused;  // CANARY: misc-unused-using-decls
