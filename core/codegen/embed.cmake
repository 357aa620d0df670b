# Writes FILES, one after another, as a C array SYMBOL_bytes of SYMBOL_size bytes (a
# NUL follows) to OUT.
set(hex "")
foreach(file ${FILES})
    file(READ ${file} part HEX)
    string(APPEND hex ${part})
endforeach()
string(LENGTH "${hex}" digits)
math(EXPR size "${digits} / 2")
string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${hex}")
string(REGEX REPLACE "(0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,)"
       "\\1\n" bytes "${bytes}")
file(WRITE ${OUT} "#include <stddef.h>
extern const char ${SYMBOL}_bytes[];
extern const size_t ${SYMBOL}_size;
const size_t ${SYMBOL}_size = ${size};
const char ${SYMBOL}_bytes[] = {
${bytes}0};
")
