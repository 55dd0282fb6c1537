#include "tests/support/fake_api/http_request.h"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <sstream>
#include <utility>

namespace evenkeel::support {
namespace {

std::string Decode(const std::string& text) {
  std::string decoded;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '%' && i + 2 < text.size()) {
      decoded += static_cast<char>(std::strtol(text.substr(i + 1, 2).c_str(), nullptr, 16));
      i += 2;
    } else {
      decoded += text[i] == '+' ? ' ' : text[i];
    }
  }
  return decoded;
}

std::vector<std::string> Split(const std::string& text, char separator) {
  std::vector<std::string> parts;
  std::istringstream stream(text);
  for (std::string part; std::getline(stream, part, separator);) parts.push_back(part);
  return parts;
}

std::string Lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

void ParseTarget(HttpRequest& request) {
  const std::size_t mark = std::min(request.target.find('?'), request.target.size());
  for (const std::string& segment : Split(request.target.substr(0, mark), '/')) {
    if (!segment.empty()) request.path.push_back(Decode(segment));
  }
  if (mark == request.target.size()) return;
  for (const std::string& parameter : Split(request.target.substr(mark + 1), '&')) {
    const std::size_t equals = std::min(parameter.find('='), parameter.size());
    const std::string value =
        equals == parameter.size() ? "" : Decode(parameter.substr(equals + 1));
    request.query[Decode(parameter.substr(0, equals))] = value;
  }
}

HttpRequest ParseHead(const std::string& head) {
  HttpRequest request;
  std::istringstream lines(head);
  std::string line;
  std::getline(lines, line);
  std::istringstream(line) >> request.method >> request.target;
  while (std::getline(lines, line) && line.size() > 1) {
    const std::size_t colon = line.find(':');
    if (colon == std::string::npos) continue;
    std::string value = line.substr(colon + 1);
    value.erase(0, value.find_first_not_of(' '));
    while (!value.empty() && value.back() == '\r') value.pop_back();
    request.headers[Lower(line.substr(0, colon))] = value;
  }
  ParseTarget(request);
  return request;
}

}  // namespace

std::string HttpRequest::Parameter(const std::string& name) const {
  const auto found = query.find(name);
  return found == query.end() ? "" : found->second;
}

std::string HttpRequest::Header(const std::string& name) const {
  const auto found = headers.find(name);
  return found == headers.end() ? "" : found->second;
}

bool HttpRequest::IsWatch() const {
  const std::string watch = Parameter("watch");
  return method == "GET" && (watch == "1" || watch == "true");
}

std::optional<HttpRequest> ReadRequest(Connection& connection, std::string& rest) {
  std::size_t end = 0;
  while ((end = rest.find("\r\n\r\n")) == std::string::npos) {
    if (!connection.Read(rest)) return std::nullopt;
  }
  HttpRequest request = ParseHead(rest.substr(0, end + 2));
  rest.erase(0, end + 4);
  const auto size =
      static_cast<std::size_t>(std::strtoul(request.Header("content-length").c_str(), nullptr, 10));
  while (rest.size() < size) {
    if (!connection.Read(rest)) return std::nullopt;
  }
  request.body = rest.substr(0, size);
  rest.erase(0, size);
  return request;
}

}  // namespace evenkeel::support
