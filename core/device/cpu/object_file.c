#include "device/cpu/object_file.h"

#include <elf.h>
#include <string.h>

static const char trailer_magic[8] = "TNOBJ1\n";

#if defined(__x86_64__)
enum { HOST_MACHINE = EM_X86_64 };
#elif defined(__aarch64__)
enum { HOST_MACHINE = EM_AARCH64 };
#elif defined(__riscv)
enum { HOST_MACHINE = EM_RISCV };
#else
#error "Tenon's CPU device knows the ELF machine of x86-64, aarch64 and riscv64: add yours here"
#endif

static tn_status bad(const char *what) {
    return tn_status_make(TN_PARSE, "not a loadable object: %s", what);
}

tn_status tn_cpu_object_image_check(const void *image, size_t size) {
    Elf64_Ehdr header;
    if (size < sizeof header) return bad("shorter than an ELF header");
    memcpy(&header, image, sizeof header);
    if (memcmp(header.e_ident, ELFMAG, SELFMAG) != 0) return bad("no ELF magic");
    int order = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? ELFDATA2LSB : ELFDATA2MSB;
    if (header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_ident[EI_DATA] != order)
        return bad("another word size or byte order");
    if (header.e_machine != HOST_MACHINE) return bad("another machine's code");
    if (header.e_type != ET_DYN) return bad("not a shared object");
    if (header.e_phentsize != sizeof(Elf64_Phdr) || header.e_phnum == 0)
        return bad("no program headers");
    size_t table = (size_t)header.e_phnum * sizeof(Elf64_Phdr);
    if (header.e_phoff > size || table > size - header.e_phoff)
        return bad("program headers lie past the end");
    for (unsigned i = 0; i < header.e_phnum; i++) {
        Elf64_Phdr segment;
        memcpy(&segment, (const char *)image + header.e_phoff + i * sizeof segment, sizeof segment);
        if (segment.p_offset > size || segment.p_filesz > size - segment.p_offset)
            return bad("a segment lies past the end: the file was cut off");
        if (segment.p_type == PT_LOAD && segment.p_filesz > segment.p_memsz)
            return bad("a segment is larger in the file than in memory");
    }
    return NULL;
}

static tn_digest checksum(const void *image, size_t size) {
    tn_hasher hasher;
    tn_hasher_init(&hasher);
    tn_hasher_bytes(&hasher, image, size);
    return tn_hasher_digest(&hasher);
}

static bool same(tn_digest a, tn_digest b) {
    return a.lo == b.lo && a.hi == b.hi;
}

void tn_cpu_object_seal(const void *image, size_t size, tn_digest key,
                        tn_cpu_object_trailer *out_trailer) {
    memset(out_trailer, 0, sizeof *out_trailer);
    memcpy(out_trailer->magic, trailer_magic, sizeof trailer_magic);
    out_trailer->image_size = size;
    out_trailer->key = key;
    out_trailer->checksum = checksum(image, size);
}

tn_status tn_cpu_object_file_check(const void *file, size_t size, tn_digest key) {
    tn_cpu_object_trailer trailer;
    if (size < sizeof trailer) return bad("shorter than its trailer");
    size_t image_size = size - sizeof trailer;
    memcpy(&trailer, (const char *)file + image_size, sizeof trailer);
    if (memcmp(trailer.magic, trailer_magic, sizeof trailer_magic) != 0)
        return bad("no trailer: the file was cut off or is not ours");
    if (trailer.image_size != image_size) return bad("its length is not the stated one");
    if (!same(trailer.key, key)) return bad("it was made for another key");
    if (!same(trailer.checksum, checksum(file, image_size))) return bad("its checksum is wrong");
    return tn_cpu_object_image_check(file, image_size);
}
