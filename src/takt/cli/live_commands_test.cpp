// SPDX-License-Identifier: Apache-2.0
// Runs the real binary beside writers and readers of this process.
#include <gmock/gmock.h>

#include <atomic>
#include <nlohmann/json.hpp>
#include <sstream>
#include <thread>

#include "takt/cli/live_test_support.hpp"

namespace takt::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using Json = nlohmann::json;
using shm::EndpointKind;

constexpr const char* kString = "std_msgs/msg/String";
constexpr const char* kInt = "std_msgs/msg/Int32";

std::vector<Json> lines_of(const std::string& text) {
  std::vector<Json> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(Json::parse(line));
  return lines;
}

class LiveCommands : public LiveTest {
 protected:
  LiveCommands() { join(); }
};

/// Sends again and again until its end.
class Sender {
 public:
  template <class Send>
  Sender(Duration period, Send send)
      : thread_([this, period, send] {
          auto next = SteadyClock::instance()->steady_now();
          while (!over_.load()) {
            send();
            SteadyClock::instance()->sleep_until(next += period);
          }
        }) {}
  ~Sender() {
    over_ = true;
    thread_.join();
  }
  Sender(const Sender&) = delete;
  Sender& operator=(const Sender&) = delete;

 private:
  std::atomic<bool> over_{false};
  std::thread thread_;
};

TEST_F(LiveCommands, TopicListShowsTopicsAndTypes) {
  const auto chatter = publisher("/chatter", kString);
  discovery_->add(endpoint(EndpointKind::subscription, "/number", kInt));
  EXPECT_EQ(takt("topic list").out, "/chatter\n/number\n");
  EXPECT_EQ(takt("topic list -t").out, "/chatter [std_msgs/msg/String]\n/number [std_msgs/msg/Int32]\n");
  EXPECT_THAT(takt("topic list -v").out, HasSubstr(" * /chatter [std_msgs/msg/String] 1 publisher\n"));
  const auto json = takt("topic list --json");
  EXPECT_EQ(json.exit_code, 0) << json.err;
  expect_schema("commands.schema.json");
  const auto topics = Json::parse(json.out)["topics"];
  ASSERT_EQ(topics.size(), 2U);
  EXPECT_EQ(topics[0]["publishers"], 1);
  EXPECT_EQ(topics[1]["subscriptions"], 1);
}

TEST_F(LiveCommands, AnEmptyDomainHasAnEmptyList) {
  const auto list = takt("topic list");
  EXPECT_EQ(list.exit_code, 0);
  EXPECT_THAT(list.out, IsEmpty());
  EXPECT_EQ(Json::parse(takt("topic list --json").out)["topics"], Json::array());
}

TEST_F(LiveCommands, TopicInfoNamesWhatDoesNotMatchAndWhy) {
  auto offered = endpoint(EndpointKind::publisher, "/chatter", kString);
  offered.qos.reliability = shm::EndpointQos::Reliability::best_effort;
  const auto writer = publisher(offered);
  discovery_->add(endpoint(EndpointKind::subscription, "/chatter", kString));
  const auto info = takt("topic info chatter -v");
  EXPECT_EQ(info.exit_code, 0) << info.err;
  EXPECT_THAT(info.out, HasSubstr("Publisher count: 1"));
  EXPECT_THAT(info.out, HasSubstr("/talker"));
  EXPECT_THAT(info.out, HasSubstr("RIHS01_"));
  EXPECT_THAT(info.out, HasSubstr("the publisher is best effort, the subscription asks for reliable"));
  const auto document = Json::parse(takt("topic info /chatter --json").out);
  expect_schema("commands.schema.json");
  const auto& found = document["topic_info"];
  EXPECT_EQ(found["publishers"][0]["reliability"], "best_effort");
  EXPECT_EQ(found["publishers"][0]["pid"], ::getpid());
  EXPECT_EQ(found["mismatches"].size(), 1U);
  EXPECT_EQ(found["mismatches"][0]["subscription_node"], "/listener");
}

TEST_F(LiveCommands, AnUnknownTopicIsAnErrorThatNamesNearOnes) {
  const auto writer = publisher("/chatter", kString);
  const auto info = takt("topic info /chater --json");
  EXPECT_EQ(info.exit_code, 3);
  EXPECT_THAT(info.out, IsEmpty());
  EXPECT_THAT(info.err, HasSubstr("did you mean /chatter?"));
}

