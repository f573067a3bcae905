# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The names of the SPIR-V numbers that the corpus uses. Any other number is printed as it is."""


def _table(text):
    """Numbers and names from "10 Extension 11 ExtInstImport ..."."""
    words = text.split()
    return dict(zip(map(int, words[::2]), words[1::2], strict=True))


_TABLES = {
    "opcodes": _table(
        """
        1 Undef 3 Source 5 Name 10 Extension 11 ExtInstImport 12 ExtInst 14 MemoryModel 15 EntryPoint
        16 ExecutionMode 17 Capability 19 TypeVoid 20 TypeBool 21 TypeInt 22 TypeFloat 23 TypeVector 28 TypeArray
        30 TypeStruct 32 TypePointer 33 TypeFunction 34 TypeEvent 41 ConstantTrue 42 ConstantFalse 43 Constant
        44 ConstantComposite 46 ConstantNull 50 SpecConstant 54 Function 55 FunctionParameter 56 FunctionEnd
        57 FunctionCall 59 Variable 61 Load 62 Store 64 CopyMemorySized 67 PtrAccessChain 70 InBoundsPtrAccessChain
        71 Decorate 77 VectorExtractDynamic 79 VectorShuffle 80 CompositeConstruct 81 CompositeExtract
        82 CompositeInsert 109 ConvertFToU 110 ConvertFToS 111 ConvertSToF 112 ConvertUToF 113 UConvert 114 SConvert
        115 FConvert 117 ConvertPtrToU 120 ConvertUToPtr 121 PtrCastToGeneric 122 GenericCastToPtr
        123 GenericCastToPtrExplicit 124 Bitcast 127 FNegate 128 IAdd 129 FAdd 130 ISub 131 FSub 132 IMul 133 FMul
        134 UDiv 135 SDiv 136 FDiv 137 UMod 138 SRem 148 Dot 156 IsNan 157 IsInf 158 IsFinite 159 IsNormal
        160 SignBitSet 162 Ordered 163 Unordered 165 LogicalNotEqual 166 LogicalOr 167 LogicalAnd 168 LogicalNot
        169 Select 170 IEqual 171 INotEqual 172 UGreaterThan 173 SGreaterThan 174 UGreaterThanEqual
        175 SGreaterThanEqual 176 ULessThan 177 SLessThan 178 ULessThanEqual 179 SLessThanEqual 180 FOrdEqual
        181 FUnordEqual 182 FOrdNotEqual 183 FUnordNotEqual 184 FOrdLessThan 185 FUnordLessThan 186 FOrdGreaterThan
        187 FUnordGreaterThan 188 FOrdLessThanEqual 189 FUnordLessThanEqual 190 FOrdGreaterThanEqual
        191 FUnordGreaterThanEqual 194 ShiftRightLogical 195 ShiftRightArithmetic 196 ShiftLeftLogical 197 BitwiseOr
        198 BitwiseXor 199 BitwiseAnd 205 BitCount 224 ControlBarrier 225 MemoryBarrier 227 AtomicLoad
        228 AtomicStore 230 AtomicCompareExchange 234 AtomicIAdd 235 AtomicISub 236 AtomicSMin 237 AtomicUMin
        238 AtomicSMax 239 AtomicUMax 240 AtomicAnd 241 AtomicOr 245 Phi 246 LoopMerge 248 Label 249 Branch
        250 BranchConditional 251 Switch 253 Return 254 ReturnValue 255 Unreachable 256 LifetimeStart
        257 LifetimeStop 259 GroupAsyncCopy 260 GroupWaitEvents 261 GroupAll 262 GroupAny 263 GroupBroadcast
        264 GroupIAdd 265 GroupFAdd 266 GroupFMin 267 GroupUMin 268 GroupSMin 269 GroupFMax 270 GroupUMax
        271 GroupSMax 332 DecorateId 339 GroupNonUniformBallot 345 GroupNonUniformShuffle
        346 GroupNonUniformShuffleXor 347 GroupNonUniformShuffleUp 348 GroupNonUniformShuffleDown
        4456 TypeCooperativeMatrixKHR 4457 CooperativeMatrixLoadKHR 4458 CooperativeMatrixStoreKHR
        4459 CooperativeMatrixMulAddKHR 5571 SubgroupShuffleINTEL 5572 SubgroupShuffleDownINTEL
        5573 SubgroupShuffleUpINTEL 5575 SubgroupBlockReadINTEL 5609 AsmTargetINTEL 5610 AsmINTEL 5611 AsmCallINTEL
        5614 AtomicFMinEXT 5615 AtomicFMaxEXT 5630 AssumeTrueKHR 5887 LoopControlINTEL 5911 AliasDomainDeclINTEL
        5912 AliasScopeDeclINTEL 5913 AliasScopeListDeclINTEL 6035 AtomicFAddEXT 6116 ConvertFToBF16INTEL
        6117 ConvertBF16ToFINTEL 6401 GroupIMulKHR 6402 GroupFMulKHR 6404 GroupBitwiseOrKHR 6407 GroupLogicalOrKHR
        """
    ),
    "capabilities": _table(
        """
        4 Addresses 5 Linkage 6 Kernel 7 Vector16 8 Float16Buffer 10 Float64 11 Int64 12 Int64Atomics 18 Groups
        22 Int16 38 GenericPointer 39 Int8 58 SubgroupDispatch 64 GroupNonUniformBallot 65 GroupNonUniformShuffle
        66 GroupNonUniformShuffleRelative 5568 SubgroupShuffleINTEL 5569 SubgroupBufferBlockIOINTEL 5606 AsmINTEL
        5612 AtomicFloat32MinMaxEXT 5613 AtomicFloat64MinMaxEXT 5617 VectorComputeINTEL 5619 VectorAnyINTEL
        5629 ExpectAssumeKHR 5837 FPFastMathModeINTEL 5886 UnstructuredLoopControlsINTEL
        5910 MemoryAccessAliasingINTEL 6022 CooperativeMatrixKHR 6033 AtomicFloat32AddEXT 6034 AtomicFloat64AddEXT
        6095 AtomicFloat16AddEXT 6115 BFloat16ConversionINTEL 6400 GroupUniformArithmeticKHR 6441 CacheControlsINTEL
        """
    ),
    "decorations": _table(
        """
        1 SpecId 10 CPacked 11 BuiltIn 21 Volatile 22 Constant 38 FuncParamAttr 39 FPRoundingMode 40 FPFastMathMode
        41 LinkageAttributes 44 Alignment 45 MaxByteOffset 4469 NoSignedWrap 4470 NoUnsignedWrap
        5608 SideEffectsINTEL 5624 VectorComputeVariableINTEL 5625 FuncParamIOKindINTEL
        5626 VectorComputeFunctionINTEL 5628 GlobalVariableOffsetINTEL 5635 UserSemantic 6442 CacheControlLoadINTEL
        """
    ),
    "builtins": _table(
        """
        24 NumWorkgroups 25 WorkgroupSize 26 WorkgroupId 27 LocalInvocationId 28 GlobalInvocationId 31 GlobalSize
        33 GlobalOffset 36 SubgroupSize 37 SubgroupMaxSize 38 NumSubgroups 40 SubgroupId
        41 SubgroupLocalInvocationId
        """
    ),
    "execution_modes": _table(
        """
        31 ContractionOff 35 SubgroupSize 5618 SharedLocalMemorySizeINTEL 6417 NamedBarrierCountINTEL
        """
    ),
    "storage_classes": _table(
        """
        0 UniformConstant 1 Input 4 Workgroup 5 CrossWorkgroup 6 Private 7 Function
        """
    ),
}

