/* The ops of this plugin. Each gives a new value in primitives that move elements; whether
 * any is moved is decided when the graph is compiled. */
#ifndef TN_SHAPE_H
#define TN_SHAPE_H

#include "define.h"

/* clang-format off */
#define TN_VIEW_OPS(OP)                                                                            \
OP(reshape, "tn::reshape(Tensor self, int[] shape) -> Tensor",                                     \
   "The same elements in row-major order; one extent may be -1.", reshape_meta, reshape_lower, TN_PURE) \
OP(view, "tn::view(Tensor self, int[] size) -> Tensor",                                            \
   "The same as reshape.", reshape_meta, reshape_lower, TN_PURE)                                   \
OP(flatten, "tn::flatten(Tensor self, int start_dim=0, int end_dim=-1) -> Tensor",                 \
   "The axes from start_dim to end_dim as one.", flatten_meta, flatten_lower, TN_PURE)             \
OP(unflatten, "tn::unflatten(Tensor self, int dim, int[] sizes) -> Tensor",                        \
   "Axis dim as several; one of sizes may be -1.", unflatten_meta, unflatten_lower, TN_PURE)       \
OP(squeeze, "tn::squeeze(Tensor self, int[]? dim=None) -> Tensor",                                 \
   "Without the axes of extent 1, or those of dim that have it.", squeeze_meta, squeeze_lower, TN_PURE) \
OP(unsqueeze, "tn::unsqueeze(Tensor self, int dim) -> Tensor",                                     \
   "With an axis of extent 1 put in.", unsqueeze_meta, unsqueeze_lower, TN_PURE)                   \
OP(expand, "tn::expand(Tensor self, int[] size) -> Tensor",                                        \
   "Extents of 1 repeated and axes put in front; -1 keeps.", expand_meta, expand_lower, TN_PURE)   \
OP(broadcast_to, "tn::broadcast_to(Tensor self, int[] size) -> Tensor",                            \
   "The same as expand.", expand_meta, expand_lower, TN_PURE)                                      \
OP(contiguous, "tn::contiguous(Tensor self) -> Tensor",                                            \
   "self: every result is.", contiguous_meta, contiguous_lower, TN_PURE)

#define TN_PERMUTE_OPS(OP)                                                                         \
OP(permute, "tn::permute(Tensor self, int[] dims) -> Tensor",                                      \
   "Axis i is self's axis dims[i].", permute_meta, permute_lower, TN_PURE)                         \
OP(transpose, "tn::transpose(Tensor self, int dim0, int dim1) -> Tensor",                          \
   "With two axes exchanged.", transpose_meta, transpose_lower, TN_PURE)                           \
OP(t, "tn::t(Tensor self) -> Tensor",                                                              \
   "A matrix transposed.", t_meta, t_lower, TN_PURE)                                               \
OP(flip, "tn::flip(Tensor self, int[] dims) -> Tensor",                                            \
   "Reversed along axes.", flip_meta, flip_lower, TN_PURE)

#define TN_SLICE_OPS(OP)                                                                           \
OP(slice, "tn::slice(Tensor self, int dim=0, int? start=None, int? end=None, int step=1) -> Tensor", \
   "self[start:end:step] along dim, as in Python; step may be negative.", slice_meta, slice_lower, TN_PURE) \
OP(narrow, "tn::narrow(Tensor self, int dim, int start, int length) -> Tensor",                    \
   "length places from start on.", narrow_meta, narrow_lower, TN_PURE)                             \
OP(select, "tn::select(Tensor self, int dim, int index) -> Tensor",                                \
   "One place of an axis, which vanishes.", select_meta, select_lower, TN_PURE)                    \
OP(pad, "tn::constant_pad_nd(Tensor self, int[] pad, Scalar value=0) -> Tensor",                   \
   "value around self: (before, after) of the last axis, then of the one before it; negative cuts off.", \
   pad_meta, pad_lower, TN_PURE)                                                                   \
OP(tril, "tn::tril(Tensor self, int diagonal=0) -> Tensor",                                        \
   "0 above the diagonal of the last two axes.", tril_meta, tril_lower, TN_PURE)                   \