TEST_F(LiveCommands, EchoOnceShowsWhatATransientLocalPublisherRetained) {
  const auto writer = publisher("/chatter", kString, 5);
  send(*writer, kString, "data: hello");
  const auto yaml = takt("topic echo /chatter --once");
  EXPECT_EQ(yaml.exit_code, 0) << yaml.err;
  EXPECT_EQ(yaml.out, "data: hello\n---\n");
  EXPECT_THAT(yaml.err, IsEmpty());
  const auto json = takt("topic echo chatter std_msgs/String --once --json");
  EXPECT_EQ(json.exit_code, 0) << json.err;
  expect_schema("commands-line.schema.json", "--lines");
  const auto line = Json::parse(json.out);
  EXPECT_EQ(line["message"]["data"], "hello");
  EXPECT_EQ(line["sequence"], 1);
  EXPECT_EQ(line["node"], "/talker");
  EXPECT_EQ(takt("topic echo /chatter --once --field data").out, "hello\n---\n");
}

TEST_F(LiveCommands, EchoWithADurabilityThatIsNotOfferedSaysWhy) {
  const auto writer = publisher("/chatter", kString);
  const auto echo = takt("topic echo /chatter --once --qos-durability transient_local --timeout 0.3");
  EXPECT_EQ(echo.exit_code, 3);
  EXPECT_THAT(echo.err, HasSubstr("the publisher is volatile, the subscription asks for transient local"));
}

TEST_F(LiveCommands, EchoRefusesATypeOfAnotherDefinitionAndSaysWhatToDo) {
  auto other = endpoint(EndpointKind::publisher, "/chatter", kString);
  other.type_hash.fill(std::byte{0xab});
  const auto writer = publisher(other, 5);
  for (const char* type : {"", "std_msgs/msg/String"}) {
    const auto echo = takt("topic echo /chatter " + std::string(type) + " --once --timeout 20");
    EXPECT_EQ(echo.exit_code, 3);
    EXPECT_THAT(echo.out, IsEmpty());
    EXPECT_THAT(echo.err, HasSubstr("RIHS01_abab"));
    EXPECT_THAT(echo.err, HasSubstr("--definitions"));
  }
}

TEST_F(LiveCommands, EchoRefusesATypeThatIsNotKnown) {
  shm::Endpoint other{.topic = "/thing", .type_name = "my_msgs/msg/Thing", .node = "/talker"};
  const auto writer = publisher(other);
  const auto echo = takt("topic echo /thing --timeout 20");
  EXPECT_EQ(echo.exit_code, 3);
  EXPECT_THAT(echo.err, HasSubstr("my_msgs/msg/Thing is unknown"));
  EXPECT_THAT(echo.err, HasSubstr("--definitions"));
}

TEST_F(LiveCommands, EchoPassesOverADamagedMessageAndSaysSo) {
  const auto writer = publisher("/chatter", kString, 5);
  send(*writer, std::vector<std::byte>(3));
  send(*writer, kString, "data: sound");
  const auto echo = takt("topic echo /chatter --once");
  EXPECT_EQ(echo.exit_code, 0);
  EXPECT_EQ(echo.out, "data: sound\n---\n");
  EXPECT_THAT(echo.err, HasSubstr("message 1 of /talker"));
  EXPECT_THAT(echo.err, HasSubstr("damaged"));
}

TEST_F(LiveCommands, EchoWaitsForATopicAndIsAHiddenSubscriptionMeanwhile) {
  std::unique_ptr<shm::Writer> writer;
  bool seen = false;
  std::thread later([&] {
    for (int tries = 0; tries < 3000 && !seen; ++tries) {
      std::this_thread::sleep_for(std::chrono::milliseconds{10});
      for (const auto& one : discovery_->snapshot())
        seen = seen || (one.topic == "/late" && one.node.starts_with("/_takt_"));
    }
    writer = publisher("/late", kString, 1);
    send(*writer, kString, "data: at last");
  });
  const auto echo =
      takt("topic echo /late std_msgs/String --once --qos-durability transient_local --timeout 50");
  later.join();
  EXPECT_TRUE(seen);
  EXPECT_EQ(echo.exit_code, 0);
  EXPECT_EQ(echo.out, "data: at last\n---\n");
  EXPECT_THAT(echo.err, HasSubstr("waiting for /late"));
}

