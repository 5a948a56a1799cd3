// SPDX-License-Identifier: BSD-3-Clause
// Types of TSDL: integers, texts, structs and choices, with names for them that hold within the
// block that declares them. In: words; out: fields. What is not understood is an error, once: all
// that follows reads nothing then.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "read/ctf/ctf_parts.h"
#include "read/ctf/ctf_schema.h"
#include "read/ctf/tsdl_words.h"

namespace kutrace::read {

// name = value; or name := type;
struct TsdlAttribute {
  std::string name;  // parts of it with dots between them
  std::string text;
  std::uint64_t number = 0;  // a negative one as two's complement
  CtfField type;
};

class TsdlTypes {
 public:
  TsdlTypes(TsdlWords& words, std::vector<CtfClock>& clocks);

  bool failed() const { return !error_.empty(); }
  const std::string& error() const { return error_; }
  std::size_t failed_line() const { return line_; }
  void fail(std::string error);

  // Takes a sign if it is next.
  bool take(std::string_view sign);
  // A name for a type, or a type with a name; false: it is something else.
  bool declare();
  // { attributes }
  void block(const std::function<void(TsdlAttribute&)>& use);
  // The place of a clock, which need not be described yet.
  std::size_t clock(std::string_view id);

 private:
  using Names = std::map<std::string, CtfField, std::less<>>;

  bool is_name(std::string_view text) const;
  bool take_name(std::string_view text);
  std::string_view name();
  void expect(std::string_view sign);
  std::uint64_t number();
  std::string dotted();
  TsdlAttribute attribute();

  // Where `declared` is given, the last of several names is what is declared.
  CtfField type(std::string* declared = nullptr);
  CtfField type_by_word(std::string* declared);
  CtfField integer();
  CtfField floating_point();
  CtfField text();
  CtfField enumeration();
  CtfField structure();
  CtfField variant();
  CtfField named(std::string* declared);
  void labels(CtfField& field);
  void members(CtfField& parent);
  void member(CtfField& parent);
  CtfField declarator(CtfField field, std::string name);
  CtfPath path(const std::string& dotted) const;
  void alias();
  void definition();
  void define(const std::string& name, const CtfField& field);
  CtfField find(const std::string& name);

  TsdlWords& words_;
  std::vector<CtfClock>& clocks_;
  CtfParts parts_;
  std::vector<Names> scopes_;
  unsigned depth_ = 0;
  std::string error_;
  std::size_t line_ = 0;
};

}  // namespace kutrace::read
