/* SPDX-License-Identifier: Apache-2.0
 *
 * Written by tools/minimax.py, which says what each polynomial approximates and
 * where: do not edit. Part of the prelude: see cpu_core.c.h. */
//@ poly_exp_f32: ops_f32
/* Degree 4, off by 2^-28.3. */
TN_INLINE vf32 tn_poly_exp_f32(vf32 x) {
    vf32 p = tn_lit_f32(0x1.6db40ap-10f);
    p = tn_ma_f32(p, x, tn_lit_f32(0x1.123b46p-7f));
    p = tn_ma_f32(p, x, tn_lit_f32(0x1.55545ep-5f));
    p = tn_ma_f32(p, x, tn_lit_f32(0x1.55549p-3f));
    p = tn_ma_f32(p, x, tn_lit_f32(0x1p-1f));
    return p;
}
//@ poly_exp2_f32: ops_f32
/* Degree 5, off by 2^-29.0. */
TN_INLINE vf32 tn_poly_exp2_f32(vf32 x) {
    vf32 p = tn_lit_f32(0x1.448fc4p-13f);
    p = tn_ma_f32(p, x, tn_lit_f32(0x1.5f47bp-10f));
    p = tn_ma_f32(p, x, tn_lit_f32(0x1.3b29aap-7f));
    p = tn_ma_f32(p, x, tn_lit_f32(0x1.c6aedp-5f));
    p = tn_ma_f32(p, x, tn_lit_f32(0x1.ebfbep-3f));
    p = tn_ma_f32(p, x, tn_lit_f32(0x1.62e43p-1f));
    return p;
}
//@ poly_log_f32: ops_f32
/* Degree 8, off by 2^-30.4. */
TN_INLINE vf32 tn_poly_log_f32(vf32 x) {
    vf32 p = tn_lit_f32(0x1.1b42cp-4f);
    p = tn_ma_f32(p, x, tn_lit_f32(-0x1.e2e96cp-4f));
    p = tn_ma_f32(p, x, tn_lit_f32(0x1.e65078p-4f));
    p = tn_ma_f32(p, x, tn_lit_f32(-0x1.fb4334p-4f));
    p = tn_ma_f32(p, x, tn_lit_f32(0x1.2332c4p-3f));
    p = tn_ma_f32(p, x, tn_lit_f32(-0x1.5562e2p-3f));
    p = tn_ma_f32(p, x, tn_lit_f32(0x1.99a546p-3f));
    p = tn_ma_f32(p, x, tn_lit_f32(-0x1.ffffeep-3f));
    p = tn_ma_f32(p, x, tn_lit_f32(0x1.555546p-2f));
    return p;
}
//@ poly_sin_f32: ops_f32
/* Degree 3, off by 2^-37.6. */
TN_INLINE vf32 tn_poly_sin_f32(vf32 x) {
    vf32 p = tn_lit_f32(0x1.6cd87ap-19f);
    p = tn_ma_f32(p, x, tn_lit_f32(-0x1.a00f9ep-13f));
    p = tn_ma_f32(p, x, tn_lit_f32(0x1.111108p-7f));
    p = tn_ma_f32(p, x, tn_lit_f32(-0x1.555556p-3f));
    return p;
}
//@ poly_cos_f32: ops_f32
/* Degree 2, off by 2^-33.3. */
TN_INLINE vf32 tn_poly_cos_f32(vf32 x) {
    vf32 p = tn_lit_f32(0x1.9a025cp-16f);
    p = tn_ma_f32(p, x, tn_lit_f32(-0x1.6c0c8cp-10f));
    p = tn_ma_f32(p, x, tn_lit_f32(0x1.55554ap-5f));
    return p;
}
//@ poly_tanh_f32: ops_f32
/* Degree 5, off by 2^-33.4. */
TN_INLINE vf32 tn_poly_tanh_f32(vf32 x) {
    vf32 p = tn_lit_f32(0x1.246e18p-9f);
    p = tn_ma_f32(p, x, tn_lit_f32(-0x1.0ee564p-7f));
    p = tn_ma_f32(p, x, tn_lit_f32(0x1.6418dap-6f));
    p = tn_ma_f32(p, x, tn_lit_f32(-0x1.b9fa8ap-5f));
    p = tn_ma_f32(p, x, tn_lit_f32(0x1.11109ep-3f));
    p = tn_ma_f32(p, x, tn_lit_f32(-0x1.555554p-2f));
    return p;
}
//@ poly_erf_f32: ops_f32
/* Degree 6, off by 2^-29.7. */
TN_INLINE vf32 tn_poly_erf_f32(vf32 x) {
    vf32 p = tn_lit_f32(0x1.4ae4eap-14f);
    p = tn_ma_f32(p, x, tn_lit_f32(-0x1.a485f6p-11f));
    p = tn_ma_f32(p, x, tn_lit_f32(0x1.5419f6p-8f));
    p = tn_ma_f32(p, x, tn_lit_f32(-0x1.b7fbb4p-6f));
    p = tn_ma_f32(p, x, tn_lit_f32(0x1.ce2d2p-4f));
    p = tn_ma_f32(p, x, tn_lit_f32(-0x1.81273ep-2f));
    p = tn_ma_f32(p, x, tn_lit_f32(0x1.06eba8p-3f));
    return p;
}
//@ poly_logerfc_f32: ops_f32
/* Degree 7, off by 2^-34.9. */
TN_INLINE vf32 tn_poly_logerfc_f32(vf32 x) {
    vf32 p = tn_lit_f32(-0x1.67cbe6p-16f);
    p = tn_ma_f32(p, x, tn_lit_f32(0x1.cbd4e6p-12f));
    p = tn_ma_f32(p, x, tn_lit_f32(-0x1.12a6dep-8f));
    p = tn_ma_f32(p, x, tn_lit_f32(0x1.9c6a32p-6f));
    p = tn_ma_f32(p, x, tn_lit_f32(-0x1.bbd95p-4f));
    p = tn_ma_f32(p, x, tn_lit_f32(-0x1.443c48p-1f));
    p = tn_ma_f32(p, x, tn_lit_f32(-0x1.212a52p+0f));
    p = tn_ma_f32(p, x, tn_lit_f32(0x1.7ea512p-13f));
    return p;
}
//@ poly_exp_f64: ops_f64
/* Degree 10, off by 2^-64.0. */
TN_INLINE vf64 tn_poly_exp_f64(vf64 x) {
    vf64 p = tn_lit_f64(0x1.1f9df854ebc27p-29);
    p = tn_ma_f64(p, x, tn_lit_f64(0x1.af6cbf6ae357cp-26));
    p = tn_ma_f64(p, x, tn_lit_f64(0x1.27e4bf290559bp-22));
    p = tn_ma_f64(p, x, tn_lit_f64(0x1.71ddef9b66577p-19));
    p = tn_ma_f64(p, x, tn_lit_f64(0x1.a01a01b45a31ap-16));
    p = tn_ma_f64(p, x, tn_lit_f64(0x1.a01a01b3b8213p-13));
    p = tn_ma_f64(p, x, tn_lit_f64(0x1.6c16c16c13574p-10));
    p = tn_ma_f64(p, x, tn_lit_f64(0x1.111111110ebbap-7));
    p = tn_ma_f64(p, x, tn_lit_f64(0x1.555555555555ep-5));
    p = tn_ma_f64(p, x, tn_lit_f64(0x1.555555555555cp-3));
    p = tn_ma_f64(p, x, tn_lit_f64(0x1p-1));
    return p;
}
//@ poly_exp2_f64: ops_f64
/* Degree 11, off by 2^-64.4. */
TN_INLINE vf64 tn_poly_exp2_f64(vf64 x) {
    vf64 p = tn_lit_f64(0x1.c4dace5808dc9p-36);
    p = tn_ma_f64(p, x, tn_lit_f64(0x1.ea04203515823p-32));
    p = tn_ma_f64(p, x, tn_lit_f64(0x1.e4cee81d803c1p-28));
    p = tn_ma_f64(p, x, tn_lit_f64(0x1.b524db5303731p-24));
    p = tn_ma_f64(p, x, tn_lit_f64(0x1.62c0224dac8afp-20));
    p = tn_ma_f64(p, x, tn_lit_f64(0x1.ffcbfc75e4881p-17));
    p = tn_ma_f64(p, x, tn_lit_f64(0x1.430912f868d4p-13));
    p = tn_ma_f64(p, x, tn_lit_f64(0x1.5d87fe78a22cdp-10));
    p = tn_ma_f64(p, x, tn_lit_f64(0x1.3b2ab6fba4e82p-7));
    p = tn_ma_f64(p, x, tn_lit_f64(0x1.c6b08d704a0d1p-5));
    p = tn_ma_f64(p, x, tn_lit_f64(0x1.ebfbdff82c58fp-3));
    p = tn_ma_f64(p, x, tn_lit_f64(0x1.62e42fefa39efp-1));
    return p;
}
//@ poly_log_f64: ops_f64
/* Degree 7, off by 2^-65.7. */
TN_INLINE vf64 tn_poly_log_f64(vf64 x) {
    vf64 p = tn_lit_f64(0x1.0f623d149b09p-3);
    p = tn_ma_f64(p, x, tn_lit_f64(0x1.0f5ce05d2e5a3p-3));
    p = tn_ma_f64(p, x, tn_lit_f64(0x1.3b20aa870c3dbp-3));
    p = tn_ma_f64(p, x, tn_lit_f64(0x1.745cde3ba9a8fp-3));
    p = tn_ma_f64(p, x, tn_lit_f64(0x1.c71c7258ea59bp-3));
    p = tn_ma_f64(p, x, tn_lit_f64(0x1.249249242b51bp-2));
    p = tn_ma_f64(p, x, tn_lit_f64(0x1.9999999999dfep-2));
    p = tn_ma_f64(p, x, tn_lit_f64(0x1.5555555555555p-1));
    return p;
}
//@ poly_logdd_f64: ops_f64
/* Degree 9, off by 2^-87.0. */
TN_INLINE vf64 tn_poly_logdd_f64(vf64 x) {
    vf64 p = tn_lit_f64(0x1.a22b268161616p-4);
    p = tn_ma_f64(p, x, tn_lit_f64(0x1.814c0cabc6115p-4));
    p = tn_ma_f64(p, x, tn_lit_f64(0x1.af5de32538bdfp-4));
    p = tn_ma_f64(p, x, tn_lit_f64(0x1.e1e06d7a74d4p-4));
    p = tn_ma_f64(p, x, tn_lit_f64(0x1.1111145cf12dp-3));
    p = tn_ma_f64(p, x, tn_lit_f64(0x1.3b13b1314dfbfp-3));
    p = tn_ma_f64(p, x, tn_lit_f64(0x1.745d1745e3f83p-3));
    p = tn_ma_f64(p, x, tn_lit_f64(0x1.c71c71c71c5cap-3));
    p = tn_ma_f64(p, x, tn_lit_f64(0x1.2492492492493p-2));
    p = tn_ma_f64(p, x, tn_lit_f64(0x1.999999999999ap-2));
    return p;
}
//@ poly_sin_f64: ops_f64
/* Degree 6, off by 2^-68.8. */
TN_INLINE vf64 tn_poly_sin_f64(vf64 x) {
    vf64 p = tn_lit_f64(-0x1.aaa5782871b11p-41);
    p = tn_ma_f64(p, x, tn_lit_f64(0x1.6120931831b3p-33));
    p = tn_ma_f64(p, x, tn_lit_f64(-0x1.ae645298df873p-26));
    p = tn_ma_f64(p, x, tn_lit_f64(0x1.71de3a5339e5ap-19));
    p = tn_ma_f64(p, x, tn_lit_f64(-0x1.a01a01a018ae9p-13));
    p = tn_ma_f64(p, x, tn_lit_f64(0x1.111111111110bp-7));
    p = tn_ma_f64(p, x, tn_lit_f64(-0x1.5555555555555p-3));
    return p;
}
//@ poly_cos_f64: ops_f64
/* Degree 6, off by 2^-75.2. */
TN_INLINE vf64 tn_poly_cos_f64(vf64 x) {
    vf64 p = tn_lit_f64(0x1.aac5dcc0838c4p-45);
    p = tn_ma_f64(p, x, tn_lit_f64(-0x1.939338aa38389p-37));
    p = tn_ma_f64(p, x, tn_lit_f64(0x1.1eed8ca404f1p-29));
    p = tn_ma_f64(p, x, tn_lit_f64(-0x1.27e4fb75fdc62p-22));
    p = tn_ma_f64(p, x, tn_lit_f64(0x1.a01a01a018deep-16));
    p = tn_ma_f64(p, x, tn_lit_f64(-0x1.6c16c16c16c1p-10));
    p = tn_ma_f64(p, x, tn_lit_f64(0x1.5555555555555p-5));
    return p;
}
//@ poly_atan_f64: ops_f64
/* Degree 11, off by 2^-64.3. */
TN_INLINE vf64 tn_poly_atan_f64(vf64 x) {
    vf64 p = tn_lit_f64(0x1.f261d38b0cb92p-7);
    p = tn_ma_f64(p, x, tn_lit_f64(-0x1.1256715f8dba7p-5));
    p = tn_ma_f64(p, x, tn_lit_f64(0x1.70fae6af3521dp-5));
    p = tn_ma_f64(p, x, tn_lit_f64(-0x1.ab80f96334a87p-5));
    p = tn_ma_f64(p, x, tn_lit_f64(0x1.e1728fd108317p-5));
    p = tn_ma_f64(p, x, tn_lit_f64(-0x1.110c7a7c99068p-4));
    p = tn_ma_f64(p, x, tn_lit_f64(0x1.3b136eb9dfe68p-4));
    p = tn_ma_f64(p, x, tn_lit_f64(-0x1.745d14c04b85fp-4));
    p = tn_ma_f64(p, x, tn_lit_f64(0x1.c71c71b77c3aep-4));
    p = tn_ma_f64(p, x, tn_lit_f64(-0x1.2492492475dc8p-3));
    p = tn_ma_f64(p, x, tn_lit_f64(0x1.999999999965bp-3));
    p = tn_ma_f64(p, x, tn_lit_f64(-0x1.5555555555554p-2));
    return p;
}
//@ poly_asin_f64: ops_f64
/* Degree 13, off by 2^-63.8. */
TN_INLINE vf64 tn_poly_asin_f64(vf64 x) {
    vf64 p = tn_lit_f64(0x1.1402030cd3ccdp-5);
    p = tn_ma_f64(p, x, tn_lit_f64(-0x1.add3a723e8db6p-6));
    p = tn_ma_f64(p, x, tn_lit_f64(0x1.97d88135dd62p-6));
    p = tn_ma_f64(p, x, tn_lit_f64(0x1.5590c7a993accp-11));
    p = tn_ma_f64(p, x, tn_lit_f64(0x1.484dc18c56055p-7));
    p = tn_ma_f64(p, x, tn_lit_f64(0x1.36b4d2dfd9698p-7));
    p = tn_ma_f64(p, x, tn_lit_f64(0x1.7ba643fbb2e1ep-7));
    p = tn_ma_f64(p, x, tn_lit_f64(0x1.c980aac5e8513p-7));
    p = tn_ma_f64(p, x, tn_lit_f64(0x1.1c4f8767a6848p-6));
    p = tn_ma_f64(p, x, tn_lit_f64(0x1.6e8b9ad9d1629p-6));
    p = tn_ma_f64(p, x, tn_lit_f64(0x1.f1c71ca8f910dp-6));
    p = tn_ma_f64(p, x, tn_lit_f64(0x1.6db6db6d46f58p-5));
    p = tn_ma_f64(p, x, tn_lit_f64(0x1.3333333333a5cp-4));
    p = tn_ma_f64(p, x, tn_lit_f64(0x1.5555555555553p-3));
    return p;
}
//@ poly_erf_f64: ops_f64
/* Degree 13, off by 2^-68.7. */
TN_INLINE vf64 tn_poly_erf_f64(vf64 x) {
    vf64 p = tn_lit_f64(-0x1.29e14842f8767p-38);
    p = tn_ma_f64(p, x, tn_lit_f64(0x1.7f171f011fd79p-34));
    p = tn_ma_f64(p, x, tn_lit_f64(-0x1.4e635b40a397fp-30));
    p = tn_ma_f64(p, x, tn_lit_f64(0x1.fc43f063b4a42p-27));
    p = tn_ma_f64(p, x, tn_lit_f64(-0x1.5f6d9cc1c31e4p-23));
    p = tn_ma_f64(p, x, tn_lit_f64(0x1.b9e6518e6129p-20));
    p = tn_ma_f64(p, x, tn_lit_f64(-0x1.f4d2562a1b01p-17));
    p = tn_ma_f64(p, x, tn_lit_f64(0x1.f9a326c2d9822p-14));
    p = tn_ma_f64(p, x, tn_lit_f64(-0x1.c02db3fef01d6p-11));
    p = tn_ma_f64(p, x, tn_lit_f64(0x1.565bcd0e65195p-8));
    p = tn_ma_f64(p, x, tn_lit_f64(-0x1.b82ce312889c2p-6));
    p = tn_ma_f64(p, x, tn_lit_f64(0x1.ce2f21a042bdep-4));
    p = tn_ma_f64(p, x, tn_lit_f64(-0x1.812746b0379e7p-2));
    p = tn_ma_f64(p, x, tn_lit_f64(0x1.06eba8214db69p-3));
    return p;
}
//@ poly_erfcx_f64: ops_f64
/* Degree 23, off by 2^-59.6. */
TN_INLINE vf64 tn_poly_erfcx_f64(vf64 x) {
    vf64 p = tn_lit_f64(-0x1.b616146ff5763p-24);
    p = tn_ma_f64(p, x, tn_lit_f64(0x1.9017de285bf71p-23));
    p = tn_ma_f64(p, x, tn_lit_f64(0x1.6a97903001ff6p-22));
    p = tn_ma_f64(p, x, tn_lit_f64(-0x1.99f19a382dfc5p-22));
    p = tn_ma_f64(p, x, tn_lit_f64(-0x1.040e3128ec95p-20));
    p = tn_ma_f64(p, x, tn_lit_f64(-0x1.33e238da94bf4p-21));
    p = tn_ma_f64(p, x, tn_lit_f64(0x1.9f86e9613dafep-20));
    p = tn_ma_f64(p, x, tn_lit_f64(0x1.5a4671f146f18p-18));
    p = tn_ma_f64(p, x, tn_lit_f64(0x1.f1608b9aadd92p-19));
    p = tn_ma_f64(p, x, tn_lit_f64(-0x1.c411247a7ce92p-17));
    p = tn_ma_f64(p, x, tn_lit_f64(-0x1.318d40076d64fp-15));
    p = tn_ma_f64(p, x, tn_lit_f64(-0x1.96651b3efe269p-20));
    p = tn_ma_f64(p, x, tn_lit_f64(0x1.3cc0d6c81a3ccp-13));
    p = tn_ma_f64(p, x, tn_lit_f64(0x1.b0c8d74046298p-13));
    p = tn_ma_f64(p, x, tn_lit_f64(-0x1.dc69364ec93bap-12));
    p = tn_ma_f64(p, x, tn_lit_f64(-0x1.7de521cccfff8p-10));
    p = tn_ma_f64(p, x, tn_lit_f64(0x1.4d461d3ffee84p-10));
    p = tn_ma_f64(p, x, tn_lit_f64(0x1.1dd2ec91eafecp-7));
    p = tn_ma_f64(p, x, tn_lit_f64(-0x1.0742340498c03p-7));
    p = tn_ma_f64(p, x, tn_lit_f64(-0x1.bc2b95619ab2bp-5));
    p = tn_ma_f64(p, x, tn_lit_f64(0x1.4ffa1e14e2802p-3));
    p = tn_ma_f64(p, x, tn_lit_f64(-0x1.5407bebf3242fp-3));
    p = tn_ma_f64(p, x, tn_lit_f64(-0x1.7bf5ec1700633p-4));
    p = tn_ma_f64(p, x, tn_lit_f64(0x1.46e80e2277953p+0));
    return p;
}
//@ two_over_pi: core
/* 2/pi after the binary point, in words of 64 bits. */
static const tn_u64 tn_two_over_pi[20] = {
    0xa2f9836e4e441529ull, 0xfc2757d1f534ddc0ull, 0xdb6295993c439041ull, 0xfe5163abdebbc561ull,
    0xb7246e3a424dd2e0ull, 0x06492eea09d1921cull, 0xfe1deb1cb129a73eull, 0xe88235f52ebb4484ull,
    0xe99c7026b45f7e41ull, 0x3991d639835339f4ull, 0x9c845f8bbdf9283bull, 0x1ff897ffde05980full,
    0xef2f118b5a0a6d1full, 0x6d367ecf27cb09b7ull, 0x4f463f669e5fea2dull, 0x7527bac7ebe5f17bull,
    0x3d0739f78a5292eaull, 0x6bfb5fb11f8d5d08ull, 0x56033046fc7b6babull, 0xf0cfbc209af4361dull,
};