TEST_F(LiveCommands, EchoEndsNormallyOnASignal) {
  // In the foreground `timeout` signals once; otherwise twice, and a second signal ends the command at once.
  const auto echo = takt("topic echo /nothing", "timeout --foreground --preserve-status -s INT 2");
  EXPECT_EQ(echo.exit_code, 0) << echo.err;
  EXPECT_THAT(echo.err, HasSubstr("waiting for /nothing"));
}

TEST_F(LiveCommands, HzCountsAndNamesTheLongestGap) {
  const auto writer = publisher("/tick", kInt);
  const auto bytes = msgs::parse_message(*find_type(kInt, {}).description, "");
  const Sender sender(std::chrono::milliseconds{5}, [&] { send(*writer, bytes); });
  const auto hz = takt("topic hz /tick --timeout 2.5 --json");
  EXPECT_EQ(hz.exit_code, 0) << hz.err;
  expect_schema("commands-line.schema.json", "--lines");
  const auto lines = lines_of(hz.out);
  ASSERT_GE(lines.size(), 2U);
  EXPECT_GT(lines.back()["count"], 20);
  EXPECT_GE(lines.back()["longest_gap_ms"], lines.back()["mean_ms"]);
  EXPECT_LT(lines.back()["rate_hz"], 250);
  const auto text = takt("topic hz tick --timeout 1.5");
  EXPECT_THAT(text.out, HasSubstr("average rate: "));
  EXPECT_THAT(text.out, HasSubstr("longest gap: "));
  for (const char* verb : {"bw", "delay"}) {
    EXPECT_EQ(takt("topic " + std::string(verb) + " /tick --timeout 1.2 --json").exit_code, 0);
    expect_schema("commands-line.schema.json", "--lines");
    EXPECT_THAT(takt("topic " + std::string(verb) + " /tick --timeout 0.5").out, Not(IsEmpty()));
  }
}

TEST_F(LiveCommands, WithoutAMessageTheMetersSaySo) {
  const auto writer = publisher("/tick", kInt);
  const auto hz = takt("topic hz /tick --timeout 0.2");
  EXPECT_EQ(hz.exit_code, 3);
  EXPECT_THAT(hz.err, HasSubstr("no message on /tick within 0.2 s"));
}

TEST_F(LiveCommands, PubIsSeenByAReader) {
  auto wanted = endpoint(EndpointKind::subscription, "/chatter", kString);
  discovery_->add(wanted);
  std::unique_ptr<shm::Reader> reader;
  shm::Endpoint from;
  std::thread listener([&] {
    for (int tries = 0; tries < 3000 && !reader; ++tries) {
      std::this_thread::sleep_for(std::chrono::milliseconds{10});
      for (const auto& one : discovery_->snapshot()) {
        if (one.kind != EndpointKind::publisher) continue;
        from = one;
        reader = shm::Reader::attach(
            *domain_, domain_->path() / one.segment,
            {.type_hash = one.type_hash, .lease = self_->id, .bell = bell_->index(), .depth = 10});
      }
    }
  });
  const auto pub = takt("topic pub chatter std_msgs/String '{data: hello}' --times 3 --rate 50 --json");
  listener.join();
  EXPECT_EQ(pub.exit_code, 0) << pub.err;
  expect_schema("commands-line.schema.json", "--lines");
  EXPECT_EQ(lines_of(pub.out).size(), 3U);
  ASSERT_TRUE(reader);
  EXPECT_EQ(from.topic, "/chatter");
  EXPECT_TRUE(from.node.starts_with("/_takt_"));
  for (int i = 0; i < 3; ++i) {
    const auto view = reader->take();
    ASSERT_TRUE(view);
    const auto sent = msgs::parse_message(*find_type(kString, {}).description, "data: hello");
    EXPECT_TRUE(std::ranges::equal(view->bytes().subspan(shm::kLead), sent));
  }
  EXPECT_FALSE(reader->take());
}

TEST_F(LiveCommands, PubSaysWhatIsWrongWithTheMessage) {
  const auto pub = takt("topic pub /x std_msgs/Int32 '{data: many}' --once");
  EXPECT_EQ(pub.exit_code, 3);
  EXPECT_THAT(pub.err, HasSubstr("data"));
  EXPECT_THAT(pub.err, HasSubstr("many"));
}

