"""An index as kernels see it: the addresses of its mapped arrays, and packed lists read there, with their checksums."""
