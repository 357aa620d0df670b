#include "loader/elf_image.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

/* ---------------------------------------------------------------- machines */

#if defined(__x86_64__)
enum { HOST_MACHINE = EM_X86_64 };
#elif defined(__aarch64__)
enum { HOST_MACHINE = EM_AARCH64 };
#elif defined(__riscv)
enum { HOST_MACHINE = EM_RISCV };
#elif defined(__powerpc64__)
enum { HOST_MACHINE = EM_PPC64 };
#else
#error "say here which e_machine this host loads"
#endif
enum { HOST_DATA = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? ELFDATA2LSB : ELFDATA2MSB };

static const char *machine_name(unsigned machine, char buffer[32]) {
    switch (machine) {
    case EM_386: return "i386";
    case EM_X86_64: return "x86-64";
    case EM_ARM: return "32-bit ARM";
    case EM_AARCH64: return "AArch64";
    case EM_RISCV: return "RISC-V";
    case EM_PPC64: return "PowerPC64";
    case EM_CUDA: return "a CUDA GPU";
    default: snprintf(buffer, 32, "machine number %u", machine); return buffer;
    }
}

/* ----------------------------------------------------------------- checks */

static TN_MUST_USE tn_status not_elf(const tn_elf_image *image) {
    static const struct {
        const char *magic;
        unsigned length;
        const char *what;
    } kinds[] = {
        {"!<arch>\n", 8, "it is a static library; link a shared object with -shared"},
        {"MZ", 2, "it is a Windows program or DLL"},
        {"\xcf\xfa\xed\xfe", 4, "it is a macOS binary"},
        {"PK\x03\x04", 4, "it is a zip archive"},
        {"#!", 2, "it is a script"},
    };
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        if (image->size >= kinds[i].length &&
            memcmp(image->bytes, kinds[i].magic, kinds[i].length) == 0) {
            return tn_status_make(TN_PARSE, "it is not an ELF shared object: %s", kinds[i].what);
        }
    }
    if (image->size == 0) return tn_status_make(TN_PARSE, "it is empty");
    return tn_status_make(TN_PARSE,
                          "it is not an ELF shared object: it begins with byte 0x%02x, "
                          "expected 0x7f 'ELF'",
                          (unsigned char)image->bytes[0]);
}

static TN_MUST_USE tn_status truncated(const tn_elf_image *image, const char *what,
                                       uint64_t needed) {
    return tn_status_make(TN_PARSE,
                          "it is truncated: %s reaches to byte %llu, but the file has only %zu",
                          what, (unsigned long long)needed, image->size);
}

/* Whether [offset, offset + length) lies in the file. */
static bool in_file(const tn_elf_image *image, uint64_t offset, uint64_t length) {
    return offset <= image->size && length <= image->size - offset;
}

static uint64_t end_of(uint64_t offset, uint64_t length) {
    uint64_t end;
    return __builtin_add_overflow(offset, length, &end) ? UINT64_MAX : end;
}

static TN_MUST_USE tn_status check_ident(const tn_elf_image *image) {
    if (image->size < SELFMAG || memcmp(image->bytes, ELFMAG, SELFMAG) != 0) {
        return not_elf(image);
    }
    if (image->size < sizeof(Elf64_Ehdr)) {
        return truncated(image, "the ELF header", sizeof(Elf64_Ehdr));
    }
    if (image->bytes[EI_CLASS] != ELFCLASS64) {
        return tn_status_make(TN_UNSUPPORTED, "it is a %s-bit object, this host is 64-bit",
                              image->bytes[EI_CLASS] == ELFCLASS32 ? "32" : "(unknown)");
    }
    if (image->bytes[EI_DATA] != HOST_DATA) {
        return tn_status_make(TN_UNSUPPORTED, "it is %s-endian, this host is %s-endian",
                              HOST_DATA == ELFDATA2LSB ? "big" : "little",
                              HOST_DATA == ELFDATA2LSB ? "little" : "big");
    }
    return NULL;
}

