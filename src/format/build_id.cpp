// SPDX-License-Identifier: BSD-3-Clause
// Program headers to notes to the one note that is wanted; every offset is doubted.
#include "format/build_id.h"

#include <elf.h>

#include <cstdint>
#include <cstring>
#include <optional>

#include "base/text.h"

namespace kutrace {

namespace {

using Bytes = std::span<const std::byte>;

constexpr std::size_t kLongestId = 64;

// The part [offset, offset + size) of the bytes; empty if it is not all there.
Bytes part(Bytes bytes, std::uint64_t offset, std::uint64_t size) {
  if (offset > bytes.size() || size > bytes.size() - offset) return {};
  return bytes.subspan(offset, size);
}

template <typename T>
std::optional<T> read(Bytes bytes, std::uint64_t offset) {
  const Bytes found = part(bytes, offset, sizeof(T));
  if (found.empty()) return std::nullopt;
  T value;
  std::memcpy(&value, found.data(), sizeof value);
  return value;
}

std::uint64_t padded(std::uint64_t size) { return (size + 3) & ~std::uint64_t{3}; }

std::string id_of_notes(Bytes notes) {
  std::uint64_t at = 0;
  while (const auto note = read<Elf32_Nhdr>(notes, at)) {  // the same in both classes
    const Bytes name = part(notes, at + sizeof *note, note->n_namesz);
    const std::uint64_t id_at = at + sizeof *note + padded(note->n_namesz);
    const Bytes id = part(notes, id_at, note->n_descsz);
    const bool gnu = name.size() == sizeof ELF_NOTE_GNU &&
                     std::memcmp(name.data(), ELF_NOTE_GNU, sizeof ELF_NOTE_GNU) == 0;
    if (gnu && note->n_type == NT_GNU_BUILD_ID && id.size() <= kLongestId) return hexadecimal(id);
    at = id_at + padded(note->n_descsz);
  }
  return {};
}

template <typename FileHeader, typename ProgramHeader>
std::string id_of_class(Bytes file) {
  const auto header = read<FileHeader>(file, 0);
  if (!header || header->e_phentsize != sizeof(ProgramHeader)) return {};
  for (std::uint64_t i = 0; i < header->e_phnum; ++i) {
    if (header->e_phoff > file.size()) return {};
    const auto segment = read<ProgramHeader>(file, header->e_phoff + i * sizeof(ProgramHeader));
    if (!segment) return {};
    if (segment->p_type != PT_NOTE) continue;
    std::string id = id_of_notes(part(file, segment->p_offset, segment->p_filesz));
    if (!id.empty()) return id;
  }
  return {};
}

}  // namespace

std::string build_id_of(std::span<const std::byte> elf_file) {
  const Bytes magic = part(elf_file, 0, EI_NIDENT);
  if (magic.empty() || std::memcmp(magic.data(), ELFMAG, SELFMAG) != 0) return {};
  if (magic[EI_DATA] != std::byte{ELFDATA2LSB}) return {};
  if (magic[EI_CLASS] == std::byte{ELFCLASS64})
    return id_of_class<Elf64_Ehdr, Elf64_Phdr>(elf_file);
  return id_of_class<Elf32_Ehdr, Elf32_Phdr>(elf_file);
}

}  // namespace kutrace