TEST_F(LiveCommands, PubThatWaitsIsRefusedAtOnceWhereTheTopicHasAnotherType) {
  discovery_->add(endpoint(EndpointKind::subscription, "/heard", kString));
  const auto writer = publisher("/said", kString);
  for (const auto* topic : {"/heard", "/said"}) {
    const auto pub =
        takt(std::string("topic pub ") + topic + " std_msgs/Int32 '{data: 1}' --once", "timeout -k 5 10");
    EXPECT_EQ(pub.exit_code, 3) << topic;
    EXPECT_THAT(pub.err, HasSubstr(std::string(topic) + " has the type std_msgs/msg/String"));
    EXPECT_THAT(pub.err, HasSubstr("not std_msgs/msg/Int32"));
    EXPECT_EQ(pub.out, "");
  }
}

TEST_F(LiveCommands, PubThatDoesNotWaitNamesTheEndsThatDoNotMatchOnceAndGoesOn) {
  discovery_->add(endpoint(EndpointKind::subscription, "/chatter", kString));
  const auto pub = takt("topic pub /chatter std_msgs/Int32 '{data: 1}' --times 3 --rate 100 -w 0");
  EXPECT_EQ(pub.exit_code, 0) << pub.err;
  EXPECT_THAT(pub.err, HasSubstr("/listener"));
  EXPECT_THAT(pub.err, HasSubstr("the types differ"));
  EXPECT_EQ(std::ranges::count(pub.err, '\n'), 1) << pub.err;
  EXPECT_EQ(std::ranges::count(pub.out, '\n'), 3) << pub.out;
}

TEST_F(LiveCommands, NodesAreListedAndHiddenOnesOnlyWithAll) {
  discovery_->add({.kind = EndpointKind::node, .node = "/quiet"});
  discovery_->add({.kind = EndpointKind::node, .node = "/_hidden"});
  const auto writer = publisher("/chatter", kString);
  EXPECT_EQ(takt("node list").out, "/quiet\n/talker\n");
  EXPECT_EQ(takt("node list --all").out, "/_hidden\n/quiet\n/talker\n");
  EXPECT_EQ(takt("node list --json").exit_code, 0);
  expect_schema("commands.schema.json");
  const auto info = takt("node info talker");
  EXPECT_THAT(info.out, HasSubstr("/chatter: std_msgs/msg/String"));
  EXPECT_EQ(takt("node info /talker --json").exit_code, 0);
  expect_schema("commands.schema.json");
  const auto unknown = takt("node info /talkr");
  EXPECT_EQ(unknown.exit_code, 3);
  EXPECT_THAT(unknown.err, HasSubstr("did you mean /talker?"));
}

TEST_F(LiveCommands, StatusShowsCountersOfEachSegmentAndItsReaders) {
  const auto writer = publisher("/chatter", kString);
  const auto reader = shm::Reader::attach(
      *domain_, writer->path(),
      {.type_hash = find_type(kString, {}).hash, .lease = self_->id, .bell = bell_->index(), .depth = 10});
  for (int i = 0; i < 13; ++i) send(*writer, kString, "data: hello");
  ASSERT_TRUE(reader->take());
  const auto status = takt("status --json");
  EXPECT_EQ(status.exit_code, 0) << status.err;
  expect_schema("commands.schema.json");
  const auto found = Json::parse(status.out)["status"];
  ASSERT_EQ(found["processes"].size(), 1U);
  EXPECT_EQ(found["processes"][0]["pid"], ::getpid());
  EXPECT_EQ(found["processes"][0]["alive"], true);
  ASSERT_EQ(found["segments"].size(), 1U);
  const auto& segment = found["segments"][0];
  EXPECT_EQ(segment["sent"], 13);
  EXPECT_EQ(segment["delivered"], 1);
  EXPECT_EQ(segment["lost"], 3);
  EXPECT_EQ(segment["overwritten"], 3);
  EXPECT_EQ(segment["readers"][0]["waiting"], 9);
  EXPECT_EQ(found["bells_in_use"], 1);
  EXPECT_THAT(takt("status").out, HasSubstr("/chatter"));
}