static TN_MUST_USE tn_status check_header(const tn_elf_image *image, const Elf64_Ehdr *header) {
    if (header->e_machine != HOST_MACHINE) {
        char theirs[32], ours[32];
        return tn_status_make(TN_UNSUPPORTED, "it was built for %s, this host is %s",
                              machine_name(header->e_machine, theirs),
                              machine_name(HOST_MACHINE, ours));
    }
    if (header->e_type != ET_DYN) {
        const char *what = header->e_type == ET_REL    ? "an object file; link it with -shared"
                           : header->e_type == ET_EXEC ? "a program"
                           : header->e_type == ET_CORE ? "a core dump"
                                                       : "of a kind that is not known";
        return tn_status_make(TN_UNSUPPORTED, "it is not a shared object: it is %s", what);
    }
    if (header->e_phentsize != sizeof(Elf64_Phdr)) {
        return tn_status_make(TN_PARSE, "its program headers are %u bytes each, expected %zu",
                              header->e_phentsize, sizeof(Elf64_Phdr));
    }
    uint64_t segments = (uint64_t)header->e_phnum * header->e_phentsize;
    if (!in_file(image, header->e_phoff, segments)) {
        return truncated(image, "its table of segments", end_of(header->e_phoff, segments));
    }
    uint64_t sections = (uint64_t)header->e_shnum * header->e_shentsize;
    if (header->e_shoff && !in_file(image, header->e_shoff, sections)) {
        return truncated(image, "its table of sections", end_of(header->e_shoff, sections));
    }
    return NULL;
}

static TN_MUST_USE tn_status check_segments(const tn_elf_image *image) {
    bool loads = false, has_dynamic = false;
    for (size_t i = 0; i < image->n_segments; i++) {
        GElf_Phdr segment;
        if (!gelf_getphdr(image->elf, (int)i, &segment)) {
            return tn_status_make(TN_PARSE, "segment %zu is not readable: %s", i, elf_errmsg(-1));
        }
        if (segment.p_type == PT_LOAD) {
            loads = true;
            /* A page beyond the end of the file would be a SIGBUS in dlopen. */
            if (!in_file(image, segment.p_offset, segment.p_filesz)) {
                return truncated(image, "a segment", end_of(segment.p_offset, segment.p_filesz));
            }
            if (segment.p_memsz < segment.p_filesz) {
                return tn_status_make(TN_PARSE, "segment %zu is smaller in memory than in the file",
                                      i);
            }
        } else if (segment.p_type == PT_DYNAMIC) {
            has_dynamic = true;
            if (!in_file(image, segment.p_offset, segment.p_filesz)) {
                return truncated(image, "its dynamic section",
                                 end_of(segment.p_offset, segment.p_filesz));
            }
        }
    }
    if (!loads || !has_dynamic) {
        return tn_status_make(TN_PARSE, "it is not a shared object: it has no %s",
                              loads ? "dynamic section" : "segment to load");
    }
    return NULL;
}

/* ---------------------------------------------------------------- addresses */

/* Where an address of the loaded object lies in the file, and how many bytes of
 * the file follow it in that segment. False when no segment loads it. */
static bool find_address(const tn_elf_image *image, uint64_t address, uint64_t *out_offset,
                         uint64_t *out_available) {
    for (size_t i = 0; i < image->n_segments; i++) {
        GElf_Phdr segment;
        if (!gelf_getphdr(image->elf, (int)i, &segment) || segment.p_type != PT_LOAD) continue;
        if (address < segment.p_vaddr || address - segment.p_vaddr >= segment.p_filesz) continue;
        uint64_t into = address - segment.p_vaddr;
        *out_offset = segment.p_offset + into;
        *out_available = segment.p_filesz - into;
        return true;
    }
    return false;
}

static bool read_u32(const tn_elf_image *image, uint64_t offset, uint32_t *out) {
    if (!in_file(image, offset, sizeof *out)) return false;
    memcpy(out, image->bytes + offset, sizeof *out);
    return true;
}

