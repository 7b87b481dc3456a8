"""Blocks of threads that follow a kernel's code, all that are at one instruction at once.

Threads that are furthest behind go first; where the code says that threads of a warp wait for each
other, they do. An instruction is issued once for each warp that has a thread there.
"""

import numpy as np

from . import NotFollowed, floats, integers, memory, warps
from .code import TRUE, ZERO
from .counts import Counts

WARP = 32
RUNS, AT_BARRIER, AT_BRANCH, AT_WARP = range(4)  # what a thread waits for
_GONE = 1 << 30  # where a thread is that has returned
_HANDLERS = {**integers.HANDLERS, **floats.HANDLERS, **memory.HANDLERS, **warps.HANDLERS}
# Bytes before a kernel's parameters in bank 0.
PARAMETERS = {"7": 0x160, "8": 0x160, "9": 0x210}
_STACK = 0x28  # where bank 0 has the end of the stack
_WINDOW = 0x18  # and where shared memory begins among all memory, before 9.0
_WARPS_REGISTERS = 64


class Machine:
    """Some blocks of a launch.

    Parameters
    ----------
    kernel : code.Kernel
    arena : memory.Arena
        Device memory.
    capability : str
    grid, block : tuple of int
        Of the launch.
    blocks : sequence of int
        Which blocks are followed, by their numbers in the grid.
    parameters : bytes
        The launch's arguments.
    shared, stack : int
        Bytes of shared memory of a block, static and dynamic; of the stack of a thread.
    """

    def __init__(self, kernel, arena, capability, grid, block, blocks, parameters, shared, stack):
        if capability.partition(".")[0] not in PARAMETERS:
            raise NotFollowed(f"where kernels of {capability} find their arguments")
        self.kernel, self.arena = kernel, arena
        threads = block[0] * block[1] * block[2]
        lanes = -(-threads // WARP) * WARP
        self.lanes, self.size = lanes, lanes * len(blocks)
        number = np.tile(np.arange(lanes), len(blocks))
        self.block = np.repeat(np.arange(len(blocks)), lanes)
        self.lane = (number % WARP).astype(np.uint32)
        self.registers = np.zeros((256, self.size), np.uint32)
        self.of_warps = np.zeros((_WARPS_REGISTERS, self.size), np.uint32)
        self.predicates = np.zeros((8, self.size), bool)
        self.warp_predicates = np.zeros((8, self.size), bool)
        self.predicates[TRUE] = self.warp_predicates[TRUE] = True
        self.members = np.zeros((16, self.size), np.uint32)  # of BSSY
        self.result = np.zeros(self.size, np.uint32)  # of the last barrier
        self.pc = np.where(number < threads, 0, _GONE).astype(np.int32)
        self.waits = np.zeros(self.size, np.int8)
        self.wanted = np.zeros(self.size, np.uint32)  # lanes that are waited for
        self.vote = np.zeros(self.size, bool)
        places = np.asarray(blocks)
        self.special = {
            "SR_TID.X": number % block[0],
            "SR_TID.Y": number // block[0] % block[1],
            "SR_TID.Z": number // (block[0] * block[1]),
            "SR_CTAID.X": np.repeat(places % grid[0], lanes),
            "SR_CTAID.Y": np.repeat(places // grid[0] % grid[1], lanes),
            "SR_CTAID.Z": np.repeat(places // (grid[0] * grid[1]), lanes),
            "SR_LANEID": self.lane,
            "SR_EQMASK": 1 << self.lane,
            "SR_LTMASK": (1 << self.lane) - 1,
            "SR_CgaCtaId": np.zeros(1),
            "SR_SWINHI": np.full(1, memory.WINDOW),
            "SRZ": np.zeros(1),
        }
        self.special = {name: v.astype(np.uint32) for name, v in self.special.items()}
        self.shared_stride = -(-(shared + memory.RESERVED) // 16) * 16
        self.shared = np.zeros(self.shared_stride * len(blocks) // 4, np.uint32)
        self.stack_stride = -(-(stack + 64) // 16) * 16
        self.stack = np.zeros(self.stack_stride * self.size // 4, np.uint32)
        self.banks = self._banks(grid, block, parameters, capability)
        self.counts = Counts(self)
        self._constants = {}
        self.mask = self.group = None
        self._steps = [
            (_HANDLERS.get(ins.name), ins, ins.guard, index)
            for index, ins in enumerate(kernel.instructions)
        ]

    def _banks(self, grid, block, parameters, capability):
        begin = PARAMETERS[capability.partition(".")[0]]
        head = np.zeros(begin // 4, np.uint32)
        head[:3], head[3:6] = block, grid
        head[_STACK // 4] = self.stack_stride
        head[_WINDOW // 4 + 1] = memory.WINDOW
        banks = {0: head.tobytes() + parameters, **self.kernel.banks}
        pointers = bytearray(banks[4])
        for place, name in self.kernel.pointers.items():
            pointers[place : place + 8] = self.arena.address(name).to_bytes(8, "little")
        banks[4] = bytes(pointers)
        return {
            bank: np.frombuffer(text + bytes(-len(text) % 16 + 16), np.uint8)
            for bank, text in banks.items()
        }

    # --- running

    def run(self, limit):
        """Run until all threads have returned; at most so many steps."""
        with np.errstate(all="ignore"):
            while (runs := (self.waits == RUNS) & (self.pc < _GONE)).any() or self._release():
                if not runs.any():
                    continue
                at = int(self.pc[runs].min())
                group = runs & (self.pc == at)
                others = self.pc[runs & ~group]
                limit -= self._together(at, group, int(others.min()) if others.size else _GONE)
                if limit < 0:
                    raise NotFollowed("a launch of so many steps")

    def _together(self, at, group, merge):
        """Run a group until it parts or comes to where others are; the steps."""
        self.group = group
        in_warps = int(group.reshape(-1, WARP).any(1).sum())
        members = int(group.sum())
        whole = members == self.size
        issued, lanes = self.counts.issued, self.counts.lanes
        steps = 0
        while True:
            handler, ins, guard, _ = self._steps[at]
            steps += 1
            self.at = at
            issued[at] += in_warps
            self.mask, self.full = group, whole
            if guard is not None:
                held = self.p(guard)
                if held is not True:
                    self.mask = group & held
                    self.full = bool(self.mask.all())
                    lanes[at] += int(self.mask.sum())
                    if not self.full and not self.mask.any():
                        at += 1
                        if at == merge:
                            break
                        continue
                else:
                    lanes[at] += members
            else:
                lanes[at] += members
            if handler is None:
                raise NotFollowed(f"the instruction {ins.text}")
            following = handler(self, ins)
            if following is None:
                at += 1
            elif following is PARTED:
                return steps
            else:
                at = following
            if at >= merge or steps > 100_000:
                break
        self.pc[group] = at
        return steps

    def jump(self, taken, target):
        """The group's threads of `taken` go to `target`, the others on."""
        if taken is True or taken[self.group].all():
            return target
        if not taken[self.group].any():
            return self.at + 1
        self.pc[self.group] = self.at + 1
        self.pc[taken] = target
        return PARTED

    def leave(self):
        """Threads of the mask return."""
        self.pc[self.group] = self.at + 1
        self.pc[self.mask] = _GONE
        return PARTED

    def wait(self, kind, wanted=0):
        """Threads of the mask wait; they go on behind this instruction."""
        if kind != AT_BARRIER:
            there = self.ballot(self.mask) | ~self.ballot(self.pc < _GONE)
            if not ((~there & wanted) != 0)[self.mask].any():
                return None  # nobody to wait for
        self.pc[self.group] = self.at + 1
        self.waits[self.mask] = kind
        self.wanted[self.mask] = np.broadcast_to(wanted, self.size)[self.mask]
        return PARTED

    def _release(self):
        """Let go on who has waited long enough; whether there was anybody."""
        live = self.pc < _GONE
        gone = ~self.ballot(live)
        freed = np.zeros(self.size, bool)
        for kind in (AT_BRANCH, AT_WARP):
            here = (self.waits == kind) & live
            if here.any():
                # those at one place are together; with the same place behind the instruction
                for place in np.unique(self.pc[here]):
                    there = here & (self.pc == place)
                    arrived = self.ballot(there)
                    freed |= there & (((arrived | gone) & self.wanted) == self.wanted)
        if not freed.any():
            for block in range(self.size // self.lanes):
                part = slice(block * self.lanes, (block + 1) * self.lanes)
                inside = live[part]
                waiting = (self.waits[part] == AT_BARRIER) & inside
                if waiting.any() and (waiting == inside).all():
                    freed[part] = waiting
                    votes = self.vote[part][waiting]
                    count, every, some = int(votes.sum()), votes.all(), votes.any()
                    self.result[part] = count | int(every) << 30 | int(some) << 31
                    self.counts.barriers += 1
        if not freed.any() and (self.waits[live] == AT_WARP).any():
            freed = (self.waits == AT_WARP) & live  # where another copy of the code waits
        if not freed.any():
            if live.any():
                raise NotFollowed("threads that wait for others for ever")
            return False
        self.waits[freed] = RUNS
        return True

    def ballot(self, lanes):
        """For each thread a bit for each lane of its warp."""
        bits = np.packbits(lanes.reshape(-1, WARP), axis=1, bitorder="little").view(np.uint32)
        return np.repeat(bits[:, 0], WARP)

    # --- operands

    def raw(self, operand):
        """Its 32 bits, without signs."""
        kind, value = operand.kind, operand.value
        if kind == "R":
            return self.registers[value] if value != ZERO else np.uint32(0)
        if kind == "UR":
            return self.of_warps[value] if value != 63 else np.uint32(0)
        if kind == "#":
            if isinstance(value, float):
                return np.float32(value).view(np.uint32)
            return np.uint32(value & 0xFFFFFFFF)
        if kind == "c":
            return self.constant(value, 4)
        if kind == "@":
            return np.uint32(self._linked(value))
        raise NotFollowed(f"an operand {value}")

    def _linked(self, value):
        half, name = value
        address = self.arena.address(name) if name in self.arena.places else None
        if address is None:
            raise NotFollowed(f"the address of {name}")
        return address & 0xFFFFFFFF if half == "lo" else address >> 32

    def constant(self, value, width, signed=False):
        """From a bank of constants: `width` bytes as uint32, or as uint64 where it is 8."""
        kind = {1: np.uint8, 2: np.uint16, 4: np.uint32, 8: np.uint64}[width]
        bank, registers, offset = value
        data = self.banks.get(bank)
        if data is None:
            raise NotFollowed(f"the bank of constants {bank}")
        if not registers:
            key = bank, offset, width, signed
            if key not in self._constants:
                if offset + width > len(data):
                    raise NotFollowed(f"a constant at {offset:#x} of bank {bank}")
                found = np.frombuffer(data[offset : offset + width].tobytes(), kind)[0]
                self._constants[key] = _widened(found, width, signed)
            return self._constants[key]
        places = (offset + sum(self.address(registers)) & integers.LOW).astype(np.int64)
        places = np.where(self.mask, places, 0)
        if places.max() + width > len(data) or places.min() < 0:
            raise NotFollowed(f"a constant beyond bank {bank}")
        found = data[places[:, None] + np.arange(width)].copy().view(kind)[:, 0]
        return _widened(found, width, signed)

    def address(self, registers):
        """Parts of an address."""
        for kind, number, scale, is_long in registers:
            file = self.registers if kind == "R" else self.of_warps
            part = file[number].astype(np.uint64)
            if is_long:
                part = part | file[number + 1].astype(np.uint64) << np.uint64(32)
            yield part * np.uint64(scale)

    def u(self, operand):
        """An integer of 32 bits."""
        found = self.raw(operand)
        if operand.negative:
            return np.negative(found, dtype=np.uint32)
        return ~found if operand.inverted else found

    def u64(self, operand):
        """An integer of 64 bits, of two registers."""
        kind, value = operand.kind, operand.value
        if kind in ("R", "UR"):
            file, zero = (self.registers, ZERO) if kind == "R" else (self.of_warps, 63)
            if value == zero:
                return np.uint64(0)
            found = file[value].astype(np.uint64) | file[value + 1].astype(np.uint64) << np.uint64(
                32
            )
        elif kind == "c":
            found = self.constant(value, 8)
        elif kind == "#" and isinstance(value, int):
            found = np.uint64(value & 0xFFFFFFFFFFFFFFFF)
        else:
            raise NotFollowed(f"an operand {value} of 64 bits")
        if operand.negative:
            return np.negative(found, dtype=np.uint64)
        return ~found if operand.inverted else found

    def f(self, operand):
        """A number in single precision."""
        found = self.raw(operand).view(np.float32)
        found = np.abs(found) if operand.absolute else found
        return -found if operand.negative else found

    def d(self, operand):
        """A number in double precision."""
        if operand.kind == "#":
            if isinstance(operand.value, float):
                found = np.float64(operand.value)
            else:  # the upper half
                found = np.uint64(operand.value << 32 & (1 << 64) - 1).view(np.float64)
        else:
            found = self.u64(operand._replace(negative=False)).view(np.float64)
        found = np.abs(found) if operand.absolute else found
        return -found if operand.negative else found

    def p(self, operand):
        """A predicate; `True` where it always holds."""
        if operand.value == TRUE and not operand.inverted:
            return True
        found = (self.predicates if operand.kind == "P" else self.warp_predicates)[operand.value]
        return ~found if operand.inverted else found

    def put(self, operand, value):
        """Write 32 bits."""
        kind, number = operand.kind, operand.value
        if number == (ZERO if kind == "R" else 63):
            return
        target = (self.registers if kind == "R" else self.of_warps)[number]
        if self.full:
            target[:] = value
        else:
            np.copyto(target, value, where=self.mask)

    def put64(self, operand, value):
        """Write 64 bits to two registers."""
        value = np.asarray(value).view(np.uint64)
        self.put(operand, value.astype(np.uint32))
        if operand.value != (ZERO if operand.kind == "R" else 63):
            above = operand._replace(value=operand.value + 1)
            self.put(above, (value >> np.uint64(32)).astype(np.uint32))

    def putp(self, operand, value):
        """Write a predicate."""
        if operand.value == TRUE:
            return
        file = self.predicates if operand.kind == "P" else self.warp_predicates
        np.copyto(file[operand.value], value, where=self.mask)


def _widened(found, width, signed):
    if width == 8:
        return found.astype(np.uint64)
    if signed:
        found = found.view({1: np.int8, 2: np.int16, 4: np.int32}[width]).astype(np.int32)
        return found.view(np.uint32)
    return found.astype(np.uint32)


PARTED = warps.PARTED
