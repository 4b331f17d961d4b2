;; Filters slots by the codes of their vectors in float32, with a margin for every error. `npm run generate` compiles it to
;; prefilter-wasm.ts.
(module
  (import "prefilter" "memory" (memory 1))

  ;; Byte offsets of the arrays in the memory, each a multiple of 16. The query has 16-bit numbers, the vectors bytes. The
  ;; other arrays have an element per slot: float32, except `dots` and `candidateGroups` (32 bits) and `allowed` (a byte).
  (import "prefilter" "query" (global $query i32))
  (import "prefilter" "vectors" (global $vectors i32))
  (import "prefilter" "dots" (global $dots i32))
  (import "prefilter" "scales" (global $scales i32))
  (import "prefilter" "errors" (global $errors i32))
  (import "prefilter" "words" (global $words i32))
  (import "prefilter" "allowed" (global $allowed i32))
  (import "prefilter" "candidateGroups" (global $candidateGroups i32))

  ;; Computes the dot products of the query with vectors of `codeLength` codes, a multiple of 8, below the offset `end`,
  ;; a multiple of 8. Each round processes two vectors, because a single sum waits for each addition to finish.
  (func $multiply (param $end i32) (param $codeLength i32)
    (local $out i32) (local $queryAt i32) (local $first i32) (local $second i32) (local $firstEnd i32)
    (local $block v128) (local $firstSums v128) (local $secondSums v128)
    (local.set $second (global.get $vectors))
    (loop $pairs
      (local.set $queryAt (global.get $query))
      (local.set $first (local.get $second))
      (local.set $firstEnd (i32.add (local.get $first) (local.get $codeLength)))
      (local.set $second (local.get $firstEnd))
      (local.set $firstSums (v128.const i32x4 0 0 0 0))
      (local.set $secondSums (v128.const i32x4 0 0 0 0))
      (loop $blocks
        (local.set $block (v128.load (local.get $queryAt)))
        (local.set $firstSums (i32x4.add (local.get $firstSums)
          (i32x4.dot_i16x8_s (v128.load8x8_s (local.get $first)) (local.get $block))))
        (local.set $secondSums (i32x4.add (local.get $secondSums)
          (i32x4.dot_i16x8_s (v128.load8x8_s (local.get $second)) (local.get $block))))
        (local.set $queryAt (i32.add (local.get $queryAt) (i32.const 16)))
        (local.set $second (i32.add (local.get $second) (i32.const 8)))
        (local.set $first (i32.add (local.get $first) (i32.const 8)))
        (br_if $blocks (i32.lt_u (local.get $first) (local.get $firstEnd))))
      (i32.store (i32.add (global.get $dots) (local.get $out))
        (i32.add
          (i32.add (i32x4.extract_lane 0 (local.get $firstSums)) (i32x4.extract_lane 1 (local.get $firstSums)))
          (i32.add (i32x4.extract_lane 2 (local.get $firstSums)) (i32x4.extract_lane 3 (local.get $firstSums)))))
      (i32.store offset=4 (i32.add (global.get $dots) (local.get $out))
        (i32.add
          (i32.add (i32x4.extract_lane 0 (local.get $secondSums)) (i32x4.extract_lane 1 (local.get $secondSums)))
          (i32.add (i32x4.extract_lane 2 (local.get $secondSums)) (i32x4.extract_lane 3 (local.get $secondSums)))))
      (local.set $out (i32.add (local.get $out) (i32.const 8)))
      (br_if $pairs (i32.lt_u (local.get $out) (local.get $end)))))

  ;; Combines the evidence of words, given as `rest` = 1 - word score, with a closeness limited to 0..1, like `fuseEvidence`.
  (func $fuse (param $rest v128) (param $closeness v128) (param $weight f32) (result v128)
    (f32x4.sub
      (f32x4.splat (f32.const 1))
      (f32x4.mul
        (local.get $rest)
        (f32x4.sub
          (f32x4.splat (f32.const 1))
          (f32x4.mul
            (f32x4.min
              (f32x4.max (v128.const i32x4 0 0 0 0) (local.get $closeness))
              (f32x4.splat (f32.const 1)))
            (f32x4.splat (local.get $weight)))))))

  ;; Computes bounds of the evidence for each slot, four slots per round, and compares them with the thresholds. Returns the
  ;; number of groups of four with candidates, and the number of other slots that certainly match. The element of a group
  ;; is its number times 256, a bit for each slot that certainly matches times 16, and a bit for each candidate. In the
  ;; memory, `allowed` is 0 for excluded slots and after the last slot, up to a whole group.
  (func (export "prefilter")
    (param $slotCount i32) (param $codeLength i32)
    ;; Constants of the cosine, converted to closeness, including the errors.
    (param $scale f32) (param $norm f32) (param $queryError f32) (param $rounding f32) (param $offset f32)
    (param $weight f32)
    ;; Thresholds of the evidence.
    (param $possibleMin f32) (param $certainMin f32) (param $pageMin f32)
    (result i32 i32)
    (local $end i32) (local $at i32) (local $candidateCount i32) (local $certainCount i32) (local $candidates i32)
    (local $vectorScale v128) (local $closeness v128) (local $error v128) (local $word v128) (local $rest v128)
    (local $least v128) (local $most v128) (local $possible v128) (local $certain v128) (local $settled v128)
    (local.set $end (i32.shl (i32.shr_u (i32.add (local.get $slotCount) (i32.const 3)) (i32.const 2)) (i32.const 4)))
    (call $multiply (local.get $end) (local.get $codeLength))
    (loop $groups
      ;; A slot without a vector has meaningless codes and no error.
      (local.set $vectorScale (v128.load (i32.add (global.get $scales) (local.get $at))))
      (local.set $closeness
        (f32x4.add
          (f32x4.mul
            (f32x4.mul
              (f32x4.convert_i32x4_s (v128.load (i32.add (global.get $dots) (local.get $at))))
              (local.get $vectorScale))
            (f32x4.splat (local.get $scale)))
          (f32x4.splat (local.get $offset))))
      (local.set $error
        (v128.and
          (f32x4.add
            (f32x4.add
              (f32x4.mul
                (v128.load (i32.add (global.get $errors) (local.get $at)))
                (f32x4.splat (local.get $norm)))
              (f32x4.mul (local.get $vectorScale) (f32x4.splat (local.get $queryError))))
            (f32x4.splat (local.get $rounding)))
          (f32x4.ne (local.get $vectorScale) (v128.const i32x4 0 0 0 0))))

      ;; The upper bound is never below the word score.
      (local.set $word (v128.load (i32.add (global.get $words) (local.get $at))))
      (local.set $rest (f32x4.sub (f32x4.splat (f32.const 1)) (local.get $word)))
      (local.set $least
        (call $fuse
          (local.get $rest)
          (f32x4.sub (local.get $closeness) (local.get $error))
          (local.get $weight)))
      (local.set $most
        (f32x4.max
          (call $fuse
            (local.get $rest)
            (f32x4.add (local.get $closeness) (local.get $error))
            (local.get $weight))
          (local.get $word)))

      (local.set $possible
        (v128.and
          (i32x4.ne
            (i32x4.extend_low_i16x8_u (i16x8.extend_low_i8x16_u
              (v128.load32_zero (i32.add (global.get $allowed) (i32.shr_u (local.get $at) (i32.const 2))))))
            (v128.const i32x4 0 0 0 0))
          (f32x4.ge (local.get $most) (f32x4.splat (local.get $possibleMin)))))
      (local.set $certain
        (v128.and (f32x4.ge (local.get $least) (f32x4.splat (local.get $certainMin))) (local.get $possible)))
      (local.set $settled
        (v128.andnot (local.get $certain) (f32x4.ge (local.get $most) (f32x4.splat (local.get $pageMin)))))
      (local.set $certainCount
        (i32.add (local.get $certainCount) (i32.popcnt (i32x4.bitmask (local.get $settled)))))
      (local.set $candidates (i32x4.bitmask (v128.andnot (local.get $possible) (local.get $settled))))

      ;; Written each time, and kept if the group has candidates, because a branch would often be mispredicted.
      (i32.store
        (i32.add (global.get $candidateGroups) (i32.shl (local.get $candidateCount) (i32.const 2)))
        (i32.or
          (i32.or
            (i32.shl (local.get $at) (i32.const 4))
            (i32.shl (i32x4.bitmask (local.get $certain)) (i32.const 4)))
          (local.get $candidates)))
      (local.set $candidateCount (i32.add (local.get $candidateCount) (i32.ne (local.get $candidates) (i32.const 0))))

      (local.set $at (i32.add (local.get $at) (i32.const 16)))
      (br_if $groups (i32.lt_u (local.get $at) (local.get $end))))
    (local.get $candidateCount)
    (local.get $certainCount)))
