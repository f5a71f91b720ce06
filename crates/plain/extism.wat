;; The plain module as a plug-in of Extism (https://extism.org/docs/concepts/pdk): one function, `call`, whose input is a message
;; and whose output is its answer. Both are copied between Extism's memory and the module's, eight bytes at a time.
(module
  (import "toolshape" "memory" (memory 1))
  (import "toolshape" "toolshape_alloc" (func $toolshape_alloc (param i32) (result i32)))
  (import "toolshape" "toolshape_call" (func $toolshape_call (param i32) (result i32)))
  (import "toolshape" "toolshape_free" (func $toolshape_free (param i32)))
  (import "extism:host/env" "input_length" (func $input_length (result i64)))
  (import "extism:host/env" "input_load_u8" (func $input_load_u8 (param i64) (result i32)))
  (import "extism:host/env" "input_load_u64" (func $input_load_u64 (param i64) (result i64)))
  (import "extism:host/env" "alloc" (func $alloc (param i64) (result i64)))
  (import "extism:host/env" "store_u8" (func $store_u8 (param i64 i32)))
  (import "extism:host/env" "store_u64" (func $store_u64 (param i64 i64)))
  (import "extism:host/env" "output_set" (func $output_set (param i64 i64)))

  ;; Returns 0, or 1 if there is no memory for the message.
  (func (export "call") (result i32)
    (local $size i32) (local $message i32) (local $answer i32)
    (local.set $size (i32.wrap_i64 (call $input_length)))
    (local.set $message (call $toolshape_alloc (local.get $size)))
    (if (i32.eqz (local.get $message)) (then (return (i32.const 1))))
    (call $copy_in (local.get $message) (local.get $size))
    (local.set $answer (call $toolshape_call (local.get $message)))
    (call $copy_out (local.get $answer) (call $size_of (local.get $answer)))
    (call $toolshape_free (local.get $answer))
    (i32.const 0))

  ;; The bytes of an answer: the number of its parts, their lengths, and the parts.
  (func $size_of (param $answer i32) (result i32)
    (local $size i32) (local $part i32)
    (local.set $part (i32.load align=1 (local.get $answer)))
    (local.set $size (i32.add (i32.const 4) (i32.shl (local.get $part) (i32.const 2))))
    (block $end
      (loop $next
        (br_if $end (i32.eqz (local.get $part)))
        (local.set $size
          (i32.add
            (local.get $size)
            (i32.load align=1 (i32.add (local.get $answer) (i32.shl (local.get $part) (i32.const 2))))))
        (local.set $part (i32.sub (local.get $part) (i32.const 1)))
        (br $next)))
    (local.get $size))

  (func $copy_in (param $to i32) (param $size i32)
    (local $at i32)
    (block $end
      (loop $next
        (br_if $end (i32.gt_u (i32.add (local.get $at) (i32.const 8)) (local.get $size)))
        (i64.store align=1
          (i32.add (local.get $to) (local.get $at))
          (call $input_load_u64 (i64.extend_i32_u (local.get $at))))
        (local.set $at (i32.add (local.get $at) (i32.const 8)))
        (br $next)))
    (block $end
      (loop $next
        (br_if $end (i32.ge_u (local.get $at) (local.get $size)))
        (i32.store8
          (i32.add (local.get $to) (local.get $at))
          (call $input_load_u8 (i64.extend_i32_u (local.get $at))))
        (local.set $at (i32.add (local.get $at) (i32.const 1)))
        (br $next))))

  (func $copy_out (param $from i32) (param $size i32)
    (local $at i32) (local $to i64)
    (local.set $to (call $alloc (i64.extend_i32_u (local.get $size))))
    (block $end
      (loop $next
        (br_if $end (i32.gt_u (i32.add (local.get $at) (i32.const 8)) (local.get $size)))
        (call $store_u64
          (i64.add (local.get $to) (i64.extend_i32_u (local.get $at)))
          (i64.load align=1 (i32.add (local.get $from) (local.get $at))))
        (local.set $at (i32.add (local.get $at) (i32.const 8)))
        (br $next)))
    (block $end
      (loop $next
        (br_if $end (i32.ge_u (local.get $at) (local.get $size)))
        (call $store_u8
          (i64.add (local.get $to) (i64.extend_i32_u (local.get $at)))
          (i32.load8_u (i32.add (local.get $from) (local.get $at))))
        (local.set $at (i32.add (local.get $at) (i32.const 1)))
        (br $next)))
    (call $output_set (local.get $to) (i64.extend_i32_u (local.get $size)))))