OP(triu, "tn::triu(Tensor self, int diagonal=0) -> Tensor",                                        \
   "0 below the diagonal of the last two axes.", tril_meta, triu_lower, TN_PURE)

#define TN_JOIN_OPS(OP)                                                                            \
OP(cat, "tn::cat(Tensor[] tensors, int dim=0) -> Tensor",                                          \
   "One after another along dim; an empty vector counts as nothing.", cat_meta, cat_lower, TN_PURE) \
OP(stack, "tn::stack(Tensor[] tensors, int dim=0) -> Tensor",                                      \
   "One after another along a new axis.", stack_meta, stack_lower, TN_PURE)                        \
OP(split, "tn::split(Tensor self, int split_size, int dim=0) -> Tensor[]",                         \
   "Pieces of split_size; the last may be smaller.", split_meta, split_lower, TN_PURE)             \
OP(split_with_sizes, "tn::split_with_sizes(Tensor self, int[] split_sizes, int dim=0) -> Tensor[]", \
   "Pieces of these sizes.", split_sizes_meta, split_sizes_lower, TN_PURE)                               \
OP(chunk, "tn::chunk(Tensor self, int chunks, int dim=0) -> Tensor[]",                             \
   "At most that many pieces, as equal as can be.", chunk_meta, chunk_lower, TN_PURE)              \
OP(unbind, "tn::unbind(Tensor self, int dim=0) -> Tensor[]",                                       \
   "Each place of an axis, which vanishes.", unbind_meta, unbind_lower, TN_PURE)                   \
OP(repeat, "tn::repeat(Tensor self, int[] repeats) -> Tensor",                                     \
   "Copies side by side.", repeat_meta, repeat_lower, TN_PURE)                                     \
OP(roll, "tn::roll(Tensor self, int[] shifts, int[] dims=[]) -> Tensor",                           \
   "Shifted along axes; what leaves at an end enters at the other.", roll_meta, roll_lower, TN_PURE)

#define TN_INDEX_OPS(OP)                                                                           \
OP(index_select, "tn::index_select(Tensor self, int dim, Tensor index) -> Tensor",                 \
   "The places of dim that index, a vector, names; 0 for those outside.", index_select_meta, index_select_lower, TN_PURE) \
OP(embedding, "tn::embedding(Tensor weight, Tensor indices, int padding_idx=-1, bool scale_grad_by_freq=False, bool sparse=False) -> Tensor", \
   "Rows of weight; 0 for those outside.", embedding_meta, embedding_lower, TN_PURE)               \
OP(gather, "tn::gather(Tensor self, int dim, Tensor index, *, bool sparse_grad=False) -> Tensor",  \
   "At each place of index the element of self with that place on dim; 0 outside.", gather_meta, gather_lower, TN_PURE)

#define TN_MAKE_OPS(OP)                                                                            \
OP(full, "tn::full(int[] size, Scalar fill_value, *, ScalarType? dtype=None) -> Tensor",           \
   "A number everywhere; its own dtype unless stated.", full_meta, full_lower, TN_PURE)            \
OP(zeros, "tn::zeros(int[] size, *, ScalarType? dtype=None) -> Tensor",                            \
   "0 everywhere, f32 unless stated.", zeros_meta, zeros_lower, TN_PURE)                           \
OP(ones, "tn::ones(int[] size, *, ScalarType? dtype=None) -> Tensor",                              \
   "1 everywhere, f32 unless stated.", zeros_meta, ones_lower, TN_PURE)                            \
OP(arange, "tn::arange(Scalar end, *, ScalarType? dtype=None) -> Tensor",                          \
   "0, 1 ... below end.", arange_meta, arange_lower, TN_PURE)                                      \
OP(arange_start_step, "tn::arange.start_step(Scalar start, Scalar end, Scalar step=1, *, ScalarType? dtype=None) -> Tensor", \
   "start, start + step ... before end.", arange_meta, arange_lower, TN_PURE)
/* clang-format on */

#endif
