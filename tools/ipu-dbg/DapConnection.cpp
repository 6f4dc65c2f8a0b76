// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Framing, and the reading thread.

#include "DapConnection.h"

#include <charconv>
#include <poll.h>
#include <stdexcept>
#include <unistd.h>

namespace populus::dbg {

namespace {

/// The most bytes of a message: no editor sends more.
constexpr std::size_t MostBytes = 1 << 24;
constexpr std::string_view LengthHeader = "Content-Length: ";

} // namespace

DapConnection::DapConnection(int in, std::FILE *out,
                             std::function<void(const std::string &)> handler)
    : in(in), out(out), onRequest(std::move(handler)) {
  if (::pipe(wake) != 0)
    throw std::runtime_error("no pipe can be made");
  reader = std::thread([this] { read(); });
}

DapConnection::~DapConnection() {
  ::close(wake[1]);
  reader.join();
  ::close(wake[0]);
}

void DapConnection::read() {
  std::string buffer, message;
  while (readMessage(buffer, message)) {
    Json request = Json::parse(message, nullptr, false);
    if (!request.is_object() || !request.contains("command") ||
        !request["command"].is_string())
      continue;
    const std::string command = request["command"];
    {
      std::lock_guard lock(mutex);
      requests.push_back(std::move(request));
    }
    arrived.notify_one();
    onRequest(command);
  }
  {
    std::lock_guard lock(mutex);
    hasEnded = true;
  }
  arrived.notify_one();
  onRequest("disconnect");
}

bool DapConnection::readMore(std::string &buffer) {
  pollfd sources[2] = {{in, POLLIN, 0}, {wake[0], POLLIN, 0}};
  while (::poll(sources, 2, -1) < 0)
    if (errno != EINTR)
      return false;
  if (sources[1].revents != 0)
    return false;
  char bytes[4096];
  const ssize_t count = ::read(in, bytes, sizeof(bytes));
  if (count <= 0)
    return false;
  buffer.append(bytes, static_cast<std::size_t>(count));
  return true;
}

/// Takes a message off the buffer. Returns false at the end, or where what
/// arrives is no message.
bool DapConnection::readMessage(std::string &buffer, std::string &message) {
  std::size_t end;
  while ((end = buffer.find("\r\n\r\n")) == std::string::npos)
    if (buffer.size() > MostBytes || !readMore(buffer))
      return false;
  const std::size_t header = buffer.find(LengthHeader);
  std::size_t length = 0;
  const char *digits = buffer.data() + header + LengthHeader.size();
  if (header > end ||
      std::from_chars(digits, buffer.data() + end, length).ec != std::errc() ||
      length > MostBytes)
    return false;
  buffer.erase(0, end + 4);
  while (buffer.size() < length)
    if (!readMore(buffer))
      return false;
  message = buffer.substr(0, length);
  buffer.erase(0, length);
  return true;
}

std::optional<Json> DapConnection::next() {
  std::unique_lock lock(mutex);
  arrived.wait(lock, [this] { return !requests.empty() || hasEnded; });
  if (requests.empty())
    return std::nullopt;
  Json request = std::move(requests.front());
  requests.pop_front();
  return request;
}

void DapConnection::send(Json message) {
  message["seq"] = ++sequence;
  const std::string text =
      message.dump(-1, ' ', false, Json::error_handler_t::replace);
  std::fprintf(out, "Content-Length: %zu\r\n\r\n%s", text.size(), text.c_str());
  std::fflush(out);
}

void DapConnection::respond(const Json &request, Json body) {
  send({{"type", "response"},
        {"request_seq", request.value("seq", 0)},
        {"success", true},
        {"command", request["command"]},
        {"body", std::move(body)}});
}

void DapConnection::refuse(const Json &request, const std::string &message) {
  send({{"type", "response"},
        {"request_seq", request.value("seq", 0)},
        {"success", false},
        {"command", request["command"]},
        {"message", message}});
}

void DapConnection::event(const std::string &name, Json body) {
  send({{"type", "event"}, {"event", name}, {"body", std::move(body)}});
}

} // namespace populus::dbg
