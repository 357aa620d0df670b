#include "loader/entry_symbol.h"

#include <string.h>

#include "base/near.h"
#include "tenon/plugin.h"

static const char wanted[] = TN_PLUGIN_QUERY_SYMBOL;

static bool is_exported(const GElf_Sym *symbol) {
    unsigned bind = GELF_ST_BIND(symbol->st_info);
    unsigned visibility = GELF_ST_VISIBILITY(symbol->st_other);
    return symbol->st_shndx != SHN_UNDEF && (bind == STB_GLOBAL || bind == STB_WEAK) &&
           (visibility == STV_DEFAULT || visibility == STV_PROTECTED);
}

/* Whether the full symbol table, where it was not stripped, defines the function
 * without exporting it. */
static bool is_hidden(const tn_elf_image *image) {
    Elf_Scn *section = NULL;
    while ((section = elf_nextscn(image->elf, section))) {
        GElf_Shdr header;
        if (!gelf_getshdr(section, &header) || header.sh_type != SHT_SYMTAB) continue;
        Elf_Data *data = elf_getdata(section, NULL);
        GElf_Sym symbol;
        for (int i = 0; data && gelf_getsym(data, i, &symbol); i++) {
            if (symbol.st_shndx == SHN_UNDEF) continue;
            const char *name = elf_strptr(image->elf, header.sh_link, symbol.st_name);
            if (name && strcmp(name, wanted) == 0) return true;
        }
    }
    return false;
}

static TN_MUST_USE tn_status missing(const tn_elf_image *image, const char *mangled,
                                     const tn_near *near) {
    static const char start[] = "it does not export " TN_PLUGIN_QUERY_SYMBOL;
    if (mangled) {
        return tn_status_make(TN_PLUGIN,
                              "%s, but %.128s: that name was mangled by a C++ compiler; include "
                              "tenon/plugin.h where the function is defined, or declare it extern "
                              "\"C\"",
                              start, mangled);
    }
    if (is_hidden(image)) {
        return tn_status_make(TN_PLUGIN,
                              "%s: the function is there, but hidden; mark it TN_PLUGIN_EXPORT, "
                              "and see that no version script makes it local",
                              start);
    }
    const char *best = tn_near_best(near);
    if (!best) return tn_status_make(TN_PLUGIN, "%s", start);
    return tn_status_make(TN_PLUGIN, "%s; the nearest name that it exports is %s", start, best);
}

tn_status tn__entry_symbol_check(const tn_elf_image *image) {
    if (image->n_symbols == 0) return NULL;
    const char *mangled = NULL;
    tn_near near;
    tn_near_init(&near, wanted, sizeof wanted - 1);
    GElf_Sym symbol;
    const char *name;
    for (uint64_t i = 0; tn__elf_symbol(image, i, &symbol, &name); i++) {
        if (!is_exported(&symbol)) continue;
        if (strcmp(name, wanted) == 0) {
            unsigned type = GELF_ST_TYPE(symbol.st_info);
            if (type == STT_FUNC || type == STT_NOTYPE || type == STT_GNU_IFUNC) return NULL;
            return tn_status_make(TN_PLUGIN, "its %s is not a function", wanted);
        }
        if (!mangled && strncmp(name, "_Z", 2) == 0 && strstr(name, wanted)) mangled = name;
        tn_near_offer(&near, name);
    }
    return missing(image, mangled, &near);
}
