#pragma once

namespace evenkeel {

/// Makes malloc keep freed memory for later allocations instead of returning it to the system. For
/// processes that allocate and free large buffers of similar sizes all the time: they save page
/// faults. No effect if the C library has no such setting.
void KeepFreedMemory();

}  // namespace evenkeel
