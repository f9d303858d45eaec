"""Reads 4 KiB blocks at random places of a disk, so many at once, past the page cache; prints how many a second."""
import ctypes, mmap, os, random, struct, sys, time

device, depth, seconds = sys.argv[1], int(sys.argv[2]), float(sys.argv[3])
SETUP, DESTROY, GETEVENTS, SUBMIT, BLOCK = 206, 207, 208, 209, 4096
libc = ctypes.CDLL(None, use_errno=True)


def call(*arguments):
    result = libc.syscall(*arguments)
    if result < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return result


disk = os.open(device, os.O_RDONLY | os.O_DIRECT)
blocks = os.lseek(disk, 0, os.SEEK_END) // BLOCK
memory = mmap.mmap(-1, depth * BLOCK)
start = ctypes.addressof(ctypes.c_char.from_buffer(memory))
context = ctypes.c_ulong()
call(SETUP, depth, ctypes.byref(context))
requests = (ctypes.c_char * (64 * depth))()  # struct iocb
at = ctypes.addressof(requests)
pointers = (ctypes.c_void_p * depth)()
events = (ctypes.c_char * (32 * depth))()  # struct io_event


def submit(slots):
    for i, slot in enumerate(slots):
        place = random.randrange(blocks) * BLOCK
        # data, key, rw_flags, opcode 0 PREAD, priority, descriptor, buffer, bytes, offset
        struct.pack_into("<QIIHhIQQq", requests, 64 * slot, slot, 0, 0, 0, 0, disk, start + slot * BLOCK, BLOCK, place)
        pointers[i] = at + 64 * slot
    if slots and call(SUBMIT, context, ctypes.c_long(len(slots)), pointers) != len(slots):
        raise OSError("not all were submitted")


submit(list(range(depth)))
done, flying = 0, depth
began = time.monotonic()
until = began + seconds
while flying:
    count = call(GETEVENTS, context, ctypes.c_long(1), ctypes.c_long(depth), events, None)
    free = []
    for i in range(count):
        slot, _, result, _ = struct.unpack_from("<QQqq", events, 32 * i)
        if result != BLOCK:
            raise OSError("a read has ended with %d" % result)
        free.append(slot)
    done += count
    flying -= count
    if time.monotonic() < until:
        submit(free)
        flying += len(free)
print("%.0f" % (done / (time.monotonic() - began)))