// Nobody lives in the domain, so nobody clears away before `status` looks.
TEST_F(LiveTest, StatusNamesWhatTheDeadLeftAndSweepRemovesIt) {
  const auto killed = takt("topic pub /chatter std_msgs/String", "timeout -s KILL 2");
  EXPECT_NE(killed.exit_code, 0);
  const auto before = Json::parse(takt("status --json").out)["status"];
  expect_schema("commands.schema.json");
  EXPECT_EQ(before["leftovers"]["segments"], 1);
  EXPECT_EQ(before["leftovers"]["inboxes"], 1);
  EXPECT_EQ(before["leftovers"]["leases"], 1);
  EXPECT_EQ(before["processes"][0]["alive"], false);
  EXPECT_TRUE(before["swept"].is_null());
  EXPECT_THAT(takt("status").out, HasSubstr("left by dead processes: 1 segments, 1 inboxes, 1 leases"));
  EXPECT_EQ(Json::parse(takt("status --sweep --json").out)["status"]["swept"], 3);
  expect_schema("commands.schema.json");
  const auto after = Json::parse(takt("status --json").out)["status"];
  EXPECT_EQ(after["leftovers"], Json({{"segments", 0}, {"inboxes", 0}, {"leases", 0}}));
}

TEST_F(LiveTest, StatusNamesFilesThatItCannotRead) {
  std::ofstream(domain_->path() / "bells-7") << "of another version";
  const auto status = takt("status");
  EXPECT_EQ(status.exit_code, 0);
  EXPECT_THAT(status.out, HasSubstr("not readable here: bells-7"));
}

TEST_F(LiveTest, CompletionScriptsAreOfTheShellAndKnowEveryVerb) {
  for (const char* shell : {"bash", "zsh"}) {
    const auto script = takt("completion " + std::string(shell));
    EXPECT_EQ(script.exit_code, 0);
    for (const char* word : {"takt topic echo", "--qos-durability", "takt lab deadlines", "--sweep"})
      EXPECT_THAT(script.out, HasSubstr(word));
    const auto check = "bash -n " + base_ + "/out";
    EXPECT_EQ(std::system(check.c_str()), 0);  // NOLINT(concurrency-mt-unsafe,cert-env33-c)
  }
  EXPECT_EQ(takt("completion fish").exit_code, 2);
}

TEST_F(LiveCommands, CompletionGivesVerbsOptionsAndTopics) {
  const auto writer = publisher("/chatter", kString);
  takt("completion bash");
  const auto complete = [&](const std::string& words, int at) {
    const auto line = "TAKT_SHM_DIR=" + base_ + " PATH=" + TAKT_BIN_DIR + ":$PATH bash -c 'source " + base_ +
                      "/out; COMP_WORDS=(" + words + "); COMP_CWORD=" + std::to_string(at) +
                      "; _takt; echo ${COMPREPLY[@]}' >" + base_ + "/words";
    EXPECT_EQ(std::system(line.c_str()), 0);  // NOLINT(concurrency-mt-unsafe,cert-env33-c)
    return text_of_path("words");
  };
  EXPECT_EQ(complete("takt topic ec", 2), "echo\n");
  EXPECT_EQ(complete("takt topic echo --once --fi", 4), "--field\n");
  EXPECT_EQ(complete("takt topic info /ch", 3), "/chatter\n");
}

TEST_F(LiveTest, BadWordsAreUsageErrors) {
  for (const char* arguments :
       {"topic", "topic ecko /x", "topic echo", "topic echo 'a b'", "topic echo /x --count 0",
        "topic echo /x --qos-reliability perhaps", "topic hz /x --window 1", "topic hz /x --timeout 0",
        "topic pub /x", "topic pub /x std_msgs/String --rate 0", "topic pub /x std_msgs/String --rate nan",
        "topic pub /x std_msgs/String --once --rate 1", "topic info", "topic list --xyzzy", "node",
        "node info", "status now", "completion"}) {
    const auto refused = takt(arguments);
    EXPECT_EQ(refused.exit_code, 2) << arguments << refused.err;
    EXPECT_THAT(refused.out, IsEmpty()) << arguments;
    EXPECT_THAT(refused.err, HasSubstr("--help")) << arguments;
  }
  EXPECT_THAT(takt("topic help echo").out, HasSubstr("--once"));
  EXPECT_THAT(takt("help topic hz").out, HasSubstr("Example"));
}

}  // namespace
}  // namespace takt::cli