/* One past the highest symbol that the GNU hash table reaches: the end of the
 * longest chain. 0 when the table is damaged. */
static uint64_t count_by_gnu_hash(const tn_elf_image *image, uint64_t table) {
    uint32_t n_buckets, first, bloom;
    if (!read_u32(image, table, &n_buckets) || !read_u32(image, table + 4, &first) ||
        !read_u32(image, table + 8, &bloom)) {
        return 0;
    }
    uint64_t buckets = table + 16 + (uint64_t)bloom * sizeof(uint64_t);
    uint32_t last = 0;
    for (uint32_t i = 0; i < n_buckets; i++) {
        uint32_t start;
        if (!read_u32(image, buckets + (uint64_t)i * 4, &start)) return 0;
        if (start > last) last = start;
    }
    if (last < first) return first;
    uint64_t chains = buckets + (uint64_t)n_buckets * 4;
    for (uint64_t index = last;; index++) {
        uint32_t entry;
        if (!read_u32(image, chains + (index - first) * 4, &entry)) return 0;
        if (entry & 1) return index + 1;
    }
}

/* ----------------------------------------------------------------- dynamic */

static bool dynamic_entry(const tn_elf_image *image, unsigned index, GElf_Dyn *out_entry) {
    Elf_Data *data = elf_getdata_rawchunk(image->elf, (int64_t)image->dynamic, image->dynamic_size,
                                          ELF_T_DYN);
    return data && gelf_getdyn(data, (int)index, out_entry) && out_entry->d_tag != DT_NULL;
}

/* The value of the first entry with this tag. */
static bool dynamic_value(const tn_elf_image *image, int64_t tag, uint64_t *out_value) {
    GElf_Dyn entry;
    for (unsigned i = 0; dynamic_entry(image, i, &entry); i++) {
        if (entry.d_tag == tag) {
            *out_value = entry.d_un.d_val;
            return true;
        }
    }
    return false;
}

static TN_MUST_USE tn_status read_dynamic(tn_elf_image *image) {
    for (size_t i = 0; i < image->n_segments; i++) {
        GElf_Phdr segment;
        if (!gelf_getphdr(image->elf, (int)i, &segment) || segment.p_type != PT_DYNAMIC) continue;
        image->dynamic = segment.p_offset;
        image->dynamic_size = segment.p_filesz;
        break;
    }
    uint64_t value, offset, available;
    if (dynamic_value(image, DT_FLAGS_1, &value) && (value & DF_1_PIE)) {
        return tn_status_make(TN_UNSUPPORTED, "it is not a shared object: it is a program");
    }
    if (!dynamic_value(image, DT_STRTAB, &value) ||
        !find_address(image, value, &offset, &available)) {
        return tn_status_make(TN_PARSE, "its dynamic section has no string table");
    }
    image->strings = image->bytes + offset;
    image->strings_size = available;
    if (dynamic_value(image, DT_STRSZ, &value) && value < available) image->strings_size = value;
    if (dynamic_value(image, DT_RPATH, &value)) image->rpath = tn__elf_string(image, value);
    if (dynamic_value(image, DT_RUNPATH, &value)) image->runpath = tn__elf_string(image, value);

    if (!dynamic_value(image, DT_SYMTAB, &value) ||
        !find_address(image, value, &image->symbols, &available)) {
        return NULL;
    }
    uint32_t n_chains;
    if (dynamic_value(image, DT_HASH, &value) && find_address(image, value, &offset, &available) &&
        read_u32(image, offset + 4, &n_chains)) {
        image->n_symbols = n_chains;
    } else if (dynamic_value(image, DT_GNU_HASH, &value) &&
               find_address(image, value, &offset, &available)) {
        image->n_symbols = count_by_gnu_hash(image, offset);
    }
    return NULL;
}

/* ------------------------------------------------------------------- public */

static void start_libelf(void) {
    elf_version(EV_CURRENT);
}

