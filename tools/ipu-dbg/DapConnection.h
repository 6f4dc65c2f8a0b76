// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Messages of the Debug Adapter Protocol on two streams: JSON behind a header
// with its length. A thread reads, so that a request to pause arrives while the
// program runs.

#ifndef POPULUS_TOOLS_IPU_DBG_DAPCONNECTION_H
#define POPULUS_TOOLS_IPU_DBG_DAPCONNECTION_H

#include <nlohmann/json.hpp>

#include <condition_variable>
#include <cstdio>
#include <deque>
#include <functional>
#include <mutex>
#include <optional>
#include <thread>

namespace populus::dbg {

using Json = nlohmann::json;

class DapConnection {
public:
  /// `onRequest` is called on the reading thread for each request that arrives.
  DapConnection(int in, std::FILE *out,
                std::function<void(const std::string &command)> onRequest);
  ~DapConnection();

  /// Waits for the next request; nothing: the client has gone.
  std::optional<Json> next();
  void respond(const Json &request, Json body = Json::object());
  void refuse(const Json &request, const std::string &message);
  void event(const std::string &name, Json body = Json::object());

private:
  void read();
  bool readMessage(std::string &buffer, std::string &message);
  bool readMore(std::string &buffer);
  void send(Json message);

  const int in;
  std::FILE *const out;
  const std::function<void(const std::string &)> onRequest;
  int wake[2]; // a pipe that ends the reading
  std::mutex mutex;
  std::condition_variable arrived;
  std::deque<Json> requests;
  bool hasEnded = false;
  unsigned sequence = 0;
  std::thread reader;
};

} // namespace populus::dbg

#endif
