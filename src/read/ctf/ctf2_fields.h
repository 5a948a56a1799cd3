// SPDX-License-Identifier: BSD-3-Clause
// Field classes of CTF 2. In: their JSON; out: fields. What is not understood is an error, once.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "read/ctf/ctf_parts.h"
#include "read/ctf/ctf_schema.h"
#include "read/ctf/json_value.h"

namespace kutrace::read {

class Ctf2Fields {
 public:
  bool failed() const { return !error_.empty(); }
  const std::string& error() const { return error_; }
  void fail(std::string error);

  // A name by which what follows may mean it.
  void name(const std::string& name, const JsonValue& value);
  // Of a packet or event; none: it has no fields there.
  CtfField part(const JsonValue& value);

 private:
  CtfField field(const JsonValue& value);
  CtfField of_type(std::string_view type, const JsonValue& value);
  CtfField bits(std::string_view type, const JsonValue& value);
  CtfField structure(const JsonValue& value);
  CtfField array(std::string_view type, const JsonValue& value, CtfField element);
  CtfField choice(const JsonValue& value);
  CtfPath path(const JsonValue& location);
  std::vector<CtfRange> ranges(const JsonValue& value);
  std::uint64_t length(const JsonValue& value);
  std::uint32_t alignment(const JsonValue& value);

  CtfParts parts_;
  std::map<std::string, CtfField, std::less<>> names_;
  unsigned depth_ = 0;
  std::string error_;
};

}  // namespace kutrace::read