static TN_MUST_USE tn_status open_image(tn_elf_image *image) {
    TN_TRY(check_ident(image));
    Elf64_Ehdr header;
    memcpy(&header, image->bytes, sizeof header);
    TN_TRY(check_header(image, &header));
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, start_libelf);
    /* libelf wants a char *, and does not write without ELF_C_RDWR. */
    image->elf = elf_memory((char *)(uintptr_t)image->bytes, image->size);
    if (!image->elf || elf_kind(image->elf) != ELF_K_ELF ||
        elf_getphdrnum(image->elf, &image->n_segments) != 0) {
        return tn_status_make(TN_PARSE, "its ELF structure is damaged: %s", elf_errmsg(-1));
    }
    TN_TRY(check_segments(image));
    return read_dynamic(image);
}

tn_status tn__elf_open(tn_elf_image *image, const void *bytes, size_t size) {
    *image = (tn_elf_image){.bytes = bytes, .size = size};
    tn_status status = open_image(image);
    if (status) tn__elf_close(image);
    return status;
}

void tn__elf_close(tn_elf_image *image) {
    if (image->elf) elf_end(image->elf);
    *image = (tn_elf_image){0};
}

const char *tn__elf_string(const tn_elf_image *image, uint64_t offset) {
    if (offset >= image->strings_size) return NULL;
    const char *text = image->strings + offset;
    return memchr(text, '\0', image->strings_size - offset) ? text : NULL;
}

const char *tn__elf_needed(const tn_elf_image *image, unsigned nth) {
    GElf_Dyn entry;
    for (unsigned i = 0; dynamic_entry(image, i, &entry); i++) {
        if (entry.d_tag != DT_NEEDED || nth-- > 0) continue;
        const char *name = tn__elf_string(image, entry.d_un.d_val);
        return name ? name : "";
    }
    return NULL;
}

bool tn__elf_symbol(const tn_elf_image *image, uint64_t index, GElf_Sym *out_symbol,
                    const char **out_name) {
    uint64_t offset;
    if (index >= image->n_symbols || __builtin_mul_overflow(index, sizeof(Elf64_Sym), &offset) ||
        __builtin_add_overflow(offset, image->symbols, &offset) ||
        !in_file(image, offset, sizeof(Elf64_Sym))) {
        return false;
    }
    memcpy(out_symbol, image->bytes + offset, sizeof(Elf64_Sym));
    *out_name = tn__elf_string(image, out_symbol->st_name);
    return *out_name != NULL;
}

/* The notes of one segment, from *nth on: counts it down, and finds it at 0. */
static bool note_in_segment(const tn_elf_image *image, const GElf_Phdr *segment, const char *owner,
                            uint32_t type, unsigned *nth, const char **out_text, size_t *out_size) {
    if (!in_file(image, segment->p_offset, segment->p_filesz)) return false;
    Elf_Data *data = elf_getdata_rawchunk(image->elf, (int64_t)segment->p_offset, segment->p_filesz,
                                          segment->p_align == 8 ? ELF_T_NHDR8 : ELF_T_NHDR);
    if (!data) return false;
    GElf_Nhdr note;
    size_t name_at, text_at, at = 0;
    while ((at = gelf_getnote(data, at, &note, &name_at, &text_at)) != 0) {
        const char *start = image->bytes + segment->p_offset;
        if (note.n_type != type || note.n_namesz != strlen(owner) + 1 ||
            memcmp(start + name_at, owner, note.n_namesz) != 0 || (*nth)-- > 0) {
            continue;
        }
        *out_text = start + text_at;
        *out_size = note.n_descsz;
        return true;
    }
    return false;
}

bool tn__elf_note(const tn_elf_image *image, const char *owner, uint32_t type, unsigned nth,
                  const char **out_text, size_t *out_size) {
    for (size_t i = 0; i < image->n_segments; i++) {
        GElf_Phdr segment;
        if (!gelf_getphdr(image->elf, (int)i, &segment) || segment.p_type != PT_NOTE) continue;
        if (note_in_segment(image, &segment, owner, type, &nth, out_text, out_size)) return true;
    }
    return false;
}
