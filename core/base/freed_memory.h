#pragma once

namespace evenkeel {

/// Has this process keep memory that it frees for what it allocates next, instead of giving it back
/// to the system and taking it again page by page. For processes through which large buffers of
/// much the same size go all the time. Without effect where the C library has no such setting.
void KeepFreedMemory();

}  // namespace evenkeel
