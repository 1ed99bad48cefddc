"""The instructions behind `vector.vector_access`, for the GPU. Imported only where there is one."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from llvmlite import ir
from numba.cuda.extending import intrinsic

try:  # numba-cuda has its own; the target built into Numba uses the core's
    types: Any = import_module("numba.cuda.types")
except ImportError:
    types = import_module("numba.core.types")


def make(width: int, itemsize: int, hint: str) -> tuple[Any, Any]:
    """load and store of `width` elements of `itemsize` bytes in one instruction."""
    nbytes = width * itemsize
    word = ir.IntType(32 if nbytes >= 4 else 8 * nbytes)
    words = max(1, nbytes // 4)
    packed = ir.VectorType(word, words) if words > 1 else word

    guarded = itemsize < 4 <= nbytes

    def pointer(context: Any, builder: Any, array_type: Any, array: Any, index_type: Any, index: Any) -> Any:
        record = context.make_array(array_type)(context, builder, array)
        return builder.gep(record.data, [context.cast(builder, index, index_type, types.intp)])

    def element(context: Any, builder: Any, array_type: Any, array: Any, at_type: Any, at: Any) -> Any:
        record = context.make_array(array_type)(context, builder, array)
        at = context.cast(builder, at, at_type, types.intp)
        return lambda k: builder.gep(
            record.data, [builder.add(at, ir.Constant(at.type, k) if isinstance(k, int) else k)]
        )

    @intrinsic
    def load(typingctx: Any, registers: Any, at: Any, array: Any, index: Any) -> Any:
        def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            reg_t, at_t, array_t, index_t = signature.args
            source = pointer(context, builder, array_t, args[2], index_t, args[3])
            if hint:
                value = _asm_load(builder, source, word, words, packed, hint)
            else:
                value = builder.load(builder.bitcast(source, packed.as_pointer()))
                value.align = nbytes
            if guarded:
                value = _guard(builder, value, word, words)
            item = context.get_data_type(array_t.dtype)
            target = element(context, builder, reg_t, args[0], at_t, args[1])
            lanes = builder.bitcast(value, ir.VectorType(item, width) if width > 1 else item)
            for k in range(width):
                builder.store(_part(builder, lanes, k, width), target(k))
            return context.get_dummy_value()

        return types.void(registers, at, array, index), codegen

    @intrinsic
    def store(typingctx: Any, array: Any, index: Any, registers: Any, at: Any, step: Any) -> Any:
        def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            array_t, index_t, reg_t, at_t, step_t = signature.args
            item = context.get_data_type(array_t.dtype)
            source = element(context, builder, reg_t, args[2], at_t, args[3])
            stride = context.cast(builder, args[4], step_t, types.intp)
            if width == 1:
                lanes = builder.load(source(0))
            else:
                lanes = ir.Constant(ir.VectorType(item, width), ir.Undefined)
                for k in range(width):
                    lanes = builder.insert_element(
                        lanes,
                        builder.load(source(builder.mul(stride, ir.Constant(stride.type, k)))),
                        ir.Constant(ir.IntType(32), k),
                    )
            value = builder.bitcast(lanes, packed)
            if guarded:
                value = _guard(builder, value, word, words)
            target = pointer(context, builder, array_t, args[0], index_t, args[1])
            if hint:
                _asm_store(builder, target, value, word, words, hint)
            else:
                builder.store(value, builder.bitcast(target, packed.as_pointer())).align = nbytes
            return context.get_dummy_value()

        return types.void(array, index, registers, at, step), codegen

    return load, store


def _part(builder: Any, lanes: Any, k: int, width: int) -> Any:
    return lanes if width == 1 else builder.extract_element(lanes, ir.Constant(ir.IntType(32), k))


def _guard(builder: Any, value: Any, word: ir.IntType, words: int) -> Any:
    """The same words, passed through a move that the compiler cannot see into.

    Without it the compiler looks through to elements of 1 or 2 bytes, and takes a 16-byte access apart into smaller ones.
    """
    move = ir.InlineAsm(ir.FunctionType(word, [word]), "mov.b32 $0, $1;", "=r,r")
    if words == 1:
        return builder.call(move, [value])
    result = ir.Constant(value.type, ir.Undefined)
    for k in range(words):
        place = ir.Constant(ir.IntType(32), k)
        result = builder.insert_element(result, builder.call(move, [builder.extract_element(value, place)]), place)
    return result


def _letter(word: ir.IntType) -> str:
    return {8: "r", 16: "h", 32: "r"}[word.width]


def _list(first: int, words: int) -> str:
    names = ", ".join(f"${first + k}" for k in range(words))
    return f"{{{names}}}" if words > 1 else names


def _suffix(word: ir.IntType, words: int) -> str:
    return (f".v{words}" if words > 1 else "") + f".b{word.width}"


def _asm_load(builder: Any, source: Any, word: Any, words: int, packed: Any, hint: str) -> Any:
    result = ir.LiteralStructType([word] * words) if words > 1 else word
    text = f"ld.global.{hint}{_suffix(word, words)} {_list(0, words)}, [${words}];"
    constraint = ",".join([f"={_letter(word)}"] * words + ["l"])
    kind = ir.FunctionType(result, [source.type])
    got = builder.call(ir.InlineAsm(kind, text, constraint, side_effect=True), [source])
    if words == 1:
        return got
    value = ir.Constant(packed, ir.Undefined)
    for k in range(words):
        value = builder.insert_element(value, builder.extract_value(got, k), ir.Constant(ir.IntType(32), k))
    return value


def _asm_store(builder: Any, target: Any, value: Any, word: Any, words: int, hint: str) -> None:
    parts = [_part(builder, value, k, words) for k in range(words)]
    text = f"st.global.{hint}{_suffix(word, words)} [$0], {_list(1, words)};"
    constraint = ",".join(["l"] + [_letter(word)] * words)
    kind = ir.FunctionType(ir.VoidType(), [target.type] + [word] * words)
    builder.call(ir.InlineAsm(kind, text, constraint, side_effect=True), [target, *parts])
