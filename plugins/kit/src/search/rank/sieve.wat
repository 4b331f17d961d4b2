;; Sifts slots by codes of their vectors, in float32, with room for every error. `npm run generate` makes sieve-wasm.ts of it.
(module
  (import "sieve" "memory" (memory 1))

  ;; Where in the memory things stand, in bytes, each at a multiple of 16. The query has numbers of 16 bits, the vectors
  ;; bytes; of the rest each slot has an element: float32, but for `dots` and `openGroups`, 32 bits, and `allowed`, a byte.
  (import "sieve" "query" (global $query i32))
  (import "sieve" "vectors" (global $vectors i32))
  (import "sieve" "dots" (global $dots i32))
  (import "sieve" "scales" (global $scales i32))
  (import "sieve" "errors" (global $errors i32))
  (import "sieve" "words" (global $words i32))
  (import "sieve" "allowed" (global $allowed i32))
  (import "sieve" "openGroups" (global $openGroups i32))

  ;; Dot products of the query with vectors of `codeLength` codes, a multiple of 8, up to before the dot product at `end`,
  ;; a multiple of 8. Takes two vectors a round: a single sum waits for each addition to end.
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

  ;; The evidence of words, given as what they leave open, and of a closeness that is cut to 0..1: as `fuseEvidence`.
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

  ;; Tells between which values the evidence for each slot lies, four slots a round, and sorts them by it. Returns how many
  ;; groups of four are open, and how many slots surely count and are not. An open group is its number times 256, a bit for
  ;; each of its slots that surely counts times 16, and a bit for each that is open. The memory has `allowed` 0 where slots
  ;; do not count and behind the last one, up to a whole group.
  (func (export "sift")
    (param $slotCount i32) (param $codeLength i32)
    ;; What stands for a cosine, made to stand for closeness, errors and all.
    (param $scale f32) (param $norm f32) (param $queryError f32) (param $rounding f32) (param $offset f32)
    (param $weight f32)
    ;; Limits of evidence.
    (param $mayFrom f32) (param $sureFrom f32) (param $pageFrom f32)
    (result i32 i32)
    (local $end i32) (local $at i32) (local $openCount i32) (local $sureCount i32) (local $open i32)
    (local $vectorScale v128) (local $closeness v128) (local $error v128) (local $word v128) (local $rest v128)
    (local $least v128) (local $most v128) (local $may v128) (local $sure v128) (local $closed v128)
    (local.set $end (i32.shl (i32.shr_u (i32.add (local.get $slotCount) (i32.const 3)) (i32.const 2)) (i32.const 4)))
    (call $multiply (local.get $end) (local.get $codeLength))
    (loop $groups
      ;; A slot without a vector has codes that stand for nothing, and no error.
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

      ;; Never below what words alone say.
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

      (local.set $may
        (v128.and
          (i32x4.ne
            (i32x4.extend_low_i16x8_u (i16x8.extend_low_i8x16_u
              (v128.load32_zero (i32.add (global.get $allowed) (i32.shr_u (local.get $at) (i32.const 2))))))
            (v128.const i32x4 0 0 0 0))
          (f32x4.ge (local.get $most) (f32x4.splat (local.get $mayFrom)))))
      (local.set $sure
        (v128.and (f32x4.ge (local.get $least) (f32x4.splat (local.get $sureFrom))) (local.get $may)))
      (local.set $closed
        (v128.andnot (local.get $sure) (f32x4.ge (local.get $most) (f32x4.splat (local.get $pageFrom)))))
      (local.set $sureCount
        (i32.add (local.get $sureCount) (i32.popcnt (i32x4.bitmask (local.get $closed)))))
      (local.set $open (i32x4.bitmask (v128.andnot (local.get $may) (local.get $closed))))

      ;; Written each time, and kept where some are open: a branch would often be foreseen wrongly.
      (i32.store
        (i32.add (global.get $openGroups) (i32.shl (local.get $openCount) (i32.const 2)))
        (i32.or
          (i32.or
            (i32.shl (local.get $at) (i32.const 4))
            (i32.shl (i32x4.bitmask (local.get $sure)) (i32.const 4)))
          (local.get $open)))
      (local.set $openCount (i32.add (local.get $openCount) (i32.ne (local.get $open) (i32.const 0))))

      (local.set $at (i32.add (local.get $at) (i32.const 16)))
      (br_if $groups (i32.lt_u (local.get $at) (local.get $end))))
    (local.get $openCount)
    (local.get $sureCount)))