_OPENCL = _table(
    """
    0 acos 1 acosh 3 asin 4 asinh 6 atan 7 atan2 8 atanh 11 cbrt 12 ceil 13 copysign 14 cos 15 cosh 16 cospi 17 erfc
    18 erf 19 exp 20 exp2 22 expm1 23 fabs 25 floor 26 fma 27 fmax 28 fmin 29 fmod 31 frexp 32 hypot 34 ldexp 37 log
    38 log2 39 log10 40 log1p 41 logb 42 mad 45 modf 46 nan 47 nextafter 48 pow 49 pown 50 powr 53 rint 55 round
    56 rsqrt 57 sin 59 sinh 60 sinpi 61 sqrt 62 tan 63 tanh 66 trunc 83 native_exp 93 native_sqrt 96 degrees
    97 fmax_common 98 fmin_common 100 radians 141 s_abs 149 s_clamp 152 ctz 156 s_max 158 s_min 159 u_min
    162 s_sub_sat 163 u_sub_sat 166 popcount 185 prefetch 203 u_mul_hi
    """
)


def name(kind, what):
    """The name of a number that was counted as one of `kind`, a field of spirv.Uses."""
    if kind == "extended":
        instruction_set, number = what
        table = _OPENCL if instruction_set == "OpenCL.std" else {}
        return f"{instruction_set} {table.get(number, number)}"
    name = _TABLES.get(kind, {}).get(what)
    if name is None:
        return str(what)
    return f"Op{name}" if kind == "opcodes" else name
