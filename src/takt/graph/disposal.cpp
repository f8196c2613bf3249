// SPDX-License-Identifier: Apache-2.0
#include "takt/graph/disposal.hpp"

#include <atomic>
#include <vector>

#include "takt/core/house.hpp"

namespace takt {

/// A list that any thread pushes to and the house takes as a whole: no ABA.
class Disposal {
 public:
  /// Never destroyed: a static object of the user's may drop a message at the very end.
  static Disposal& of_process() {
    static Disposal& own = *new Disposal;
    return own;
  }

  void push(Disposable* thing) noexcept {
    thing->next_ = head_.load(std::memory_order_relaxed);
    while (!head_.compare_exchange_weak(thing->next_, thing, std::memory_order_release,
                                        std::memory_order_relaxed)) {
    }
    house_.stir();
  }

 private:
  Disposal() : house_(House::of_process()), task_(house_.add([this] { return destroy_all(); })) {}

  /// Runs in the house only. True while something has to be asked again.
  bool destroy_all() {
    for (Disposable* thing = head_.exchange(nullptr, std::memory_order_acquire); thing != nullptr;) {
      waiting_.emplace_back(thing);
      thing = thing->next_;
    }
    std::erase_if(waiting_, [](const auto& thing) { return thing->disposable(); });
    return !waiting_.empty();
  }

  std::atomic<Disposable*> head_{nullptr};
  std::vector<std::unique_ptr<Disposable>> waiting_;  // the house's own
  House& house_;
  std::unique_ptr<House::Registration> task_;
};

void dispose(std::unique_ptr<Disposable> thing) noexcept {
  if (thing) Disposal::of_process().push(thing.release());
}

void prepare_disposal() { Disposal::of_process(); }

}  // namespace takt
