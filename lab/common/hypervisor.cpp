// SPDX-License-Identifier: Apache-2.0
#include "lab/common/hypervisor.hpp"

#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>
#endif

#include <array>
#include <cstring>
#include <string_view>
#include <utility>

#include "lab/common/files.hpp"

namespace takt::lab {
namespace {

std::string signature_of_processor() {
#if defined(__x86_64__) || defined(__i386__)
  std::array<unsigned, 4> words{};
  __cpuid(0x40000000, words[0], words[1], words[2], words[3]);
  std::array<char, 13> text{};
  std::memcpy(text.data(), &words[1], 12);
  return text.data();
#else
  return "";
#endif
}

std::string name_of(std::string_view signature) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 7> kNames{
      {{"KVMKVMKVM", "kvm"},
       {"Microsoft Hv", "hyper-v"},
       {"VMwareVMware", "vmware"},
       {"XenVMMXenVMM", "xen"},
       {"TCGTCGTCGTCG", "qemu"},
       {"VBoxVBoxVBox", "virtualbox"},
       {"bhyve bhyve ", "bhyve"}}};
  for (const auto& [known, name] : kNames) {
    if (signature == known) return std::string(name);
  }
  return "unknown hypervisor";
}

bool has_hypervisor_flag(const std::filesystem::path& cpuinfo) {
  auto file = open_if_there(cpuinfo);
  std::string line;
  while (std::getline(file, line)) {
    if (line.starts_with("flags")) return (line + " ").find(" hypervisor ") != std::string::npos;
  }
  return false;
}

}  // namespace

std::string hypervisor(const std::filesystem::path& root) {
  auto type = open_if_there(root / "sys/hypervisor/type");
  std::string name;
  if (type >> name) return name;
  if (!has_hypervisor_flag(root / "proc/cpuinfo")) return "none";
  return root == "/" ? name_of(signature_of_processor()) : "unknown hypervisor";
}

}  // namespace takt::lab
